// What the parts of the loader share. Start at macho.c.
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// An answer is the function that stands in for one of libSystem's.
struct answer {
	const char *name;
	void *function;
};

// Each ends with an empty one.
extern const struct answer file_answers[], event_answers[], thread_answers[], signal_answers[], system_answers[],
	machine_answers[];

// Errors as macOS numbers them, from its <sys/errno.h>.
enum { DARWIN_EPERM = 1, DARWIN_ENOENT = 2, DARWIN_ENODEV = 19, DARWIN_EINVAL = 22, DARWIN_ENOTTY = 25, DARWIN_ENOTSUP = 45, DARWIN_ENOSYS = 78 };

// darwin_error is macOS's number for one of Linux's errors.
int darwin_error(int linux_error);

// answer passes on what a call of Linux returned; after -1 the caller finds the error where macOS puts it.
long answer(long result);

// refuse fails a call with an error of macOS.
long refuse(int error);

// trace prints a call, if LOADER_TRACE is set.
void trace(const char *format, ...);

// loader is the path of this program, and program that of the one it runs.
extern char loader[], program[];

// provoke_file says that the setting names a folder that the open file, or the path, lies in.
int provoke_file(const char *setting, int fd);
int provoke_path(const char *setting, int folder, const char *path);

// tool is where the tool of a path stands: below LOADER_TOOLS if it is there, with room for the path.
const char *tool(const char *path, char *room);

// fast_cores is how many performance cores LOADER_CORES has.
int fast_cores(void);

// new_thread gives the calling thread the storage that Go keeps its goroutine in.
void new_thread(void);

// A kqueue's descriptor is closed: what belongs to it goes with it.
void forget_queue(int fd);

// linux_signal and darwin_signal translate the numbers of signals; 0 is none.
int linux_signal(int darwin);
int darwin_signal(int number);

// The process has asked for its direct writes of single blocks to pass the cache.
extern int small_writes_direct;
