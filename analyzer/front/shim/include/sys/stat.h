#pragma once
#include <sys/types.h>
#include <time.h>
struct stat {
    dev_t st_dev;
    ino_t st_ino;
    mode_t st_mode;
    uid_t st_uid;
    gid_t st_gid;
    off_t st_size;
    time_t st_mtime;
};
#define S_ISDIR(mode) (((mode)&0170000) == 0040000)
#define S_ISREG(mode) (((mode)&0170000) == 0100000)
#define S_IRUSR 0400
#define S_IWUSR 0200
#define S_IRWXU 0700
extern "C" {
int stat(const char *path, struct stat *s), fstat(int fd, struct stat *s), mkdir(const char *path, mode_t mode),
    chmod(const char *path, mode_t mode);
}
