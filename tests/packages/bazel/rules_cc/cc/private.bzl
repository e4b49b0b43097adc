CC_INFO = CcInfo
