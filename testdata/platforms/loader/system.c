// Processes, clocks, and what the system says of itself.
#include "loader.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>

// The errors above 34 have numbers of their own, and two below.
static const struct {
	int here, there;
} errors[] = {{EAGAIN, 35}, {EDEADLK, 11}, {ENAMETOOLONG, 63}, {ENOLCK, 77}, {ENOSYS, 78}, {ENOTEMPTY, 66}, {ELOOP, 62}, {EOVERFLOW, 84},
	{EILSEQ, 92}, {ENOTSOCK, 38}, {EOPNOTSUPP, 45}, {ECONNRESET, 54}, {ETIMEDOUT, 60}, {ECONNREFUSED, 61}, {EINPROGRESS, 36}, {ESTALE, 70},
	{EDQUOT, 69}, {ECANCELED, 89}};

int darwin_error(int linux_error) {
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].here == linux_error) return errors[i].there;
	return linux_error;
}

static __thread int last_error;

static int *error_place(void) { return &last_error; }

long refuse(int error) {
	last_error = error;
	return -1;
}

long answer(long result) { return result == -1 ? refuse(darwin_error(errno)) : result; }

// execute runs a program for macOS by the loader again, any other one as it is.
static long execute(const char *path, char **arguments, char **environment) {
	uint32_t magic = 0;
	char room[PATH_MAX];
	path = tool(path, room);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, &magic, sizeof magic) < 0) magic = 0;
	if (fd >= 0) close(fd);
	if (magic != 0xfeedfacf) return answer(execve(path, arguments, environment));
	size_t count = 0;
	while (arguments[count]) count++;
	char *all[count + 3]; // the loader, the program, its arguments, the end
	all[0] = loader;
	all[1] = (char *)path;
	memcpy(all + 2, arguments + 1, count * sizeof *all);
	return answer(execve(loader, all, environment));
}

// tell_usage leaves all as it is but the memory, which macOS counts in bytes; the rest lies alike.
static void tell_usage(struct rusage *usage) { usage->ru_maxrss *= 1024; }

static long wait_for(int process, int *status, int options, struct rusage *usage) {
	long result = wait4(process, status, options, usage);
	if (result > 0 && usage) tell_usage(usage);
	if (result > 0 && status && WIFSIGNALED(*status)) *status = (*status & ~0x7f) | darwin_signal(WTERMSIG(*status));
	return answer(result);
}

static long usage_of(int who, struct rusage *usage) {
	long result = getrusage(who, usage);
	if (result == 0) tell_usage(usage);
	return answer(result);
}

static long new_process(void) { return answer(fork()); }
static long group(int process, int id) { return answer(setpgid(process, id)); }
static long session(void) { return answer(setsid()); }
static void end(int code) { _exit(code); }

// How many files may be open is the one limit that Go asks for; it raises it, which is left.
static long limit(int what, struct rlimit *limit) {
	enum { OPEN_FILES = 8, MOST = 10240 };
	long result = getrlimit(what == OPEN_FILES ? RLIMIT_NOFILE : what, limit);
	if (what == OPEN_FILES && limit->rlim_cur > MOST) limit->rlim_cur = MOST;
	return answer(result);
}
static long nothing(void) { return 0; }

// The background is where macOS puts what nobody waits for: getpriority(PRIO_DARWIN_PROCESS) is 1, and requests wait
// (IOPOL_THROTTLE) where they usually do not (IOPOL_IMPORTANT).
static long get_priority(int which, int who) {
	enum { DARWIN_PROCESS = 4 };
	if (which == DARWIN_PROCESS) return getenv("LOADER_BACKGROUND") != NULL;
	errno = 0;
	int priority = getpriority(which, who);
	return errno ? answer(-1) : priority;
}
static long io_policy(void) { return getenv("LOADER_BACKGROUND") ? 3 : 1; }

// IOPOL_TYPE_VFS_NOCACHE_WRITE_FS_BLKSIZE of the process is the one policy that is set, and it cannot be taken back.
int small_writes_direct;
static long set_io_policy(int type, int scope, int policy) {
	enum { SMALL_WRITES = 12, PROCESS = 0, ON = 1 };
	trace("setiopolicy_np(%d, %d, %d)", type, scope, policy);
	if (type != SMALL_WRITES || scope != PROCESS || policy != ON || getenv("LOADER_CACHED_WRITES")) return refuse(DARWIN_EINVAL);
	small_writes_direct = 1;
	return 0;
}

// The clocks that go on while the machine sleeps are 4 and 6, CLOCK_MONOTONIC_RAW and CLOCK_MONOTONIC.
static long read_clock(int clock, struct timespec *t) {
	switch (clock) {
	case 0: return clock_gettime(CLOCK_REALTIME, t);
	case 12: return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, t);
	case 4:
	case 6: return clock_gettime(CLOCK_BOOTTIME, t);
	default: return clock_gettime(CLOCK_MONOTONIC, t);
	}
}

