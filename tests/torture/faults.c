/* Between a program and the disk: lets the n-th open, write, fsync or rename in one folder fail, or the machine with it.

   Loaded with LD_PRELOAD; `torture_arm` says what is to happen, to the process and to all that it starts: they share a file,
   whose path is in TORTURE. Only what lies in the folder is counted.

   Ways to fail: 1 no space left; 2 an I/O error; 3 a write that takes half of what it is given, and then there is no space;
   4 the process is killed; 5 the power goes, for all of them: what was written to a file since its last fsync is gone, as is what
   made it longer, and so is a rename after which its folder was not synced. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NO_SPACE = 1, IO_ERROR, SHORT, KILL, POWER };
enum { MOST = 4096, LONGEST = 4096, USUAL = 1024 };

static struct {
    pthread_mutex_t lock;
    char folder[USUAL];
    int way, at, count, full, gone;
    int dirty_count, moved_count;
    /* Files with content that is not on disk: their size there, and what of them was written over. */
    struct { char path[USUAL]; off_t size, from, to; } dirty[MOST];
    struct { char from[USUAL], to[USUAL], old[USUAL]; } moved[MOST]; /* renames that are not on disk */
} *all;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void share(int flags) {
    const char *path = getenv("TORTURE");
    int handle = path ? REAL(open64)(path, O_RDWR | flags, 0600) : -1;
    if (handle < 0) return;
    if (!flags || REAL(ftruncate64)(handle, sizeof *all) == 0) {
        void *place = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
        all = place == MAP_FAILED ? NULL : place;
    }
    close(handle);
}

__attribute__((constructor)) static void join(void) { share(0); }

void torture_arm(const char *where, int how, int when) {
    pthread_mutexattr_t kind;
    share(O_CREAT | O_TRUNC);
    if (!all) abort();
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&all->lock, &kind);
    snprintf(all->folder, sizeof all->folder, "%s", where);
    all->way = how, all->at = when;
}

int torture_count(void) { return all->count; }

static void lock(void) {
    if (pthread_mutex_lock(&all->lock) == EOWNERDEAD) pthread_mutex_consistent(&all->lock);
    while (all->gone) pause(); /* without power nothing happens any more */
}

static void unlock(void) { pthread_mutex_unlock(&all->lock); }

static int inside(const char *path) {
    if (!all || strlen(path) > USUAL - 32) return 0;
    size_t length = strlen(all->folder);
    return strncmp(path, all->folder, length) == 0 && strchr("/", path[length]) && !strstr(path, ".torture-old-");
}

static int named(int handle, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, LONGEST - 1);
    path[length > 0 ? length : 0] = 0;
    return length > 0 && inside(path);
}

static void forget(const char *path) {
    for (int i = 0; i < all->dirty_count; i++)
        if (strcmp(all->dirty[i].path, path) == 0) all->dirty[i--] = all->dirty[--all->dirty_count];
}

/* Something is written to a file: `from` is where, and `to` where it ends. */
static void soil(int handle, const char *path, off_t from, off_t to) {
    struct stat about;
    int i = 0;
    while (i < all->dirty_count && strcmp(all->dirty[i].path, path)) i++;
    if (i == MOST || fstat(handle, &about)) return;
    if (i == all->dirty_count) {
        all->dirty_count++;
        strcpy(all->dirty[i].path, path);
        all->dirty[i].size = about.st_size, all->dirty[i].from = from, all->dirty[i].to = to;
    }
    if (from < all->dirty[i].from) all->dirty[i].from = from;
    if (to > all->dirty[i].to) all->dirty[i].to = to;
}

static void lose(void) {
    all->gone = 1;
    for (int i = 0; i < all->dirty_count; i++) {
        off_t size = all->dirty[i].size;
        int handle = REAL(open64)(all->dirty[i].path, O_WRONLY);
        if (handle < 0) continue; /* it was removed */
        if (REAL(ftruncate64)(handle, size) == 0)
            for (off_t at = all->dirty[i].from; at < all->dirty[i].to && at < size; at++)
                (void)!REAL(pwrite64)(handle, "", 1, at);
        close(handle);
    }
    for (int i = all->moved_count - 1; i >= 0; i--) {
        REAL(rename)(all->moved[i].to, all->moved[i].from);
        if (*all->moved[i].old) REAL(rename)(all->moved[i].old, all->moved[i].to);
    }
    kill(0, SIGKILL); /* a command is the head of its group */
}

