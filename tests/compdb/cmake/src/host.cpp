int host() { return LANES; }
