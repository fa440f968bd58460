// Loader runs a Go program for macOS on Intel (darwin/amd64, without cgo) on Linux, as far as tests need it:
//
//	gcc -O1 -o loader *.c -lpthread && ./loader PROGRAM ARGUMENT...
//
// Such a program asks nothing of the kernel itself: it calls the 120 or so functions of libSystem that its Mach-O file
// names. The loader maps the file where it wants to lie, binds each name to a function here that answers by means of Linux,
// and jumps to its start. What runs is our own code for macOS, byte for byte, with macOS's numbers, structures and errors.
// It is not Apple's kernel: it says nothing of speeds, and of cache and timers only what is programmed here.
//
// What is answered: files.c (files and folders), events.c (kqueue), threads.c (threads and memory), signals.c, system.c
// (processes, clocks, settings), machine.c (cores, tools). Any other function fails with ENOSYS. What macOS does and Linux does not can be provoked:
//
//	LOADER_EXFAT=DIR       files below DIR answer as exFAT does on macOS 12 and 13: F_FULLFSYNC fails with ENOTTY
//	                       (restic#4016), F_PREALLOCATE with ENOTSUP
//	LOADER_FAT_FILLS=DIR   below DIR is exFAT as later ones have it: it preallocates, and fills files that grow with zeros
//	LOADER_TWINS=DIR       volumes below DIR hold no extended attributes: each file and folder gets an AppleDouble twin
//	LOADER_NO_MAPPING=DIR  files below DIR cannot be mapped into memory: ENODEV, as with some drivers for NTFS
//	LOADER_DENY=DIR        files below DIR cannot be opened: EPERM, as on a removable volume before a person consents
//	LOADER_CACHED_WRITES=1 setiopolicy_np knows no way for small writes past the cache, as before macOS 14
//	LOADER_BACKGROUND=1    the process is in the background, its requests held back
//	LOADER_CORES=EEPP      a Mac with Apple silicon, on which Rosetta translates the program; a core for each letter, of
//	                       which the performance cores (P) are busy and the others idle
//	LOADER_TOOLS=DIR       the tools of /bin, /sbin, /usr/bin and /usr/sbin that are in DIR are those
//	LOADER_TRACE=1         each call that macOS alone has, and each name without an answer, is reported on stderr
//
// The structures of the file are those of Apple's <mach-o/loader.h>.
#include "loader.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

char loader[PATH_MAX], program[PATH_MAX];

void trace(const char *format, ...) {
	const char *wanted = getenv("LOADER_TRACE");
	if (!wanted || !*wanted) return;
	va_list list;
	va_start(list, format);
	dprintf(2, "[loader] ");
	vdprintf(2, format, list);
	dprintf(2, "\n");
	va_end(list);
}

static void die(const char *what) {
	dprintf(2, "loader: %s: %s\n", program, what);
	_exit(126);
}

static long unanswered(void) { return refuse(DARWIN_ENOSYS); }

static void *find(const char *name) {
	static const struct answer *const all[] = {file_answers, event_answers, thread_answers, signal_answers, system_answers,
		machine_answers};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (const struct answer *a = all[i]; a->name; a++)
			if (*name == '_' && !strcmp(a->name, name + 1)) return a->function;
	trace("no answer for %s", name);
	return unanswered;
}

static uint64_t segments[16]; // where each begins
static int segment_count;

// uleb reads a number of seven bits a byte.
static uint64_t uleb(const uint8_t **p) {
	uint64_t value = 0;
	int shift = 0;
	do {
		value |= (uint64_t)(**p & 0x7f) << shift;
		shift += 7;
	} while (*(*p)++ & 0x80);
	return value;
}

// bind carries out the file's instructions as to which pointer is to hold the address of which function.
static void bind(const uint8_t *p, const uint8_t *end) {
	const char *name = NULL;
	uint64_t at = 0;
	while (p < end) {
		uint8_t opcode = *p & 0xf0, operand = *p & 0x0f;
		p++;
		switch (opcode) {
		case 0x20: // which library: there is one
		case 0x60: // a number to add: there are none to functions
			uleb(&p);
			break;
		case 0x40: // name
			name = (const char *)p;
			p += strlen(name) + 1;
			break;
		case 0x70: // place
			if (operand >= segment_count) die("binds in a segment it does not have");
			at = segments[operand] + uleb(&p);
			break;
		case 0x80: // move on
			at += uleb(&p);
			break;
		case 0x90: // bind, and move to the next pointer; two forms move further
		case 0xa0:
		case 0xb0:
			*(void **)at = find(name);
			at += 8 + (opcode == 0xa0 ? uleb(&p) : opcode == 0xb0 ? 8 * operand : 0);
			break;
		case 0xc0: { // bind that many, so far apart
			uint64_t count = uleb(&p), skip = uleb(&p);
			for (; count > 0; count--, at += 8 + skip) *(void **)at = find(name);
			break;
		}
		}
	}
}

