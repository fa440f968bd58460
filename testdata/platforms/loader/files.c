// Files and folders.
#include "loader.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>

enum { HERE = -2, NO_FOLLOW = 0x20, REMOVE_FOLDER = 0x80 }; // AT_FDCWD, AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR

static int folder_of(int fd) { return fd == HERE ? AT_FDCWD : fd; }

static int inside(const char *folder, const char *path) {
	size_t n = strlen(folder);
	return !strncmp(path, folder, n) && (path[n] == '/' || path[n] == 0);
}

int provoke_file(const char *setting, int fd) {
	char link[64], path[PATH_MAX] = "", *folder = getenv(setting);
	if (!folder) return 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	return readlink(link, path, sizeof path - 1) > 0 && inside(folder, path);
}

int provoke_path(const char *setting, int folder, const char *path) {
	const char *where = getenv(setting);
	if (!where) return 0;
	if (*path == '/') return inside(where, path);
	return folder != AT_FDCWD && provoke_file(setting, folder);
}

// Where a volume holds no extended attributes, the one that macOS gives whatever a process makes (com.apple.provenance) is
// in a file beside it, "._" and the name. The system moves and removes it together with what it belongs to
// (xattrfile_remove and xattrfile_rename in xnu's bsd/vfs/kpi_vfs.c).
static const char *twin_of(int folder, const char *path, char *room) {
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	if (!provoke_path("LOADER_TWINS", folder, path) || !strncmp(name, "._", 2)) return NULL;
	int n = snprintf(room, PATH_MAX, "%.*s._%s", (int)(name - path), path, name);
	return n < PATH_MAX ? room : NULL;
}

