/* Between a program and the disk: lets the n-th open, write, fsync or rename in one folder fail, or the machine with it.

   Loaded with LD_PRELOAD; `torture_arm` says what is to happen. Only what lies in the folder is counted.

   Ways to fail: 1 no space left; 2 an I/O error; 3 a write that takes half of what it is given, and then there is no space;
   4 the process is killed; 5 the power goes: what was written to a file since its last fsync is gone, as is what made it longer,
   and so is a rename after which its folder was not synced. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NO_SPACE = 1, IO_ERROR, SHORT, KILL, POWER };
enum { MOST = 4096, LONGEST = 4096 };

static char folder[LONGEST];
static int way, at, count, full;
static struct { char *path; off_t size, from, to; } dirty[MOST]; /* files with content that is not on disk: their size there,
                                                                    and what of them was written over */
static int dirty_count;
static struct { char *from, *to, *old; } moved[MOST]; /* renames that are not on disk */
static int moved_count;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void torture_arm(const char *where, int how, int when) {
    snprintf(folder, sizeof folder, "%s", where);
    way = how, at = when, count = 0, full = 0;
}

int torture_count(void) { return count; }

static int inside(const char *path) {
    size_t length = strlen(folder);
    return length && strncmp(path, folder, length) == 0 && !strstr(path, ".torture-old-");
}

static int named(int handle, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, LONGEST - 1);
    path[length > 0 ? length : 0] = 0;
    return length > 0 && inside(path);
}

static void forget(const char *path) {
    for (int i = 0; i < dirty_count; i++)
        if (strcmp(dirty[i].path, path) == 0) { free(dirty[i].path); dirty[i--] = dirty[--dirty_count]; }
}

/* Something is written to a file: `from` is where, and `to` where it ends. */
static void soil(int handle, const char *path, off_t from, off_t to) {
    struct stat about;
    int i = 0;
    while (i < dirty_count && strcmp(dirty[i].path, path)) i++;
    if (i == MOST || fstat(handle, &about)) return;
    if (i == dirty_count) {
        dirty_count++;
        dirty[i].path = strdup(path), dirty[i].size = about.st_size, dirty[i].from = from, dirty[i].to = to;
    }
    if (from < dirty[i].from) dirty[i].from = from;
    if (to > dirty[i].to) dirty[i].to = to;
}

static void lose(void) {
    for (int i = 0; i < dirty_count; i++) {
        int handle = REAL(open)(dirty[i].path, O_WRONLY);
        if (handle < 0) continue; /* it was removed */
        if (ftruncate(handle, dirty[i].size) == 0)
            for (off_t at = dirty[i].from; at < dirty[i].to && at < dirty[i].size; at++) (void)!REAL(pwrite64)(handle, "", 1, at);
        close(handle);
    }
    for (int i = moved_count - 1; i >= 0; i--) {
        REAL(rename)(moved[i].to, moved[i].from);
        if (moved[i].old) REAL(rename)(moved[i].old, moved[i].to);
    }
    kill(getpid(), SIGKILL);
}

/* The path of something that was `from`, or in it, before that became `to`. */
static char *followed(char *path, const char *from, const char *to) {
    size_t length = strlen(from);
    if (strncmp(path, from, length) || (path[length] && path[length] != '/')) return path;
    char now[2 * LONGEST];
    snprintf(now, sizeof now, "%s%s", to, path + length);
    free(path);
    return strdup(now);
}

/* Whether the operation that begins now is to fail; after the n-th write that found no space there is none for others. */
static int fails(int is_write) {
    if (!way) return 0;
    if (full && is_write && (way == NO_SPACE || way == SHORT)) { errno = ENOSPC; return 1; }
    if (++count != at) return 0;
    if (way == KILL) kill(getpid(), SIGKILL);
    if (way == POWER) lose();
    full = 1;
    errno = way == IO_ERROR ? EIO : ENOSPC;
    return 1;
}

static int opened(const char *path, int flags) {
    return inside(path) && (flags & (O_WRONLY | O_RDWR | O_CREAT)) && fails(1);
}

#define OPEN(name, AT, ...)                                                                                                  \
    int name(__VA_ARGS__, int flags, ...) {                                                                                  \
        va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest);                               \
        if (opened(path, flags)) return -1;                                                                                  \
        return REAL(name)(AT path, flags, mode);                                                                             \
    }
#define COMMA ,
OPEN(open, , const char *path)
OPEN(open64, , const char *path)
OPEN(openat, where COMMA, int where, const char *path)
OPEN(openat64, where COMMA, int where, const char *path)

ssize_t write(int handle, const void *data, size_t size) {
    char path[LONGEST];
    if (way && handle > 2 && named(handle, path)) {
        struct stat about;
        int appends = fcntl(handle, F_GETFL) & O_APPEND && fstat(handle, &about) == 0;
        off_t place = appends ? about.st_size : lseek(handle, 0, SEEK_CUR);
        if (fails(1)) return way == SHORT && size > 1 ? REAL(write)(handle, data, size / 2) : -1;
        soil(handle, path, place, place + size);
    }
    return REAL(write)(handle, data, size);
}

ssize_t pwrite64(int handle, const void *data, size_t size, off64_t place) {
    char path[LONGEST];
    if (way && named(handle, path)) {
        if (fails(1)) return way == SHORT && size > 1 ? REAL(pwrite64)(handle, data, size / 2, place) : -1;
        soil(handle, path, place, place + size);
    }
    return REAL(pwrite64)(handle, data, size, place);
}

ssize_t pwrite(int handle, const void *data, size_t size, off_t place) { return pwrite64(handle, data, size, place); }

int ftruncate64(int handle, off64_t size) {
    char path[LONGEST];
    if (way && named(handle, path)) {
        if (fails(1)) return -1;
        soil(handle, path, size, size);
    }
    return REAL(ftruncate64)(handle, size);
}

int ftruncate(int handle, off_t size) { return ftruncate64(handle, size); }

static int synced(int handle) {
    char path[LONGEST];
    if (!way || !named(handle, path)) return 0;
    if (fails(0)) return -1;
    forget(path);
    for (int i = 0; i < moved_count; i++) {
        char *slash = strrchr(moved[i].to, '/');
        if ((size_t)(slash - moved[i].to) == strlen(path) && strncmp(moved[i].to, path, strlen(path)) == 0) {
            if (moved[i].old) unlink(moved[i].old);
            free(moved[i].from), free(moved[i].to), free(moved[i].old);
            moved[i--] = moved[--moved_count];
        }
    }
    return 0;
}

int fsync(int handle) { return synced(handle) ? -1 : REAL(fsync)(handle); }
int fdatasync(int handle) { return synced(handle) ? -1 : REAL(fdatasync)(handle); }

int rename(const char *from, const char *to) {
    if (way && inside(to)) {
        struct stat about;
        char old[LONGEST];
        if (fails(0)) return -1;
        int there = lstat(to, &about) == 0 && S_ISREG(about.st_mode);
        snprintf(old, sizeof old, "%s.torture-old-%d", to, count);
        if (way == POWER && moved_count < MOST) {
            if (there) link(to, old);
            moved[moved_count].from = strdup(from), moved[moved_count].to = strdup(to);
            moved[moved_count++].old = there ? strdup(old) : NULL;
            for (int i = 0; i < dirty_count; i++) dirty[i].path = followed(dirty[i].path, from, to);
        }
    }
    return REAL(rename)(from, to);
}
