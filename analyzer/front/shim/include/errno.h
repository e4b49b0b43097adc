#pragma once
extern "C" int *cuwarp_errno();
#define errno (*cuwarp_errno())
#define ENOENT 2
#define EINTR 4
#define EAGAIN 11
#define ENOMEM 12
#define EINVAL 22
#define ERANGE 34
