// Threads, locks and memory.
#include "loader.h"

#include <asm/prctl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

// Go keeps the current goroutine at 0x30 from GS, where macOS keeps a thread's own values; Linux leaves GS free.
void new_thread(void) {
	void *page = calloc(1, 4096);
	syscall(SYS_arch_prctl, ARCH_SET_GS, page);
}

struct beginning {
	void *(*function)(void *);
	void *argument;
};

static void *begin(void *p) {
	struct beginning b = *(struct beginning *)p;
	free(p);
	new_thread();
	return b.function(b.argument);
}

static int create(pthread_t *thread, pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
	struct beginning *b = malloc(sizeof *b);
	pthread_t unused;
	*b = (struct beginning){function, argument};
	return darwin_error(pthread_create(thread ? thread : &unused, attributes, begin, b));
}

// Go wants none but detached threads.
static int detached(pthread_attr_t *attributes, int state) {
	(void)state;
	return pthread_attr_setdetachstate(attributes, PTHREAD_CREATE_DETACHED);
}

// glibc's locks fit into the room that macOS's take: 64 bytes, and 48 for a condition.
static int new_mutex(pthread_mutex_t *mutex, void *attributes) {
	(void)attributes;
	return darwin_error(pthread_mutex_init(mutex, NULL));
}

static int new_condition(pthread_cond_t *condition, void *attributes) {
	(void)attributes;
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	return darwin_error(pthread_cond_init(condition, &monotonic));
}

static int wait_at_most(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *wait) {
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += wait->tv_sec;
	until.tv_nsec += wait->tv_nsec;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	return darwin_error(pthread_cond_timedwait(condition, mutex, &until));
}

static void *map(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
	enum { FIXED = 0x10, NO_RESERVE = 0x40, ANONYMOUS = 0x1000 };
	int linux_flags = (flags & 3) | (flags & FIXED ? MAP_FIXED : 0) | (flags & NO_RESERVE ? MAP_NORESERVE : 0) |
		(flags & ANONYMOUS ? MAP_ANONYMOUS : 0);
	if (!(flags & ANONYMOUS) && provoke_file("LOADER_NO_MAPPING", fd)) return (void *)refuse(DARWIN_ENODEV);
	void *p = mmap(address, length, protection, linux_flags, flags & ANONYMOUS ? -1 : fd, offset);
	return (void *)answer((long)p);
}

static long unmap(void *address, size_t length) { return answer(munmap(address, length)); }

static long sync_map(void *address, size_t length, int flags) {
	enum { INVALIDATE = 0x2, SYNC = 0x10 };
	trace("msync(%zu bytes, flags %#x)", length, flags);
	return answer(msync(address, length, (flags & INVALIDATE ? MS_INVALIDATE : 0) | (flags & SYNC ? MS_SYNC : 0)));
}

static long resident(void *address, size_t length, unsigned char *pages) { return answer(mincore(address, length, pages)); }

// Advice may be left.
static long advise(void) { return 0; }

const struct answer thread_answers[] = {
	{"pthread_attr_init", pthread_attr_init},
	{"pthread_attr_getstacksize", pthread_attr_getstacksize},
	{"pthread_attr_setdetachstate", detached},
	{"pthread_create", create},
	{"pthread_self", pthread_self},
	{"pthread_mutex_init", new_mutex},
	{"pthread_mutex_lock", pthread_mutex_lock},
	{"pthread_mutex_unlock", pthread_mutex_unlock},
	{"pthread_cond_init", new_condition},
	{"pthread_cond_signal", pthread_cond_signal},
	{"pthread_cond_wait", pthread_cond_wait},
	{"pthread_cond_timedwait_relative_np", wait_at_most},
	{"mmap", map},
	{"munmap", unmap},
	{"msync", sync_map},
	{"mincore", resident},
	{"madvise", advise},
	{NULL, NULL},
};
