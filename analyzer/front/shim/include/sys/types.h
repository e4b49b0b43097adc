#pragma once
#include "cuwarp/types.h"
typedef int pid_t;
typedef unsigned uid_t;
typedef unsigned gid_t;
typedef unsigned mode_t;
typedef long off_t;
typedef unsigned long ino_t;
typedef unsigned long dev_t;
typedef unsigned long u_long;
typedef unsigned int u_int;
typedef unsigned char u_char;
typedef unsigned int u_int32_t;
typedef unsigned char u_int8_t;
typedef unsigned long u_int64_t;
