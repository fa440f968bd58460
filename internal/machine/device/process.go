package device

import (
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// Process is a running program, as far as the system reports.
type Process struct {
	PID    int
	Name   string        // of the program, without its folder
	Args   []string      // it was started with
	Places []string      // folders and files that it works in, if they can be seen
	CPU    time.Duration // it has used
	Busy   float64       // cores' worth of work while it was watched

	Blocked bool // it waits for a disk, when it was looked at
}

// between are the processes of the later list with the work that they did since the earlier one.
func between(earlier, later []Process, passed time.Duration) []Process {
	used := map[int]Process{}
	for _, p := range earlier {
		used[p.PID] = p
	}
	for i := range later {
		p := &later[i]
		before := used[p.PID]
		if before.Name != p.Name {
			before.CPU = 0 // another one's number
		}
		p.Blocked = p.Blocked || before.Blocked && before.Name == p.Name
		p.Busy = (p.CPU - before.CPU).Seconds() / passed.Seconds()
	}
	return later
}

// linuxTick is Linux's unit of processor time in /proc, on every architecture: sysconf(_SC_CLK_TCK) is 100.
const linuxTick = 10 * time.Millisecond

// procProcesses reads Linux's /proc. What belongs to others may be hidden; what is gone meanwhile is left out.
func procProcesses(proc fs.FS) ([]Process, error) {
	entries, err := fs.ReadDir(proc, ".")
	if err != nil {
		return nil, err
	}
	var list []Process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := fs.ReadFile(proc, path.Join(entry.Name(), "stat"))
		if err != nil {
			continue
		}
		p, ok := parseStat(stat)
		if !ok {
			continue
		}
		p.PID = pid
		if known(p.Name) {
			args, _ := fs.ReadFile(proc, path.Join(entry.Name(), "cmdline")) // empty if it may not be seen
			p.Args = strings.FieldsFunc(string(args), func(r rune) bool { return r == 0 })
			p.Places = procPlaces(proc, entry.Name())
		}
		list = append(list, p)
	}
	return list, nil
}

// parseStat takes a program's name, state and processor time from /proc/PID/stat: the name is in brackets and may hold any
// character, the state is the first field after it, and utime and stime are the 12th and 13th (proc_pid_stat(5)).
func parseStat(stat []byte) (Process, bool) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return Process{}, false
	}
	p := Process{Name: string(stat[open+1 : end])}
	fields := strings.Fields(string(stat[end+1:]))
	for _, i := range []int{11, 12} {
		if i >= len(fields) {
			return Process{}, false
		}
		ticks, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return Process{}, false
		}
		p.CPU += time.Duration(ticks) * linuxTick
	}
	p.Blocked = fields[0] == "D"
	return p, true
}

// procPlaces are the folder that a process is in and the files that it has open, as far as this user may know.
func procPlaces(proc fs.FS, pid string) []string {
	var places []string
	add := func(link string) {
		if target, err := fs.ReadLink(proc, link); err == nil && path.IsAbs(target) {
			places = append(places, target)
		}
	}
	add(path.Join(pid, "cwd"))
	open, err := fs.ReadDir(proc, path.Join(pid, "fd"))
	if err != nil {
		return places
	}
	for _, fd := range open {
		add(path.Join(pid, "fd", fd.Name()))
	}
	return places
}

// parsePS takes processes from `ps -Axo pid=,time=,command=` of macOS: a number, the processor time as minutes:seconds
// with hours and days before it if there are any, and the command with its arguments.
func parsePS(out []byte) []Process {
	var list []Process
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if len(fields) < 3 {
			continue
		}
		pid, err := strconv.Atoi(fields[0])
		used, ok := parseCPUTime(fields[1])
		if err != nil || !ok {
			continue
		}
		list = append(list, Process{PID: pid, Name: path.Base(fields[2]), Args: fields[2:], CPU: used})
	}
	return list
}

// parseCPUTime reads [[days-]hours:]minutes:seconds, with hundredths.
func parseCPUTime(s string) (time.Duration, bool) {
	var parts []string // days, hours, minutes, seconds
	days, rest, ok := strings.Cut(s, "-")
	if !ok {
		days, rest = "0", s
	}
	switch parts = strings.Split(rest, ":"); len(parts) {
	case 2:
		parts = append([]string{days, "0"}, parts...)
	case 3:
		parts = append([]string{days}, parts...)
	default:
		return 0, false
	}
	var seconds float64
	for i, unit := range []float64{24 * 3600, 3600, 60, 1} {
		v, err := strconv.ParseFloat(parts[i], 64)
		if err != nil || !(v >= 0 && v < 1e6) {
			return 0, false
		}
		seconds += v * unit
	}
	return time.Duration(seconds * float64(time.Second)), true
}
