/* A disk that fails, for any process: preloaded, it makes calls on files below a directory fail
 * with EIO while a file `<directory>.broken` stands beside it. SPINDLE_BREAK lists directories,
 * separated by colons. The same fault for every peer of a comparison, without a real broken disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int broken(const char *path)
{
    const char *all = getenv("SPINDLE_BREAK");
    while (path && all && *all) {
        const char *end = strchrnul(all, ':');
        size_t length = end - all;
        if (!strncmp(path, all, length) && (path[length] == '/' || !path[length])) {
            char marker[PATH_MAX];
            snprintf(marker, sizeof marker, "%.*s.broken", (int)length, all);
            if (!syscall(SYS_faccessat, AT_FDCWD, marker, F_OK))
                return 1;
        }
        all = *end ? end + 1 : end;
    }
    return 0;
}

static int broken_fd(int fd)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0)
        return 0;
    path[size] = 0;
    return broken(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ON_FD(type, name, parameters, arguments)      \
    type name parameters                              \
    {                                                 \
        if (broken_fd(fd)) { errno = EIO; return -1; } \
        return REAL(name) arguments;                  \
    }
#define ON_PATH(type, name, parameters, arguments)    \
    type name parameters                              \
    {                                                 \
        if (broken(path)) { errno = EIO; return -1; }  \
        return REAL(name) arguments;                  \
    }

ON_FD(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n))
ON_FD(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o))
ON_FD(ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t o), (fd, b, n, o))
ON_FD(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
ON_FD(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t o), (fd, v, n, o))
ON_FD(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t o), (fd, v, n, o))
ON_FD(ssize_t, pwritev2, (int fd, const struct iovec *v, int n, off_t o, int f), (fd, v, n, o, f))
ON_FD(ssize_t, pwritev64v2, (int fd, const struct iovec *v, int n, off64_t o, int f),
      (fd, v, n, o, f))
ON_FD(ssize_t, pread, (int fd, void *b, size_t n, off_t o), (fd, b, n, o))
ON_FD(ssize_t, pread64, (int fd, void *b, size_t n, off64_t o), (fd, b, n, o))
ON_FD(int, fsync, (int fd), (fd))
ON_FD(int, fdatasync, (int fd), (fd))
ON_FD(int, ftruncate, (int fd, off_t n), (fd, n))
ON_FD(int, ftruncate64, (int fd, off64_t n), (fd, n))
ON_PATH(int, mkdir, (const char *path, mode_t m), (path, m))
ON_PATH(int, unlink, (const char *path), (path))
ON_PATH(int, rename, (const char *path, const char *to), (path, to))
ON_PATH(int, statvfs, (const char *path, struct statvfs *s), (path, s))
ON_PATH(int, statvfs64, (const char *path, struct statvfs64 *s), (path, s))

#define OPEN(name)                                        \
    int name(const char *path, int flags, ...)            \
    {                                                     \
        va_list list;                                     \
        va_start(list, flags);                            \
        mode_t mode = va_arg(list, mode_t);               \
        va_end(list);                                     \
        if (broken(path)) { errno = EIO; return -1; }      \
        return REAL(name)(path, flags, mode);             \
    }
OPEN(open)
OPEN(open64)
