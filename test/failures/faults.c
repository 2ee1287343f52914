/*
 * Loaded into a broker by LD_PRELOAD: makes calls on files fail or hang, as its test says while it runs.
 *
 *   KAAS_FAULTS   a file of RULES rules, which the test writes and this library has mapped
 *
 * A rule, numbers as the machine has them, 256 bytes:
 *   u32 state      1 in force, else not
 *   u32 calls      which calls: the bits below
 *   i32 error      what fails, fails with this errno; 0: hangs until the rule is no longer in force, then is done
 *   i32 left       how many calls more; -1: all
 *   u32 hits       calls that it was applied to
 *   char path[]    what the path of the file must contain; ends with a zero
 *
 * statfs does not fail: it says that no space is left.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum call { OPEN = 1, OPEN_FOR_WRITING = 2, READ = 4, WRITE = 8, TRUNCATE = 16, SYNC = 32, NAMES = 64, SPACE = 128 };

#define RULES 32
#define PATH_BYTES 4096
struct rule {
  uint32_t state, calls;
  int32_t error, left;
  uint32_t hits;
  char path[236];
};
_Static_assert(sizeof(struct rule) == 256, "the test writes rules of 256 bytes");

static struct rule *rules;

__attribute__((constructor)) static void set_up(void) {
  const char *path = getenv("KAAS_FAULTS");
  int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, RULES * sizeof *rules, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) rules = mapped;
}

static int in_force(struct rule *rule) { return __atomic_load_n(&rule->state, __ATOMIC_ACQUIRE) == 1; }

static int applies(struct rule *rule, enum call call, const char *path) {
  if (!in_force(rule) || !(rule->calls & call) || strstr(path, rule->path) == NULL) return 0;
  for (int32_t left = __atomic_load_n(&rule->left, __ATOMIC_RELAXED); left != 0;) {
    if (left < 0) return 1;
    if (__atomic_compare_exchange_n(&rule->left, &left, left - 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return 1;
  }
  return 0;
}

/* Whether the call is to be made; if not, errno says why. */
static int allowed(unsigned calls, const char *path) {
  for (int i = 0; i < RULES; i++) {
    struct rule *rule = &rules[i];
    if (!applies(rule, calls, path)) continue;
    __atomic_add_fetch(&rule->hits, 1, __ATOMIC_ACQ_REL);
    if (rule->error != 0) {
      errno = rule->error;
      return 0;
    }
    while (in_force(rule)) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  return 1;
}

static int any_rule(void) {
  if (rules == NULL) return 0;
  for (int i = 0; i < RULES; i++)
    if (in_force(&rules[i])) return 1;
  return 0;
}

static int allowed_for(unsigned calls, int fd) {
  if (!any_rule()) return 1;
  char link[32], path[PATH_BYTES];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = saved;
  if (length <= 0 || path[0] != '/') return 1; /* a socket, a pipe */
  path[length] = 0;
  return allowed(calls, path);
}

static int allowed_at(unsigned calls, const char *path) { return !any_rule() || allowed(calls, path); }

/* The function of that name that would have been called without us. */
#define NEXT(name) ({ \
  static __typeof__(&name) next; \
  if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
  next; \
})

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  unsigned calls = OPEN | ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) ? OPEN_FOR_WRITING : 0);
  return allowed_at(calls, path) ? NEXT(open64)(path, flags, mode) : -1;
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) {
  return allowed_for(READ, fd) ? NEXT(pread64)(fd, bytes, length, offset) : -1;
}
ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return allowed_for(READ, fd) ? NEXT(preadv64)(fd, parts, count, offset) : -1;
}
ssize_t read(int fd, void *bytes, size_t length) {
  return allowed_for(READ, fd) ? NEXT(read)(fd, bytes, length) : -1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  return allowed_for(WRITE, fd) ? NEXT(pwrite64)(fd, bytes, length, offset) : -1;
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return allowed_for(WRITE, fd) ? NEXT(pwritev64)(fd, parts, count, offset) : -1;
}
ssize_t write(int fd, const void *bytes, size_t length) {
  return allowed_for(WRITE, fd) ? NEXT(write)(fd, bytes, length) : -1;
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  return allowed_for(WRITE, fd) ? NEXT(writev)(fd, parts, count) : -1;
}
int ftruncate64(int fd, off64_t length) { return allowed_for(TRUNCATE, fd) ? NEXT(ftruncate64)(fd, length) : -1; }

int fsync(int fd) { return allowed_for(SYNC, fd) ? NEXT(fsync)(fd) : -1; }
int fdatasync(int fd) { return allowed_for(SYNC, fd) ? NEXT(fdatasync)(fd) : -1; }

int rename(const char *from, const char *to) { return allowed_at(NAMES, to) ? NEXT(rename)(from, to) : -1; }
int link(const char *from, const char *to) { return allowed_at(NAMES, to) ? NEXT(link)(from, to) : -1; }
int unlink(const char *path) { return allowed_at(NAMES, path) ? NEXT(unlink)(path) : -1; }
int rmdir(const char *path) { return allowed_at(NAMES, path) ? NEXT(rmdir)(path) : -1; }
int mkdir(const char *path, mode_t mode) { return allowed_at(NAMES, path) ? NEXT(mkdir)(path, mode) : -1; }

int statfs64(const char *path, struct statfs64 *status) {
  int result = NEXT(statfs64)(path, status);
  if (result == 0 && !allowed_at(SPACE, path)) status->f_bavail = 0;
  return result;
}
