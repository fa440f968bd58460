// Events: kqueue by means of epoll, for what Go's runtime and a precise sleep ask of it. Each watched descriptor has a
// place by its number; a queue's wake-up and its timer have descriptors of their own (eventfd, timerfd).
//
// Epoll goes on watching a file that is closed here as long as another process has it, as a child has the far end of its
// pipes; kqueue does not. Its events come with the number that it had here, which may be another file's by then, so each
// time that a number is watched has a number of its own, its turn, and events of an earlier turn are left.
#include "loader.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

struct event {
	uint64_t ident;
	int16_t filter;
	uint16_t flags;
	uint32_t wanted;
	int64_t data;
	void *mine;
};

enum { READ = -1, WRITE = -2, TIMER = -7, USER = -10 };         // filters
enum { ADD = 0x1, END_OF_FILE = 0x8000 };                       // flags
enum { TRIGGER = 0x01000000, NANOSECONDS = 0x4 };               // NOTE_TRIGGER, NOTE_NSECONDS
enum { DESCRIPTORS = 10240 };                                   // as many as a process may have on macOS

static struct watch {
	int16_t filter; // READ stands for READ and WRITE
	uint64_t ident;
	void *mine;
	int wake, timer; // of a queue; 0 if it has none
	uint32_t turn;
} watches[DESCRIPTORS];

static uint32_t turns; // so far
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long new_queue(void) {
	int fd = epoll_create1(EPOLL_CLOEXEC);
	if (fd >= 0) watches[fd] = (struct watch){0};
	return answer(fd);
}

void forget_queue(int fd) {
	// A new process, whose other threads are gone, may find the lock held by one of them: it has no queue to forget.
	if (fd < 0 || fd >= DESCRIPTORS || (!watches[fd].wake && !watches[fd].timer)) return;
	pthread_mutex_lock(&lock);
	if (watches[fd].wake) close(watches[fd].wake);
	if (watches[fd].timer) close(watches[fd].timer);
	watches[fd] = (struct watch){0};
	pthread_mutex_unlock(&lock);
}

static long watch(int queue, int fd, int16_t filter, const struct event *e) {
	struct epoll_event want = {.events = EPOLLIN | EPOLLET | (filter == READ ? EPOLLOUT | EPOLLRDHUP : 0)};
	if (fd < 0 || fd >= DESCRIPTORS) return refuse(DARWIN_EINVAL);
	watches[fd].filter = filter;
	watches[fd].ident = e->ident;
	watches[fd].mine = e->mine;
	watches[fd].turn = ++turns;
	want.data.u64 = (uint64_t)turns << 32 | fd;
	if (epoll_ctl(queue, EPOLL_CTL_ADD, fd, &want) == 0) return 0;
	if (errno == EEXIST) return answer(epoll_ctl(queue, EPOLL_CTL_MOD, fd, &want));
	return errno == EPERM ? refuse(DARWIN_ENOTSUP) : answer(-1); // a plain file, which Go then reads without
}

// own returns the queue's own descriptor for its wake-up or timer, made at the first use.
static int own(int queue, int16_t filter) {
	int *fd = filter == USER ? &watches[queue].wake : &watches[queue].timer;
	if (*fd == 0) *fd = filter == USER ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return *fd;
}

static long change(int queue, const struct event *e) {
	switch (e->filter) {
	case READ: // both come together, with the same value to hand back
		return watch(queue, e->ident, READ, e);
	case WRITE:
		return 0;
	case USER:
		if (e->flags & ADD && watch(queue, own(queue, USER), USER, e) < 0) return -1;
		if (e->wanted & TRIGGER) return eventfd_write(own(queue, USER), 1) < 0 ? answer(-1) : 0;
		return 0;
	case TIMER: {
		trace("kevent(timer of %ld ns, flags %#x)", e->data, e->wanted);
		if (!(e->wanted & NANOSECONDS)) return refuse(DARWIN_ENOTSUP);
		int64_t wait = e->data > 0 ? e->data : 1; // 0 would disarm it
		struct itimerspec when = {.it_value = {wait / 1000000000, wait % 1000000000}};
		if (watch(queue, own(queue, TIMER), TIMER, e) < 0) return -1;
		return answer(timerfd_settime(own(queue, TIMER), 0, &when, NULL));
	}
	}
	return refuse(DARWIN_ENOTSUP);
}

// tell fills in what became of one descriptor and returns the number of events that makes.
static int tell(const struct epoll_event *got, struct event *e, int room) {
	int fd = got->data.u64 & 0xffffffff, n = 0;
	const struct watch *w = &watches[fd];
	uint64_t count;
	if (w->turn != got->data.u64 >> 32) return 0;
	uint16_t end = got->events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP) ? END_OF_FILE : 0;
	if (w->filter != READ) {
		if (read(fd, &count, sizeof count) != sizeof count) return 0; // another thread had it
		e[n++] = (struct event){.ident = w->ident, .filter = w->filter, .mine = w->mine};
		return n;
	}
	if (got->events & EPOLLIN || end) e[n++] = (struct event){.ident = w->ident, .filter = READ, .flags = end, .mine = w->mine};
	if ((got->events & EPOLLOUT || end) && n < room) e[n++] = (struct event){.ident = w->ident, .filter = WRITE, .flags = end, .mine = w->mine};
	return n;
}

static long wait_events(int queue, const struct event *changes, int count, struct event *events, int room, const struct timespec *wait) {
	pthread_mutex_lock(&lock);
	long result = 0;
	for (int i = 0; i < count && result >= 0; i++) result = change(queue, &changes[i]);
	pthread_mutex_unlock(&lock);
	if (result < 0 || room == 0) return result;
	struct pollfd ready = {.fd = queue, .events = POLLIN};
	int n = ppoll(&ready, 1, wait, NULL);
	if (n <= 0) return answer(n);
	struct epoll_event got[32];
	int most = room > 1 ? room / 2 : 1; // each may be two events
	n = epoll_wait(queue, got, most < 32 ? most : 32, 0);
	int told = 0;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < n; i++) told += tell(&got[i], events + told, room - told);
	pthread_mutex_unlock(&lock);
	return n < 0 ? answer(n) : told;
}

const struct answer event_answers[] = {
	{"kqueue", new_queue},
	{"kevent", wait_events},
	{NULL, NULL},
};
