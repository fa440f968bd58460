// Signals: macOS numbers them otherwise, and hands a handler other structures.
#include "loader.h"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

// Linux's number of each of macOS's signals; 0 if Linux has none (SIGEMT, SIGINFO).
static const int numbers[32] = {0, 1, 2, 3, 4, 5, 6, 0, 8, 9, SIGBUS, 11, SIGSYS, 13, 14, 15, SIGURG, SIGSTOP, SIGTSTP, SIGCONT, SIGCHLD,
	SIGTTIN, SIGTTOU, SIGIO, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGWINCH, 0, SIGUSR1, SIGUSR2};

enum { DARWIN_SIGURG = 16 };

int linux_signal(int darwin) { return darwin > 0 && darwin < 32 ? numbers[darwin] : 0; }

int darwin_signal(int number) {
	for (int i = 1; i < 32; i++)
		if (numbers[i] == number) return i;
	return 0;
}

typedef void (*handler)(int, void *, void *);

struct darwin_action {
	handler function;
	uint32_t mask;
	int flags;
};

static struct darwin_action actions[32];

struct darwin_info {
	int32_t number, error, code, pid;
	uint32_t uid;
	int32_t status;
	uint64_t address, value;
	int64_t band;
	uint64_t pad[7];
};

// The registers that Go reads and, when a fault becomes a panic, writes: in macOS's order, with Linux's index of each.
enum { REGISTERS = 17 };
static const int registers[REGISTERS] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RDI, REG_RSI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10,
	REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

struct darwin_machine {
	uint64_t exception[2], registers[REGISTERS], rest[80];
};

struct darwin_context {
	int32_t on_stack;
	uint32_t mask;
	uint64_t stack[3];
	void *link;
	uint64_t size;
	struct darwin_machine *machine;
};

static void deliver(int number, siginfo_t *info, void *context) {
	greg_t *here = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct darwin_machine machine = {0};
	struct darwin_context there = {.size = sizeof machine, .machine = &machine};
	int signal = darwin_signal(number);
	struct darwin_info told = {.number = signal, .code = 0x10001}; // SI_USER
	if (info->si_code > 0) {
		told.code = info->si_code;
		told.address = (uint64_t)info->si_addr;
	}
	for (int i = 0; i < REGISTERS; i++) machine.registers[i] = here[registers[i]];
	actions[signal].function(signal, &told, &there);
	for (int i = 0; i < REGISTERS; i++) here[registers[i]] = machine.registers[i];
}

static long set_action(int signal, const struct darwin_action *set, struct darwin_action *old) {
	int number = linux_signal(signal);
	struct sigaction a;
	if (signal < 1 || signal > 31) return refuse(DARWIN_EINVAL);
	if (old) {
		*old = actions[signal];
		// A program may be started with signals ignored.
		if (number && !old->function && !sigaction(number, NULL, &a) && a.sa_handler == SIG_IGN) old->function = (void *)SIG_IGN;
	}
	if (!set) return 0;
	actions[signal] = *set;
	if (!number || signal == DARWIN_SIGURG) return 0;
	memset(&a, 0, sizeof a);
	if (set->function == (void *)SIG_DFL || set->function == (void *)SIG_IGN) {
		a.sa_handler = (void *)set->function;
	} else {
		a.sa_sigaction = deliver;
		a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
		sigfillset(&a.sa_mask);
	}
	return answer(sigaction(number, &a, NULL));
}

// set_mask blocks and unblocks; a set is 32 bits in macOS.
static int set_mask(int how, const uint32_t *set, uint32_t *old) {
	sigset_t here, before;
	sigemptyset(&here);
	for (int i = 1; set && i < 32; i++)
		if (*set >> (i - 1) & 1 && linux_signal(i)) sigaddset(&here, linux_signal(i));
	int error = pthread_sigmask(how - 1, set ? &here : NULL, &before); // macOS counts SIG_BLOCK from 1
	if (!error && old) {
		*old = 0;
		for (int i = 1; i < 32; i++)
			if (linux_signal(i) && sigismember(&before, linux_signal(i))) *old |= 1u << (i - 1);
	}
	return darwin_error(error);
}

struct darwin_stack {
	void *pointer;
	size_t size;
	int flags;
};

static long set_stack(const struct darwin_stack *set, struct darwin_stack *old) {
	enum { DISABLE = 4 };
	stack_t here, before;
	if (set) here = (stack_t){.ss_sp = set->pointer, .ss_size = set->size, .ss_flags = set->flags & DISABLE ? SS_DISABLE : 0};
	int result = sigaltstack(set ? &here : NULL, &before);
	if (result == 0 && old) *old = (struct darwin_stack){before.ss_sp, before.ss_size, before.ss_flags & SS_DISABLE ? DISABLE : 0};
	return answer(result);
}

static long send(int process, int signal) { return answer(kill(process, linux_signal(signal))); }

static int send_to_thread(pthread_t thread, int signal) {
	return signal == DARWIN_SIGURG ? 0 : darwin_error(pthread_kill(thread, linux_signal(signal)));
}

static int send_to_self(int signal) { return raise(linux_signal(signal)); }

const struct answer signal_answers[] = {
	{"sigaction", set_action},
	{"pthread_sigmask", set_mask},
	{"sigaltstack", set_stack},
	{"kill", send},
	{"pthread_kill", send_to_thread},
	{"raise", send_to_self},
	{NULL, NULL},
};