static uint64_t ticks(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

// A tick is a nanosecond, as on Macs with Intel processors.
static int tick(uint32_t *ratio) {
	ratio[0] = ratio[1] = 1;
	return 0;
}

static int rest(unsigned microseconds) { return usleep(microseconds); }

static void random_bytes(uint8_t *p, size_t length) {
	while (length > 0) {
		ssize_t n = getrandom(p, length < 256 ? length : 256, 0);
		if (n > 0) p += n, length -= n;
	}
}

// Only a terminal has these two: its settings, which show Go that it is one, and its size.
static long control(int fd, unsigned long request, void *argument) {
	enum { GET_SETTINGS = 0x40487413, SETTINGS_BYTES = 72, GET_SIZE = 0x40087468 };
	struct termios settings;
	if (request == GET_SIZE) return answer(ioctl(fd, TIOCGWINSZ, argument));
	if (request != GET_SETTINGS) return refuse(DARWIN_ENOTTY);
	if (tcgetattr(fd, &settings) < 0) return answer(-1);
	memset(argument, 0, SETTINGS_BYTES);
	return 0;
}

// sysctl: settings by number, or first asked for the number of a name. These are the ones that Go and hubbench ask for.
enum { KERN = 1, HW = 6 };
static const struct {
	const char *name;
	int mib[2];
	const char *text; // of numbers, NULL
} settings[] = {{"kern.ostype", {KERN, 1}, "Darwin"}, {"kern.osrelease", {KERN, 2}, "24.4.0"}, {"kern.hostname", {KERN, 10}, ""},
	{"kern.osproductversion", {KERN, 138}, "15.4"}, {"hw.machine", {HW, 1}, "x86_64"}, {"hw.model", {HW, 2}, "Loader"},
	{"hw.ncpu", {HW, 3}, NULL}, {"hw.pagesize", {HW, 7}, NULL}, {"hw.perflevel0.logicalcpu", {HW, 1000}, NULL},
	{"kern.osversion", {KERN, 65}, "24E248"}, {"machdep.cpu.brand_string", {HW, 1001}, "Loader CPU"}, {"hw.optional.arm64", {HW, 1002}, NULL},
	{"sysctl.proc_translated", {HW, 1003}, NULL}};
enum { SETTINGS = sizeof settings / sizeof *settings };

static long give(void *old, size_t *size, const void *value, size_t length) {
	if (old) memcpy(old, value, length < *size ? length : *size);
	*size = length;
	return 0;
}

static long setting(int i, void *old, size_t *size) {
	char host[256];
	if (!strcmp(settings[i].name, "kern.hostname")) return gethostname(host, sizeof host) < 0 ? answer(-1) : give(old, size, host, strlen(host) + 1);
	if (settings[i].text) return give(old, size, settings[i].text, strlen(settings[i].text) + 1);
	int value = strcmp(settings[i].name, "hw.ncpu") ? 4096 : sysconf(_SC_NPROCESSORS_ONLN);
	if (settings[i].mib[1] >= 1000) { // what Apple silicon alone has
		if (!fast_cores()) return refuse(DARWIN_ENOENT);
		value = settings[i].mib[1] == 1000 ? fast_cores() : 1;
	}
	return give(old, size, &value, sizeof value);
}

static long system_setting(const int *mib, unsigned count, void *old, size_t *size, const char *set, size_t set_length) {
	int numbering = count == 2 && mib[0] == 0 && mib[1] == 3; // what is the number of this name?
	for (int i = 0; i < SETTINGS; i++) {
		if (numbering && strlen(settings[i].name) == set_length && !memcmp(settings[i].name, set, set_length))
			return give(old, size, settings[i].mib, sizeof settings[i].mib);
		if (!numbering && count == 2 && mib[0] == settings[i].mib[0] && mib[1] == settings[i].mib[1]) return setting(i, old, size);
	}
	trace("sysctl(%d.%d): no such setting", mib[0], mib[1]);
	return refuse(DARWIN_ENOENT);
}

static long setting_by_name(const char *name, void *old, size_t *size, void *set, size_t set_length) {
	(void)set, (void)set_length;
	for (int i = 0; i < SETTINGS; i++)
		if (!strcmp(settings[i].name, name)) return setting(i, old, size);
	trace("sysctl(%s): no such setting", name);
	return refuse(DARWIN_ENOENT);
}

const struct answer system_answers[] = {
	{"__error", error_place},
	{"execve", execute},
	{"fork", new_process},
	{"wait4", wait_for},
	{"getrusage", usage_of},
	{"setpgid", group},
	{"setsid", session},
	{"_exit", end},
	{"exit", end},
	{"getpid", getpid},
	{"getppid", getppid},
	{"getuid", getuid},
	{"geteuid", geteuid},
	{"getgid", getgid},
	{"getegid", getegid},
	{"getrlimit", limit},
	{"setrlimit", nothing},
	{"issetugid", nothing},
	{"getpriority", get_priority},
	{"getiopolicy_np", io_policy},
	{"setiopolicy_np", set_io_policy},
	{"clock_gettime", read_clock},
	{"mach_absolute_time", ticks},
	{"mach_timebase_info", tick},
	{"usleep", rest},
	{"arc4random_buf", random_bytes},
	{"ioctl", control},
	{"sysctl", system_setting},
	{"sysctlbyname", setting_by_name},
	{"notify_is_valid_token", nothing},       // Go calls these two before a fork alone, so that
	{"xpc_date_create_from_current", nothing}, // macOS's own libraries are set up
	{NULL, NULL},
};
