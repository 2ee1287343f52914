/*
 * Loaded into a broker by LD_PRELOAD: writes down, in the order in which it happened, all that the process asks of the
 * files below one directory, and when it answered its clients. What a power loss leaves is worked out from that.
 *
 *   KAAS_RECORDER_DIRECTORY   files below it are recorded; absolute
 *   KAAS_RECORDER_JOURNAL     where to; appended to, so that a broker's next life follows the one before
 *   KAAS_RECORDER_DIE         KIND:COUNT:before|after  SIGKILL at the COUNTth call of that kind: create, write,
 *                             truncate, rename, link, unlink, mkdir, rmdir, sync (of a file), syncdir, or any
 *   KAAS_RECORDER_LIE         /, or what a file's name contains: fsync of directories, or of such files, answers at once and
 *                             does nothing. A disk that lies, by which a test shows that it would notice
 *
 * Each call is a `begin` and an `end`: calls overlap, and a call that has begun may have had its effect, or a part of it,
 * or none. Calls that change names come one after the other, so that the journal has them in the kernel's order. A
 * process kills itself only between calls: what the journal says is then what the page cache has.
 *
 * An event, numbers as the machine has them:
 *   u32 size of all of it, u8 kind, u8 phase, u16 0, u32 thread, u32 errno, u64 call, i64 a, i64 b, i64 c,
 *   u32 length of path, u32 length of second path or data, path, second path or data
 *
 * A call that could change a file and is not understood here is written down as `unsupported`, and no reader goes on
 * from there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum kind { PROCESS = 1, OPEN, CLOSE, WRITE, TRUNCATE, RENAME, LINK, UNLINK, MKDIR, RMDIR, SYNC, SYNCDIR, SEND, UNSUPPORTED };
enum phase { BEGIN = 1, END = 2 };
static const char *const KIND_NAMES[] = {"", "", "create", "", "write", "truncate", "rename", "link", "unlink",
                                         "mkdir", "rmdir", "sync", "syncdir", "", ""};

struct event {
  uint32_t size;
  uint8_t kind, phase;
  uint16_t zero;
  uint32_t thread, error;
  uint64_t call;
  int64_t a, b, c;
  uint32_t path_length, data_length;
};

enum descriptor_kind { UNKNOWN, FILE_BELOW, DIRECTORY_BELOW, CONNECTION, OTHER };
struct descriptor {
  uint8_t kind, lies;
  uint16_t port;
  uint32_t serial;
};

/* The kernel itself: `syscall` is one of those that are listened to. */
typedef long (*system_call)(long, ...);
static system_call kernel_entry(void) {
  static system_call entry;
  if (entry == NULL) entry = (system_call)dlsym(RTLD_NEXT, "syscall");
  return entry;
}
#define kernel(...) kernel_entry()(__VA_ARGS__)

#define DESCRIPTORS_MAX 65536
#define PATH_BYTES 4096
static struct descriptor descriptors[DESCRIPTORS_MAX];
static const char *root, *journal_path, *lie;
static size_t root_length;
static int journal = -1;
static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
/* Held shared from begin to end of what changes files, exclusively by who kills the process. */
static pthread_rwlock_t alive;
static atomic_ullong calls, connections;
static char die_kind[16];
static int die_before;
static atomic_long die_countdown;

__attribute__((constructor)) static void set_up(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&alive, &attributes);
  journal_path = getenv("KAAS_RECORDER_JOURNAL");
  lie = getenv("KAAS_RECORDER_LIE");
  const char *die = getenv("KAAS_RECORDER_DIE");
  long count = 0;
  char when[8] = "";
  if (die != NULL && sscanf(die, "%15[a-z]:%ld:%7[a-z]", die_kind, &count, when) == 3) {
    die_before = strcmp(when, "before") == 0;
    atomic_store(&die_countdown, count);
  }
  root = getenv("KAAS_RECORDER_DIRECTORY");
  root_length = root == NULL ? 0 : strlen(root);
  if (journal_path == NULL) root = NULL;
}

