package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/testdisk"
)

// tree is hubbench and all processes that it has started, known by the folder for temporary files that is theirs alone: one
// that lost its parent still has it.
type tree struct {
	temp string
	log  string         // the run's, to which its workers' collectors write
	disk *testdisk.Disk // nil: simulated disks
}

// use is what a tree has of the machine at one time.
type use struct {
	at        time.Duration
	processes int
	own       int64 // bytes of memory that are its own, of hubbench itself
	others    int64 // and of the processes that it has started
	heap      int64 // what the collector last found alive in hubbench itself, in whole megabytes
	heaps     int64 // and in its workers
	files     int   // descriptors of all processes
	threads   int
	temporary int // files
	loops     int
	mounts    int
}

// command is hubbench as the root of the tree, which says on stderr what its garbage collector finds.
func (tr *tree) command(t *testing.T, args ...string) (*exec.Cmd, *heapLog) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), *hubbenchProgram, args...)
	// The collector's account costs nothing and gives the heap of a program as it is delivered.
	cmd.Env = append(os.Environ(), "TMPDIR="+tr.temp, "GODEBUG=gctrace=1", "GORACE=atexit_sleep_ms=0")
	log := new(heapLog)
	cmd.Stdout, cmd.Stderr = log, log
	return cmd, log
}

// pids are the living processes of the tree.
func (tr *tree) pids() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range all {
		env, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(env, []byte("TMPDIR="+tr.temp+"\x00")) {
			continue // it has ended meanwhile, or is another's
		}
		if pid, err := strconv.Atoi(strings.Split(name, "/")[2]); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// look is what the tree has now. Root is hubbench itself, 0 if it has ended.
func (tr *tree) look(root int) use {
	var u use
	for _, pid := range tr.pids() {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		u.processes++
		u.threads += int(statusField(status, "Threads"))
		if own := statusField(status, "RssAnon") << 10; pid == root {
			u.own = own
		} else {
			u.others += own
		}
		open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)) // none of a process that has just ended
		u.files += len(open)
	}
	_ = filepath.WalkDir(tr.temp, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			u.temporary++
		}
		return nil
	})
	if tr.disk != nil {
		u.loops = len(testdisk.LoopsIn(tr.disk.Dir))
		u.mounts = len(testdisk.MountsIn(tr.disk.Dir))
	}
	return u
}

// statusField is a number in /proc/PID/status.
func statusField(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte(name+":"))
	value, _, _ := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte("\n"))
	number, _, _ := bytes.Cut(value, []byte(" "))
	n, _ := strconv.ParseInt(string(number), 10, 64)
	return n
}

// heapLog takes what hubbench writes, and finds the collector's account in it.
type heapLog struct {
	mu    sync.Mutex
	said  bytes.Buffer // but for that account
	part  []byte
	alive int64
}

var (
	collection       = regexp.MustCompile(`^gc \d+ @.*->(\d+) MB, `)
	workerCollection = regexp.MustCompile(`"disk":"([^"]*)","text":"gc \d+ @[^"]*->(\d+) MB, `)
)

// workerHeap is what the collectors of the latest workers last found alive.
func (tr *tree) workerHeap() (sum int64) {
	log, _ := os.ReadFile(tr.log) // none yet: none were heard
	alive := map[string]int64{}
	for _, m := range workerCollection.FindAllSubmatch(log, -1) {
		mb, _ := strconv.ParseInt(string(m[2]), 10, 64)
		alive[string(m[1])] = mb << 20
	}
	for _, heap := range alive {
		sum += heap
	}
	return sum
}

func (h *heapLog) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.part = append(h.part, p...)
	for {
		line, rest, ok := bytes.Cut(h.part, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		if m := collection.FindSubmatch(line); m != nil {
			mb, _ := strconv.ParseInt(string(m[1]), 10, 64)
			h.alive = mb << 20
		} else if h.said.Len() < 1<<20 {
			h.said.Write(append(line, '\n'))
		}
		h.part = rest
	}
}

func (h *heapLog) heap() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.alive
}

func (h *heapLog) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.said.String()
}