static void make_twin(int folder, const char *path) {
	char room[PATH_MAX];
	const char *twin = twin_of(folder, path, room);
	int fd = twin ? openat(folder, twin, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : -1;
	static const char header[4096] = "\0\5\x16\7\0\2\0\0Mac OS X        ";
	if (fd < 0) return;
	if (write(fd, header, sizeof header) < 0) trace("no room for %s", twin);
	close(fd);
}

static void remove_twin(int folder, const char *path) {
	char room[PATH_MAX];
	const char *twin = twin_of(folder, path, room);
	if (twin) unlinkat(folder, twin, 0);
}

static void move_twin(int a, const char *from, int b, const char *to) {
	char room[PATH_MAX], other[PATH_MAX];
	const char *was = twin_of(a, from, room), *now = twin_of(b, to, other);
	if (was && now) renameat(a, was, b, now);
}

static long open_at(int folder, const char *path, int flags, int mode) {
	static const struct {
		int there, here;
	} all[] = {{0x4, O_NONBLOCK}, {0x8, O_APPEND}, {0x80, O_SYNC}, {0x100, O_NOFOLLOW}, {0x200, O_CREAT}, {0x400, O_TRUNC}, {0x800, O_EXCL},
		{0x100000, O_DIRECTORY}, {0x1000000, O_CLOEXEC}};
	int here = flags & 3; // read, write, both
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (flags & all[i].there) here |= all[i].here;
	if (provoke_path("LOADER_DENY", folder_of(folder), path)) return refuse(DARWIN_EPERM);
	int made = here & O_CREAT && faccessat(folder_of(folder), path, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
	int fd = openat(folder_of(folder), path, here, mode);
	if (fd >= 0 && made) make_twin(folder_of(folder), path);
	return answer(fd);
}

static long open_path(const char *path, int flags, int mode) { return open_at(HERE, path, flags, mode); }

// F_NOCACHE keeps out of the cache what is moved at whole pages, which have 16 KiB on Apple silicon. Smaller writes have
// the pages they touch read first, and leave them in the cache (cluster_write_copy in xnu's bsd/vfs/vfs_cluster.c), unless
// the process has asked to write single blocks past it (cluster_write_ext). Files that have F_NOCACHE are marked by their
// descriptor.
enum { DESCRIPTORS = 10240, PAGE = 16384, BLOCK = 4096 };
static uint8_t past_cache[DESCRIPTORS];

static void read_pages(int fd, off_t from, off_t to) {
	static __thread char page[PAGE];
	for (off_t at = from / PAGE * PAGE; at < to; at += PAGE) {
		long n = pread(fd, page, PAGE, at);
		trace("page read(%d, %ld bytes at %ld)", fd, n, (long)at);
	}
}

static long moved(int fd, long bytes, off_t at, int written) {
	if (bytes <= 0 || fd >= DESCRIPTORS || !past_cache[fd]) return answer(bytes);
	long smallest = small_writes_direct ? BLOCK : PAGE, direct = bytes;
	if (written) direct = at % smallest ? 0 : bytes / smallest * smallest;
	if (direct && written) sync_file_range(fd, at, direct, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
	if (direct) posix_fadvise(fd, at, direct, POSIX_FADV_DONTNEED); // whole pages alone
	if (direct < bytes) read_pages(fd, at + direct, at + bytes);
	return bytes;
}

static long close_file(int fd) {
	if (fd >= 0 && fd < DESCRIPTORS) past_cache[fd] = 0;
	forget_queue(fd);
	return answer(close(fd));
}

// Apple's driver for FAT fills a file with zeros up to where it is written, or set to end (deextend in msdosfs_denode.c).
static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;

static void fill_to(int fd, off_t at) {
	static const char zeros[1 << 20];
	char link[64], path[PATH_MAX] = "";
	struct stat s;
	if (!getenv("LOADER_FAT_FILLS") || !provoke_file("LOADER_FAT_FILLS", fd)) return;
	pthread_mutex_lock(&filling);
	if (fstat(fd, &s) == 0 && s.st_size < at) {
		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		if (readlink(link, path, sizeof path - 1) > 0) trace("fills %s: %ld bytes", strrchr(path, '/') + 1, (long)(at - s.st_size));
		for (off_t from = s.st_size; from < at; from += sizeof zeros)
			if (pwrite(fd, zeros, at - from < (off_t)sizeof zeros ? at - from : (off_t)sizeof zeros, from) < 0) break;
	}
	pthread_mutex_unlock(&filling);
}

static long read_here(int fd, void *p, size_t n) { return answer(read(fd, p, n)); }
static long write_here(int fd, const void *p, size_t n) { return answer(write(fd, p, n)); }
static long write_list_here(int fd, const struct iovec *list, int n) { return answer(writev(fd, list, n)); }
static long read_at(int fd, void *p, size_t n, off_t at) { return moved(fd, pread(fd, p, n, at), at, 0); }
static long write_at(int fd, const void *p, size_t n, off_t at) {
	fill_to(fd, at);
	return moved(fd, pwrite(fd, p, n, at), at, 1);
}
static long read_list(int fd, const struct iovec *list, int n, off_t at) { return moved(fd, preadv(fd, list, n, at), at, 0); }
static long write_list(int fd, const struct iovec *list, int n, off_t at) {
	fill_to(fd, at);
	return moved(fd, pwritev(fd, list, n, at), at, 1);
}
static long seek(int fd, off_t at, int from) { return answer(lseek(fd, at, from)); }
static long set_end(int fd, off_t at) {
	fill_to(fd, at);
	return answer(ftruncate(fd, at));
}
static long set_end_path(const char *path, off_t at) { return answer(truncate(path, at)); }
static long lock_file(int fd, int how) { return answer(flock(fd, how)); }

static long sync_file(int fd) {
	trace("fsync(%d)", fd);
	return answer(fsync(fd));
}

struct store {
	uint32_t flags;
	int position;
	off_t offset, length, allocated;
};

static long preallocate(int fd, struct store *s) {
	enum { PAST_END = 3 }; // F_PEOFPOSMODE: counted from the last block that the file has, and not moving its end
	struct stat info;
	enum { CONTIGUOUS = 0x2 };
	trace("F_PREALLOCATE(%d, flags %#x, %ld bytes)", fd, s->flags, (long)s->length);
	if (s->flags & CONTIGUOUS) trace("searches all free space for one stretch");
	if (provoke_file("LOADER_EXFAT", fd)) return refuse(DARWIN_ENOTSUP);
	if (s->position != PAST_END || s->offset) return refuse(DARWIN_EINVAL);
	if (fstat(fd, &info) < 0) return answer(-1);
	s->allocated = s->length;
	return answer(fallocate(fd, FALLOC_FL_KEEP_SIZE, info.st_blocks * 512, s->length));
}

// fcntl's commands that hubbench and Go use. O_NONBLOCK and O_APPEND are all that can be set.
static long control_file(int fd, int command, long argument) {
	enum { DUP, GET_FD, SET_FD, GET_FLAGS, SET_FLAGS, PREALLOCATE = 42, READ_AHEAD = 45, NO_CACHE = 48, GET_PATH = 50, FULL_SYNC = 51, DUP_CLOEXEC = 67 };
	char link[64];
	switch (command) {
	case DUP: return answer(fcntl(fd, F_DUPFD, argument));
	case DUP_CLOEXEC: return answer(fcntl(fd, F_DUPFD_CLOEXEC, argument));
	case GET_FD: return answer(fcntl(fd, F_GETFD));
	case SET_FD: return answer(fcntl(fd, F_SETFD, argument));
	case GET_FLAGS: {
		int flags = fcntl(fd, F_GETFL);
		return flags < 0 ? answer(-1) : (flags & 3) | (flags & O_NONBLOCK ? 4 : 0) | (flags & O_APPEND ? 8 : 0);
	}
	case SET_FLAGS: return answer(fcntl(fd, F_SETFL, (argument & 4 ? O_NONBLOCK : 0) | (argument & 8 ? O_APPEND : 0)));
	case PREALLOCATE: return preallocate(fd, (struct store *)argument);
	case READ_AHEAD:
		trace("F_RDAHEAD(%d, %ld)", fd, argument);
		return posix_fadvise(fd, 0, 0, argument ? POSIX_FADV_NORMAL : POSIX_FADV_RANDOM) == 0 ? 0 : refuse(DARWIN_EINVAL);
	case NO_CACHE:
		trace("F_NOCACHE(%d, %ld)", fd, argument);
		if (fd >= 0 && fd < DESCRIPTORS) past_cache[fd] = argument != 0;
		return 0;
	case FULL_SYNC:
		trace("F_FULLFSYNC(%d)", fd);
		return provoke_file("LOADER_EXFAT", fd) ? refuse(DARWIN_ENOTTY) : answer(fsync(fd));
	case GET_PATH: {
		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(link, (char *)argument, 1023);
		if (n >= 0) ((char *)argument)[n] = 0;
		return n < 0 ? answer(-1) : 0;
	}
	}
	trace("fcntl(%d, %d): not answered", fd, command);
	return refuse(DARWIN_EINVAL);
}

struct darwin_stat {
	int32_t device;
	uint16_t mode, links;
	uint64_t inode;
	uint32_t uid, gid;
	int32_t raw_device, pad;
	struct timespec accessed, modified, changed, born;
	int64_t size, blocks;
	int32_t block_size;
	uint32_t flags, generation;
	int32_t spare[5];
};

static long tell(int result, const struct stat *s, struct darwin_stat *d) {
	if (result < 0) return answer(result);
	*d = (struct darwin_stat){.device = s->st_dev, .mode = s->st_mode, .links = s->st_nlink, .inode = s->st_ino, .uid = s->st_uid, .gid = s->st_gid,
		.raw_device = s->st_rdev, .accessed = s->st_atim, .modified = s->st_mtim, .changed = s->st_ctim, .born = s->st_ctim, .size = s->st_size,
		.blocks = s->st_blocks, .block_size = s->st_blksize};
	return 0;
}

static long stat_at(int folder, const char *path, struct darwin_stat *d, int flags) {
	struct stat s;
	char room[PATH_MAX];
	path = tool(path, room);
	return tell(fstatat(folder_of(folder), path, &s, flags & NO_FOLLOW ? AT_SYMLINK_NOFOLLOW : 0), &s, d);
}
static long stat_path(const char *path, struct darwin_stat *d) { return stat_at(HERE, path, d, 0); }
static long stat_link(const char *path, struct darwin_stat *d) { return stat_at(HERE, path, d, NO_FOLLOW); }
static long stat_file(int fd, struct darwin_stat *d) {
	struct stat s;
	return tell(fstat(fd, &s), &s, d);
}

struct darwin_statfs {
	uint32_t block_size;
	int32_t best_size;
	uint64_t blocks, free, available, files, free_files;
	int32_t id[2];
	uint32_t owner, type, flags, subtype;
	char name[16], mounted_on[1024], mounted_from[1024];
	uint32_t more_flags, spare[7];
};

// mount_point climbs from a path to where its volume is mounted.
static void mount_point(const char *path, char *at) {
	char here[PATH_MAX], above[PATH_MAX];
	struct stat s, up;
	if (!realpath(path, here)) return;
	for (char *slash; strlen(here) < 1024 && stat(here, &s) == 0; strcpy(here, above)) {
		strcpy(at, here);
		strcpy(above, here);
		slash = strrchr(above, '/');
		slash[slash == above] = 0;
		if (stat(above, &up) < 0 || up.st_dev != s.st_dev || !strcmp(above, here)) return;
	}
}

// Every volume is on the system's disk and APFS, but those that are to answer as exFAT, as before macOS 13 or after.
static long stat_volume(const char *path, struct darwin_statfs *d) {
	struct statfs s;
	struct stat info;
	if (statfs(path, &s) < 0 || stat(path, &info) < 0) return answer(-1);
	*d = (struct darwin_statfs){.block_size = s.f_bsize, .best_size = 1 << 20, .blocks = s.f_blocks, .free = s.f_bfree, .available = s.f_bavail,
		.files = s.f_files, .free_files = s.f_ffree, .id = {info.st_dev}, .name = "apfs",
		.mounted_from = "/dev/disk3s5"};
	mount_point(path, d->mounted_on);
	if (provoke_path("LOADER_EXFAT", AT_FDCWD, path)) strcpy(d->name, "exfat");
	if (provoke_path("LOADER_FAT_FILLS", AT_FDCWD, path)) {
		strcpy(d->name, "lifs");
		strcpy(d->mounted_from, "exfat://disk4s1/NAME");
	}
	return 0;
}

struct darwin_entry {
	uint64_t inode, seek;
	uint16_t length, name_length;
	uint8_t type;
	char name[1024];
};

static int next_entry(DIR *folder, struct darwin_entry *entry, struct darwin_entry **found) {
	errno = 0;
	const struct dirent *e = readdir(folder);
	*found = e ? entry : NULL;
	if (!e) return darwin_error(errno);
	*entry = (struct darwin_entry){.inode = e->d_ino, .length = sizeof *entry, .name_length = strlen(e->d_name), .type = e->d_type};
	strcpy(entry->name, e->d_name);
	return 0;
}

static void *open_folder(int fd) {
	DIR *folder = fdopendir(fd);
	if (!folder) answer(-1);
	return folder;
}
static long close_folder(DIR *folder) { return answer(closedir(folder)); }

// Times to leave or to set to now have numbers of their own.
static long set_times(int folder, const char *path, const struct timespec *times, int flags) {
	struct timespec t[2];
	memcpy(t, times, sizeof t);
	for (int i = 0; i < 2; i++)
		if (t[i].tv_nsec < 0) t[i].tv_nsec = t[i].tv_nsec == -1 ? UTIME_NOW : UTIME_OMIT;
	return answer(utimensat(folder_of(folder), path, t, flags & NO_FOLLOW ? AT_SYMLINK_NOFOLLOW : 0));
}

static long access_at(int folder, const char *path, int mode, int flags) {
	(void)flags;
	char room[PATH_MAX];
	return answer(faccessat(folder_of(folder), tool(path, room), mode, 0));
}
static long access_path(const char *path, int mode) { return access_at(HERE, path, mode, 0); }
static long remove_at(int folder, const char *path, int flags) {
	int result = unlinkat(folder_of(folder), path, flags & REMOVE_FOLDER ? AT_REMOVEDIR : 0);
	if (result == 0) remove_twin(folder_of(folder), path);
	return answer(result);
}
static long remove_path(const char *path) { return remove_at(HERE, path, 0); }
static long remove_folder(const char *path) { return remove_at(HERE, path, REMOVE_FOLDER); }
static long make_at(int folder, const char *path, int mode) {
	int result = mkdirat(folder_of(folder), path, mode);
	if (result == 0) make_twin(folder_of(folder), path);
	return answer(result);
}
static long make_path(const char *path, int mode) { return make_at(HERE, path, mode); }
static long rename_at(int a, const char *from, int b, const char *to) {
	int result = renameat(folder_of(a), from, folder_of(b), to);
	if (result == 0) move_twin(folder_of(a), from, folder_of(b), to);
	return answer(result);
}
static long rename_path(const char *from, const char *to) { return rename_at(HERE, from, HERE, to); }
static long link_at(int a, const char *from, int b, const char *to, int flags) {
	(void)flags;
	return answer(linkat(folder_of(a), from, folder_of(b), to, 0));
}
static long link_path(const char *from, const char *to) { return link_at(HERE, from, HERE, to, 0); }
static long pipe_path(const char *path, int mode) { return answer(mkfifo(path, mode)); }
static long symlink_at(const char *to, int folder, const char *path) { return answer(symlinkat(to, folder_of(folder), path)); }
static long symlink_path(const char *to, const char *path) { return symlink_at(to, HERE, path); }
static long read_link_at(int folder, const char *path, char *p, size_t n) { return answer(readlinkat(folder_of(folder), path, p, n)); }
static long read_link(const char *path, char *p, size_t n) { return read_link_at(HERE, path, p, n); }
static long mode_at(int folder, const char *path, int mode, int flags) {
	return answer(fchmodat(folder_of(folder), path, mode, flags & NO_FOLLOW ? AT_SYMLINK_NOFOLLOW : 0));
}
static long mode_path(const char *path, int mode) { return mode_at(HERE, path, mode, 0); }
static long mode_file(int fd, int mode) { return answer(fchmod(fd, mode)); }
static long owner_path(const char *path, int user, int group) { return answer(chown(path, user, group)); }
static long owner_file(int fd, int user, int group) { return answer(fchown(fd, user, group)); }
static long go_to(const char *path) { return answer(chdir(path)); }
static long go_to_file(int fd) { return answer(fchdir(fd)); }
static long copy_descriptor(int fd) { return answer(dup(fd)); }
static long copy_descriptor_to(int fd, int to) { return answer(dup2(fd, to)); }
static long new_pipe(int *ends) { return answer(pipe(ends)); }
static long wait_for(struct pollfd *files, unsigned n, int ms) { return answer(poll(files, n, ms)); }
static char *current(char *p, size_t n) {
	char *path = getcwd(p, n);
	if (!path) answer(-1);
	return path;
}

const struct answer file_answers[] = {
	{"open", open_path}, {"openat", open_at}, {"close", close_file}, {"read", read_here}, {"write", write_here}, {"writev", write_list_here},
	{"pread", read_at}, {"pwrite", write_at}, {"preadv", read_list}, {"pwritev", write_list}, {"lseek", seek}, {"ftruncate", set_end},
	{"truncate", set_end_path}, {"flock", lock_file}, {"fsync", sync_file}, {"fcntl", control_file}, {"stat64", stat_path},
	{"lstat64", stat_link}, {"fstat64", stat_file}, {"fstatat64", stat_at}, {"statfs64", stat_volume}, {"readdir_r$INODE64", next_entry},
	{"fdopendir$INODE64", open_folder}, {"closedir", close_folder}, {"utimensat", set_times}, {"access", access_path}, {"faccessat", access_at},
	{"unlink", remove_path}, {"unlinkat", remove_at}, {"rmdir", remove_folder}, {"mkdir", make_path}, {"mkdirat", make_at},
	{"rename", rename_path}, {"renameat", rename_at}, {"link", link_path}, {"linkat", link_at},
	{"mkfifo", pipe_path}, {"symlink", symlink_path}, {"symlinkat", symlink_at},
	{"readlink", read_link}, {"readlinkat", read_link_at}, {"chmod", mode_path}, {"fchmod", mode_file}, {"fchmodat", mode_at},
	{"chown", owner_path}, {"fchown", owner_file}, {"chdir", go_to}, {"fchdir", go_to_file}, {"dup", copy_descriptor}, {"dup2", copy_descriptor_to},
	{"pipe", new_pipe}, {"poll", wait_for}, {"getcwd", current}, {NULL, NULL},
};