/* ---- the journal ------------------------------------------------------------------------------------------------ */

static void write_all(struct iovec *parts, int count) {
  while (count > 0) {
    ssize_t written = kernel(SYS_writev, journal, parts, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) abort(); /* half a journal proves nothing */
    while (count > 0 && (size_t)written >= parts->iov_len) written -= parts++->iov_len, count--;
    if (count > 0) parts->iov_base = (char *)parts->iov_base + written, parts->iov_len -= written;
  }
}

static void put(struct event *event, const char *path, const struct iovec *data, int data_count) {
  struct iovec parts[data_count + 2];
  event->path_length = path == NULL ? 0 : strlen(path);
  event->size = sizeof *event + event->path_length + event->data_length;
  event->thread = kernel(SYS_gettid);
  parts[0] = (struct iovec){event, sizeof *event};
  parts[1] = (struct iovec){(void *)path, event->path_length};
  for (int i = 0; i < data_count; i++) parts[i + 2] = data[i];
  int saved = errno;
  pthread_mutex_lock(&journal_lock);
  if (journal < 0) {
    int opened = kernel(SYS_openat, AT_FDCWD, journal_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* Out of the way of the numbers that the process expects for its own. */
    journal = opened < 0 ? -1 : (int)kernel(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 1000);
    if (journal < 0) abort();
    kernel(SYS_close, opened);
    struct event first = {.size = sizeof first, .kind = PROCESS, .phase = END, .a = getpid()};
    struct iovec part = {&first, sizeof first};
    write_all(&part, 1);
  }
  write_all(parts, data_count + 2);
  pthread_mutex_unlock(&journal_lock);
  errno = saved;
}

static int is_due(enum kind kind) {
  if (atomic_load(&die_countdown) <= 0 || *KIND_NAMES[kind] == 0) return 0;
  if (strcmp(die_kind, "any") != 0 && strcmp(die_kind, KIND_NAMES[kind]) != 0) return 0;
  return atomic_fetch_sub(&die_countdown, 1) == 1;
}

static void die(void) {
  pthread_rwlock_wrlock(&alive);
  kernel(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

/* A call between its begin and its end. */
struct call {
  enum kind kind;
  uint64_t number;
  int changes, dies;
};

static struct call begin(enum kind kind, int64_t a, int64_t b, int64_t c, const char *path, const struct iovec *data,
                         int data_count, size_t data_length) {
  struct call call = {.kind = kind, .number = atomic_fetch_add(&calls, 1) + 1};
  call.dies = is_due(kind);
  if (call.dies && die_before) die();
  /* An fsync under way does not keep the process alive: it has promised nothing yet. */
  call.changes = kind != SYNC && kind != SYNCDIR && kind != SEND;
  if (call.changes) pthread_rwlock_rdlock(&alive);
  struct event event = {.kind = kind, .phase = BEGIN, .call = call.number, .a = a, .b = b, .c = c, .data_length = data_length};
  put(&event, path, data, data_count);
  return call;
}

static void end(struct call call, int64_t result, int64_t b) {
  int saved = errno;
  struct event event = {.kind = call.kind, .phase = END, .call = call.number, .a = result, .b = b,
                        .error = result < 0 ? saved : 0};
  put(&event, NULL, NULL, 0);
  if (call.changes) pthread_rwlock_unlock(&alive);
  if (call.dies && result >= 0) die();
  errno = saved;
}

static void unsupported(const char *name) {
  struct event event = {.kind = UNSUPPORTED, .phase = END};
  put(&event, name, NULL, 0);
}

/* ---- which files ------------------------------------------------------------------------------------------------ */

/* The path below the directory, without a leading slash, and empty for the directory itself; NULL when it is elsewhere. */
static const char *below(int directory, const char *path, char *buffer) {
  if (root == NULL || path == NULL) return NULL;
  char link[64];
  const char *rest = "";
  if (path[0] != '/' || strncmp(path, "/proc/self/fd/", 14) == 0) {
    if (path[0] == '/') {
      int number = atoi(path + 14);
      snprintf(link, sizeof link, "/proc/self/fd/%d", number);
      rest = strchr(path + 14, '/');
      rest = rest == NULL ? "" : rest + 1;
    } else if (directory == AT_FDCWD) {
      snprintf(link, sizeof link, "/proc/self/cwd");
      rest = path;
    } else {
      snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
      rest = path;
    }
    ssize_t length = kernel(SYS_readlinkat, AT_FDCWD, link, buffer, PATH_BYTES - 1);
    if (length < 0) return NULL;
    buffer[length] = 0;
    if (*rest != 0) snprintf(buffer + length, PATH_BYTES - length, "/%s", rest);
  } else {
    snprintf(buffer, PATH_BYTES, "%s", path);
  }
  for (size_t last = strlen(buffer); last > 1 && buffer[last - 1] == '/'; last--) buffer[last - 1] = 0;
  if (strncmp(buffer, root, root_length) != 0) return NULL;
  if (buffer[root_length] == 0) return buffer + root_length;
  return buffer[root_length] == '/' ? buffer + root_length + 1 : NULL;
}

static struct descriptor *descriptor_of(int fd) {
  static struct descriptor other = {.kind = OTHER};
  if (root == NULL || fd < 0 || fd >= DESCRIPTORS_MAX) return &other;
  return &descriptors[fd];
}

static int is_below(int fd) { return descriptor_of(fd)->kind == FILE_BELOW; }

static struct descriptor *connection_of(int fd) {
  struct descriptor *it = descriptor_of(fd);
  if (it->kind == UNKNOWN) {
    int saved = errno;
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    it->kind = OTHER;
    if (getpeername(fd, (struct sockaddr *)&address, &length) == 0) {
      if (address.ss_family == AF_INET) it->port = ntohs(((struct sockaddr_in *)&address)->sin_port);
      if (address.ss_family == AF_INET6) it->port = ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
      if (it->port != 0) it->kind = CONNECTION, it->serial = atomic_fetch_add(&connections, 1) + 1;
    }
    errno = saved;
  }
  return it->kind == CONNECTION ? it : NULL;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static int do_open(int directory, const char *path, int flags, mode_t mode) {
  char buffer[PATH_BYTES];
  const char *name = below(directory, path, buffer);
  if (name == NULL) {
    int fd = kernel(SYS_openat, directory, path, flags, mode);
    if (fd >= 0) *descriptor_of(fd) = (struct descriptor){.kind = UNKNOWN};
    return fd;
  }
  if (flags & O_TMPFILE & ~O_DIRECTORY) unsupported("O_TMPFILE");
  pthread_mutex_lock(&names_lock);
  int creates = (flags & O_CREAT) && kernel(SYS_faccessat, directory, path, F_OK) != 0;
  errno = 0;
  struct call call = begin(OPEN, creates, (flags & O_TRUNC) != 0, 0, name, NULL, 0, 0);
  if (!creates) call.dies = 0;
  int fd = kernel(SYS_openat, directory, path, flags, mode);
  int64_t inode = 0;
  if (fd >= 0) {
    struct stat status;
    int saved = errno;
    if (fstat(fd, &status) == 0) inode = status.st_ino;
    int is_directory = S_ISDIR(status.st_mode);
    const char *last = strrchr(name, '/');
    int lies = lie != NULL && (is_directory ? strcmp(lie, "/") == 0 : strstr(last == NULL ? name : last + 1, lie) != NULL);
    *descriptor_of(fd) = (struct descriptor){.kind = is_directory ? DIRECTORY_BELOW : FILE_BELOW, .lies = lies};
    errno = saved;
  }
  end(call, fd, inode);
  pthread_mutex_unlock(&names_lock);
  return fd;
}

static mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return do_open(AT_FDCWD, path, flags, mode);
}
int open64(const char *, int, ...) __attribute__((alias("open")));

int openat(int directory, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return do_open(directory, path, flags, mode);
}
int openat64(int, const char *, int, ...) __attribute__((alias("openat")));

int creat(const char *path, mode_t mode) { return do_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *, mode_t) __attribute__((alias("creat")));

int close(int fd) {
  struct descriptor *it = descriptor_of(fd);
  if (it->kind == FILE_BELOW || it->kind == DIRECTORY_BELOW) {
    struct event event = {.kind = CLOSE, .phase = END, .a = fd};
    put(&event, NULL, NULL, 0);
  }
  if (it->kind != OTHER || root != NULL) it->kind = UNKNOWN;
  return kernel(SYS_close, fd);
}

static int is_zero(const struct iovec *parts, int count) {
  for (int i = 0; i < count; i++) {
    const char *bytes = parts[i].iov_base;
    size_t length = parts[i].iov_len;
    if (length > 0 && (bytes[0] != 0 || memcmp(bytes, bytes + 1, length - 1) != 0)) return 0;
  }
  return 1;
}

static struct call begin_write(int fd, off_t offset, const struct iovec *parts, int count) {
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  /* Zeros written ahead are many, and need no copy. */
  if (is_zero(parts, count)) return begin(WRITE, fd, offset, length, NULL, NULL, 0, 0);
  return begin(WRITE, fd, offset, length, NULL, parts, count, length);
}

static off_t cursor_of(int fd) {
  int flags = kernel(SYS_fcntl, fd, F_GETFL);
  return lseek(fd, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
}

static struct call begin_send(int fd, size_t length) {
  struct descriptor *connection = connection_of(fd);
  return begin(SEND, connection->port, length, connection->serial, NULL, NULL, 0, 0);
}

static size_t length_of(const struct iovec *parts, int count) {
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  return length;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  if (is_below(fd)) {
    struct call call = begin_write(fd, cursor_of(fd), &part, 1);
    ssize_t written = kernel(SYS_write, fd, bytes, length);
    end(call, written, 0);
    return written;
  }
  if (connection_of(fd) == NULL) return kernel(SYS_write, fd, bytes, length);
  struct call call = begin_send(fd, length);
  ssize_t written = kernel(SYS_write, fd, bytes, length);
  end(call, written, 0);
  return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (is_below(fd)) {
    struct call call = begin_write(fd, cursor_of(fd), parts, count);
    ssize_t written = kernel(SYS_writev, fd, parts, count);
    end(call, written, 0);
    return written;
  }
  if (connection_of(fd) == NULL) return kernel(SYS_writev, fd, parts, count);
  struct call call = begin_send(fd, length_of(parts, count));
  ssize_t written = kernel(SYS_writev, fd, parts, count);
  end(call, written, 0);
  return written;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  if (connection_of(fd) == NULL) return kernel(SYS_sendmsg, fd, message, flags);
  struct call call = begin_send(fd, length_of(message->msg_iov, message->msg_iovlen));
  ssize_t sent = kernel(SYS_sendmsg, fd, message, flags);
  end(call, sent, 0);
  return sent;
}

ssize_t sendto(int fd, const void *bytes, size_t length, int flags, const struct sockaddr *address, socklen_t size) {
  if (connection_of(fd) == NULL) return kernel(SYS_sendto, fd, bytes, length, flags, address, size);
  struct call call = begin_send(fd, length);
  ssize_t sent = kernel(SYS_sendto, fd, bytes, length, flags, address, size);
  end(call, sent, 0);
  return sent;
}
ssize_t send(int fd, const void *bytes, size_t length, int flags) { return sendto(fd, bytes, length, flags, NULL, 0); }

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  if (!is_below(fd)) return kernel(SYS_pwrite64, fd, bytes, length, offset);
  struct iovec part = {(void *)bytes, length};
  struct call call = begin_write(fd, offset, &part, 1);
  ssize_t written = kernel(SYS_pwrite64, fd, bytes, length, offset);
  end(call, written, 0);
  return written;
}
ssize_t pwrite64(int, const void *, size_t, off64_t) __attribute__((alias("pwrite")));

/* The kernel takes the offset in two halves, and on 64 bits ignores the upper one. */
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  if (!is_below(fd)) return kernel(SYS_pwritev, fd, parts, count, offset, 0);
  struct call call = begin_write(fd, offset, parts, count);
  ssize_t written = kernel(SYS_pwritev, fd, parts, count, offset, 0);
  end(call, written, 0);
  return written;
}
ssize_t pwritev64(int, const struct iovec *, int, off64_t) __attribute__((alias("pwritev")));

int ftruncate(int fd, off_t length) {
  if (!is_below(fd)) return kernel(SYS_ftruncate, fd, length);
  struct call call = begin(TRUNCATE, fd, length, 0, NULL, NULL, 0, 0);
  int result = kernel(SYS_ftruncate, fd, length);
  end(call, result, 0);
  return result;
}
int ftruncate64(int, off64_t) __attribute__((alias("ftruncate")));

static int do_sync(int fd, long number) {
  struct descriptor *it = descriptor_of(fd);
  if (it->kind != FILE_BELOW && it->kind != DIRECTORY_BELOW) return kernel(number, fd);
  if (it->lies) return 0;
  struct call call = begin(it->kind == FILE_BELOW ? SYNC : SYNCDIR, fd, 0, 0, NULL, NULL, 0, 0);
  int result = kernel(number, fd);
  end(call, result, 0);
  return result;
}
int fsync(int fd) { return do_sync(fd, SYS_fsync); }
int fdatasync(int fd) { return do_sync(fd, SYS_fdatasync); }

/* ---- names ------------------------------------------------------------------------------------------------------ */

static struct call begin_names(enum kind kind, const char *path, const char *second) {
  struct iovec data = {(void *)second, second == NULL ? 0 : strlen(second)};
  pthread_mutex_lock(&names_lock);
  return begin(kind, 0, 0, 0, path, &data, 1, data.iov_len);
}

static int end_names(struct call call, int result) {
  end(call, result, 0);
  pthread_mutex_unlock(&names_lock);
  return result;
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  char from_buffer[PATH_BYTES], to_buffer[PATH_BYTES];
  const char *old = below(from_directory, from, from_buffer), *name = below(to_directory, to, to_buffer);
  if (old == NULL && name == NULL) return kernel(SYS_renameat2, from_directory, from, to_directory, to, flags);
  if (old == NULL || name == NULL || flags != 0) unsupported("rename from or to elsewhere, or with flags");
  struct call call = begin_names(RENAME, old, name);
  return end_names(call, kernel(SYS_renameat2, from_directory, from, to_directory, to, flags));
}
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return renameat2(a, from, b, to, 0); }

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
  char from_buffer[PATH_BYTES], to_buffer[PATH_BYTES];
  const char *old = below(from_directory, from, from_buffer), *name = below(to_directory, to, to_buffer);
  if (old == NULL && name == NULL) return kernel(SYS_linkat, from_directory, from, to_directory, to, flags);
  if (old == NULL || name == NULL) unsupported("link from or to elsewhere");
  struct call call = begin_names(LINK, old, name);
  return end_names(call, kernel(SYS_linkat, from_directory, from, to_directory, to, flags));
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int directory, const char *path, int flags) {
  char buffer[PATH_BYTES];
  const char *name = below(directory, path, buffer);
  if (name == NULL) return kernel(SYS_unlinkat, directory, path, flags);
  struct call call = begin_names(flags & AT_REMOVEDIR ? RMDIR : UNLINK, name, NULL);
  return end_names(call, kernel(SYS_unlinkat, directory, path, flags));
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int directory, const char *path, mode_t mode) {
  char buffer[PATH_BYTES];
  const char *name = below(directory, path, buffer);
  if (name == NULL) return kernel(SYS_mkdirat, directory, path, mode);
  struct call call = begin_names(MKDIR, name, NULL);
  return end_names(call, kernel(SYS_mkdirat, directory, path, mode));
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

/* A socket with a name: the journal has an empty file, to which nobody can connect either. */
int bind(int fd, const struct sockaddr *address, socklen_t length) {
  char buffer[PATH_BYTES];
  const char *path = address->sa_family == AF_UNIX ? ((const struct sockaddr_un *)address)->sun_path : NULL;
  const char *name = path == NULL || *path == 0 ? NULL : below(AT_FDCWD, path, buffer);
  if (name == NULL) return kernel(SYS_bind, fd, address, length);
  pthread_mutex_lock(&names_lock);
  struct call call = begin(OPEN, 1, 0, 1, name, NULL, 0, 0);
  return end_names(call, kernel(SYS_bind, fd, address, length));
}

/* libuv closes by number, and would use io_uring by number if it were let. */
long syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long a = va_arg(arguments, long), b = va_arg(arguments, long), c = va_arg(arguments, long);
  long d = va_arg(arguments, long), e = va_arg(arguments, long), f = va_arg(arguments, long);
  va_end(arguments);
  switch (number) {
    case SYS_close:
      return close((int)a);
    case SYS_copy_file_range:
      return copy_file_range((int)a, (off64_t *)b, (int)c, (off64_t *)d, (size_t)e, (unsigned)f);
    case SYS_io_uring_setup:
      if (root == NULL) break;
      errno = ENOSYS;
      return -1;
    case SYS_pwritev2:
      if (is_below((int)a)) unsupported("pwritev2");
      break;
  }
  return kernel(number, a, b, c, d, e, f);
}