/* The path of something that was `from`, or in it, before that became `to`. */
static void follow(char *path, const char *from, const char *to) {
    size_t length = strlen(from);
    if (strncmp(path, from, length) || (path[length] && path[length] != '/')) return;
    char rest[USUAL];
    strcpy(rest, path + length);
    if (snprintf(path, USUAL, "%s%s", to, rest) >= USUAL) abort();
}

/* Whether the operation that begins now is to fail; after the n-th write that found no space there is none for others. */
static int fails(int is_write) {
    if (all->full && is_write && (all->way == NO_SPACE || all->way == SHORT)) { errno = ENOSPC; return 1; }
    if (++all->count != all->at) return 0;
    if (all->way == KILL) kill(getpid(), SIGKILL);
    if (all->way == POWER) lose();
    all->full = 1;
    errno = all->way == IO_ERROR ? EIO : ENOSPC;
    return 1;
}

static int opened(const char *path, int flags) {
    if (!inside(path) || !(flags & (O_WRONLY | O_RDWR | O_CREAT))) return 0;
    lock();
    int failed = fails(1);
    unlock();
    return failed;
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

/* Whether a write fails; if not, it is noted. */
static int written(int handle, const char *path, off_t from, off_t to) {
    lock();
    int failed = fails(1);
    if (!failed) soil(handle, path, from, to);
    unlock();
    return failed;
}

ssize_t write(int handle, const void *data, size_t size) {
    char path[LONGEST];
    if (all && handle > 2 && named(handle, path)) {
        struct stat about;
        int appends = fcntl(handle, F_GETFL) & O_APPEND && fstat(handle, &about) == 0;
        off_t place = appends ? about.st_size : lseek(handle, 0, SEEK_CUR);
        if (written(handle, path, place, place + size))
            return all->way == SHORT && size > 1 ? REAL(write)(handle, data, size / 2) : -1;
    }
    return REAL(write)(handle, data, size);
}

ssize_t pwrite64(int handle, const void *data, size_t size, off64_t place) {
    char path[LONGEST];
    if (all && named(handle, path) && written(handle, path, place, place + size))
        return all->way == SHORT && size > 1 ? REAL(pwrite64)(handle, data, size / 2, place) : -1;
    return REAL(pwrite64)(handle, data, size, place);
}

ssize_t pwrite(int handle, const void *data, size_t size, off_t place) { return pwrite64(handle, data, size, place); }

int ftruncate64(int handle, off64_t size) {
    char path[LONGEST];
    if (all && named(handle, path) && written(handle, path, size, size)) return -1;
    return REAL(ftruncate64)(handle, size);
}

int ftruncate(int handle, off_t size) { return ftruncate64(handle, size); }

static void settle(const char *path) {
    forget(path);
    for (int i = 0; i < all->moved_count; i++) {
        char *to = all->moved[i].to;
        if ((size_t)(strrchr(to, '/') - to) == strlen(path) && strncmp(to, path, strlen(path)) == 0) {
            if (*all->moved[i].old) unlink(all->moved[i].old);
            all->moved[i--] = all->moved[--all->moved_count];
        }
    }
}

static int synced(int handle) {
    char path[LONGEST];
    if (!all || !named(handle, path)) return 0;
    lock();
    int failed = fails(0);
    if (!failed) settle(path);
    unlock();
    return failed;
}

int fsync(int handle) { return synced(handle) ? -1 : REAL(fsync)(handle); }
int fdatasync(int handle) { return synced(handle) ? -1 : REAL(fdatasync)(handle); }

static void note_rename(const char *from, const char *to) {
    struct stat about;
    int i = all->moved_count, there = lstat(to, &about) == 0 && S_ISREG(about.st_mode);
    if (all->way != POWER || i == MOST) return;
    all->moved_count++;
    strcpy(all->moved[i].from, from), strcpy(all->moved[i].to, to), *all->moved[i].old = 0;
    if (there) {
        snprintf(all->moved[i].old, USUAL, "%s.torture-old-%d", to, all->count);
        (void)!link(to, all->moved[i].old);
    }
    for (int file = 0; file < all->dirty_count; file++) follow(all->dirty[file].path, from, to);
}

int rename(const char *from, const char *to) {
    if (inside(to) && inside(from)) {
        lock();
        int failed = fails(0);
        if (!failed) note_rename(from, to);
        unlock();
        if (failed) return -1;
    }
    return REAL(rename)(from, to);
}