struct segment {
	uint32_t command, size;
	char name[16];
	uint64_t address, length, offset, stored;
};

// map puts a segment where it wants to lie: the file's own pages, copied if they are written to, and zeros after them.
static void map(const struct segment *s, int fd) {
	if (segment_count == sizeof segments / sizeof *segments) die("more segments than expected");
	segments[segment_count++] = s->address;
	if (s->address == 0 || s->length == 0) return; // the page at 0, which stays unmapped
	void *want = (void *)s->address;
	if (mmap(want, s->length, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != want)
		die("the addresses it wants are taken");
	if (s->stored == 0) return;
	if (mmap(want, s->stored, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, s->offset) != want) die(strerror(errno));
	uint64_t end = s->address + s->stored;
	memset((void *)end, 0, -end % getpagesize());
}

// load maps and binds the program and returns where it starts.
static uint64_t load(const uint8_t *file, int fd) {
	enum { SEGMENT = 0x19, UNIX_THREAD = 0x5, DYLD_INFO = 0x80000022, AMD64 = 0x01000007 };
	const uint32_t *header = (const uint32_t *)file, *info = NULL;
	if (header[0] != 0xfeedfacf || header[1] != AMD64) die("not a program for macOS on Intel");
	const uint8_t *command = file + 32;
	uint64_t entry = 0;
	for (uint32_t i = 0; i < header[4]; i++) {
		const uint32_t *c = (const uint32_t *)command;
		if (c[0] == SEGMENT) map((const struct segment *)command, fd);
		if (c[0] == UNIX_THREAD) entry = *(const uint64_t *)(command + 16 + 16 * 8); // rip is the 17th register
		if (c[0] == DYLD_INFO) info = c;
		command += c[1];
	}
	if (!entry || !info) die("not linked by Go itself: build it with CGO_ENABLED=0");
	bind(file + info[4], file + info[4] + info[5]); // at once
	bind(file + info[8], file + info[8] + info[9]); // when first called
	return entry;
}

// start jumps to the program with the stack as macOS's kernel lays it out: the number of arguments, these, the
// environment, and what Apple adds, of which Go reads executable_path.
static void start(uint64_t entry, int count, char **arguments, char **environment) {
	static char path[PATH_MAX + 20];
	snprintf(path, sizeof path, "executable_path=%s", program);
	size_t variables = 0;
	while (environment[variables]) variables++;
	size_t bytes = (1 + count + 1 + variables + 1 + 2) * 8;
	uint64_t *stack = aligned_alloc(16, (bytes + 15) & ~15ul), *p = stack;
	*p++ = count;
	for (int i = 0; i < count; i++) *p++ = (uint64_t)arguments[i];
	*p++ = 0;
	for (size_t i = 0; i < variables; i++) *p++ = (uint64_t)environment[i];
	*p++ = 0;
	*p++ = (uint64_t)path;
	*p = 0;
	uint64_t *top = __builtin_alloca(bytes + 16);
	top = (uint64_t *)(((uint64_t)top + 15) & ~15ul);
	memcpy(top, stack, bytes);
	__asm__ volatile("mov %0, %%rsp; xor %%rbp, %%rbp; jmp *%1" ::"r"(top), "r"(entry) : "memory");
}

int main(int count, char **arguments) {
	if (count < 2) {
		dprintf(2, "usage: loader PROGRAM ARGUMENT...\n");
		return 2;
	}
	if (readlink("/proc/self/exe", loader, sizeof loader - 1) < 0 || !realpath(arguments[1], program)) {
		perror(arguments[1]);
		return 127;
	}
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	struct stat info;
	if (fd < 0 || fstat(fd, &info) < 0) {
		perror(program);
		return 127;
	}
	uint8_t *file = mmap(NULL, info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED) die(strerror(errno));
	// Go interrupts long loops by SIGURG, for which the handler would need all registers as macOS saves them.
	setenv("GODEBUG", "asyncpreemptoff=1", 0);
	uint64_t entry = load(file, fd);
	munmap(file, info.st_size);
	close(fd);
	new_thread();
	start(entry, count - 1, arguments + 1, environ);
}