/* ---- what no reader of the journal would understand -------------------------------------------------------------- */

ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags) {
  if (is_below(fd)) unsupported("pwritev2");
  return kernel(SYS_pwritev2, fd, parts, count, offset, 0, flags);
}
ssize_t pwritev64v2(int, const struct iovec *, int, off64_t, int) __attribute__((alias("pwritev2")));

int fallocate(int fd, int mode, off_t offset, off_t length) {
  if (is_below(fd)) unsupported("fallocate");
  return kernel(SYS_fallocate, fd, mode, offset, length);
}
int fallocate64(int, int, off64_t, off64_t) __attribute__((alias("fallocate")));

int posix_fallocate(int fd, off_t offset, off_t length) {
  return fallocate(fd, 0, offset, length) == 0 ? 0 : errno;
}
int posix_fallocate64(int, off64_t, off64_t) __attribute__((alias("posix_fallocate")));

ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t length, unsigned flags) {
  if (is_below(out)) unsupported("copy_file_range");
  return kernel(SYS_copy_file_range, in, in_offset, out, out_offset, length, flags);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t length) {
  if (is_below(out) || (root != NULL && connection_of(out) != NULL)) unsupported("sendfile");
  return kernel(SYS_sendfile, out, in, offset, length);
}
ssize_t sendfile64(int, int, off64_t *, size_t) __attribute__((alias("sendfile")));

int truncate(const char *path, off_t length) {
  char buffer[PATH_BYTES];
  if (below(AT_FDCWD, path, buffer) != NULL) unsupported("truncate by path");
  return kernel(SYS_truncate, path, length);
}
int truncate64(const char *, off64_t) __attribute__((alias("truncate")));

int symlinkat(const char *target, int directory, const char *path) {
  char buffer[PATH_BYTES];
  if (below(directory, path, buffer) != NULL) unsupported("symlink");
  return kernel(SYS_symlinkat, target, directory, path);
}
int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  if ((flags & MAP_SHARED) && (protection & PROT_WRITE) && fd >= 0 && is_below(fd)) unsupported("a shared mapping");
  return (void *)kernel(SYS_mmap, address, length, protection, flags, fd, offset);
}
void *mmap64(void *, size_t, int, int, int, off64_t) __attribute__((alias("mmap")));
