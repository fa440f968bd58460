package device

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sign is by what a running program is known to load disks.
type Sign int

// The signs.
const (
	Runs    Sign = iota // It runs only to do this.
	Worked              // a service, known by the processor time that it uses
	OnADisk             // It matters only while it works, and on a disk under test.
)

// Program is one that loads disks without being asked at that moment.
type Program struct {
	// names are patterns for path.Match, in lower case; Linux cuts names after 15 bytes.
	names string
	arg   string // arg is one of its arguments, if only that makes it one.
	Sign  Sign
	Does  string
	Try   string
}

const (
	letFinish   = "let it finish before measuring"
	pauseBackup = "pause the backup while you measure"
)

var programs = [...]Program{
	// Linux
	{"fsck* e2fsck xfs_repair", "", OnADisk, "checks a file system", letFinish},
	{"badblocks", "", OnADisk, "reads every block", letFinish},
	{"btrfs", "scrub", Runs, "scrubs a file system", "pause it with `btrfs scrub cancel`"},
	{"btrfs", "balance", Runs, "balances a file system", "pause it with `btrfs balance pause`"},
	{"md*_resync", "", Runs, "reads a RAID through", letFinish},
	{"fstrim", "", Runs, "trims file systems", letFinish},
	{"xfs_fsr e4defrag", "", Runs, "defragments file systems", letFinish},
	{"updatedb*", "", Runs, "lists all files", letFinish},
	{"tracker-miner-* localsearch*", "", Worked, "indexes files", letFinish},
	{"baloo_file*", "", Worked, "indexes files", "pause it with `balooctl6 suspend`"},
	// These exist on every system.
	{"rsync rclone robocopy.exe", "", OnADisk, "copies files", letFinish},
	{"borg restic kopia duplicity", "", OnADisk, "backs files up", pauseBackup},
	{"dd", "", OnADisk, "copies bytes", letFinish},
	{"fio", "", OnADisk, "measures a disk", letFinish},
	// macOS
	{"backupd", "", Worked, "makes a Time Machine backup", "stop it with `tmutil stopbackup`"},
	{
		"mds_stores mdworker*", "", Worked, "indexes for Spotlight",
		"let it finish, or take the disk out with `mdutil -i off /Volumes/NAME`",
	},
	{"mediaanalysisd", "", Worked, "looks at photographs", letFinish},
	{"bztransmit*", "", Worked, "backs files up", pauseBackup},
	// Windows
	{"defrag.exe", "", Runs, "defragments or trims drives", letFinish},
	{"chkdsk.exe", "", Runs, "checks a file system", letFinish},
	{"wbengine.exe", "", Runs, "makes a backup", pauseBackup},
	{"vssvc.exe", "", Worked, "makes shadow copies", letFinish},
	{"msmpeng.exe", "", Worked, "looks for malware",
		"let it finish, or exclude the folder under test in Windows Security"},
	{"mpcmdrun.exe", "", Runs, "looks for malware", letFinish},
	{"searchindexer.exe", "", Worked, "indexes files", letFinish},
}

// Program finds the process in the table of programs that load disks; nil if it is none of them.
func (p Process) Program() *Program {
	for i := range programs {
		for pattern := range strings.FieldsSeq(programs[i].names) {
			match, _ := path.Match(pattern, strings.ToLower(p.Name))
			arg := programs[i].arg
			if match && (arg == "" || p.Args == nil || slices.Contains(p.Args, arg)) {
				return &programs[i]
			}
		}
	}
	return nil
}

// Process is a running program, as far as the system reports.
type Process struct {
	PID    int
	Name   string        // Name is the program's, without its folder.
	Args   []string      // what it was started with; nil for any
	Places []string      // Places are the folders and files that it works in, if visible.
	CPU    time.Duration // processor time that it has used
	Busy   float64       // Busy is how many cores it kept busy while it was watched.

	Blocked bool // It waits for a disk, when it was looked at.
}

// Between returns the processes of the later list with the work that they did since the earlier
// one.
func Between(earlier, later []Process, passed time.Duration) []Process {
	used := map[int]Process{}
	for _, p := range earlier {
		used[p.PID] = p
	}
	for i := range later {
		p := &later[i]
		before := used[p.PID]
		if before.Name != p.Name {
			before.CPU = 0 // The number was another one's.
		}
		p.Blocked = p.Blocked || before.Blocked && before.Name == p.Name
		p.Busy = (p.CPU - before.CPU).Seconds() / passed.Seconds()
	}
	return later
}

// linuxTick is Linux's unit of processor time in /proc, on every architecture: sysconf(_SC_CLK_TCK)
// is 100.
const linuxTick = 10 * time.Millisecond

// procProcesses reads Linux's /proc. What belongs to others may be hidden; what is gone meanwhile
// is left out.
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
		if p.Program() != nil {
			// It is empty if it may not be seen.
			args, _ := fs.ReadFile(proc, path.Join(entry.Name(), "cmdline"))
			p.Args = strings.FieldsFunc(string(args), func(r rune) bool { return r == 0 })
			p.Places = procPlaces(proc, entry.Name())
		}
		list = append(list, p)
	}
	return list, nil
}

// parseStat takes a program's name, state and processor time from /proc/PID/stat: the name is in
// brackets and may hold any character, the state is the first field after it, and utime and stime
// are the 12th and 13th (proc_pid_stat(5)).
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

// procPlaces returns the folder that a process is in and the files that it has open, as far as this
// user may know.
func procPlaces(proc fs.FS, pid string) []string {
	var places []string
	open, _ := fs.Glob(proc, path.Join(pid, "fd", "*")) // The pattern is well formed.
	for _, link := range append([]string{path.Join(pid, "cwd")}, open...) {
		if target, err := fs.ReadLink(proc, link); err == nil && path.IsAbs(target) {
			places = append(places, target)
		}
	}
	return places
}

// parsePS takes processes from `ps -Axo pid=,time=,command=` of macOS: a number, the processor time
// in minutes:seconds with the decimal mark of the person's language, and the command with its
// arguments.
func parsePS(out []byte) []Process {
	var list []Process
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if len(fields) < 3 {
			continue
		}
		pid, err := strconv.Atoi(fields[0])
		minutes := strings.NewReplacer(":", "m", ",", ".").Replace(fields[1])
		clock, clockErr := time.ParseDuration(minutes + "s")
		if err != nil || clockErr != nil {
			continue
		}
		list = append(list, Process{
			PID: pid, Name: path.Base(fields[2]), Args: fields[2:], CPU: clock,
		})
	}
	return list
}

// linuxPowerSaving says how Linux holds the processor back to save power, from sysfs; empty if it
// does not. The governor "powersave" means the lowest frequency, except with drivers that choose by
// themselves, for which it is the usual one and the preference shows it:
// https://docs.kernel.org/admin-guide/pm/intel_pstate.html and amd-pstate.html.
func linuxPowerSaving(sys fs.FS) string {
	cpus, err := fs.Glob(sys, "devices/system/cpu/cpu[0-9]*/cpufreq")
	if err != nil || len(cpus) == 0 {
		return ""
	}
	read := func(name string) string {
		text, err := fs.ReadFile(sys, path.Join(cpus[0], name))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	}
	driver, governor := read("scaling_driver"), read("scaling_governor")
	chooses := driver == "intel_pstate" ||
		strings.HasPrefix(strings.ReplaceAll(driver, "_", "-"), "amd-pstate")
	if preference := read("energy_performance_preference"); chooses && preference == "power" {
		return "energy preference " + preference
	}
	if governor == "powersave" && !chooses {
		return "governor " + governor
	}
	return ""
}

// macPowerSaving reads `pmset -g` of macOS: lowpowermode is 1 in Low Power Mode, of which powermode
// 1 is another name.
func macPowerSaving(out []byte) string {
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if len(fields) >= 2 && (fields[0] == "lowpowermode" || fields[0] == "powermode") &&
			fields[1] == "1" {
			return "Low Power Mode"
		}
	}
	return ""
}

// saverScheme is the power plan "Power saver" in every language: Windows' GUID_MAX_POWER_SAVINGS.
const saverScheme = "a1841308-3541-4fab-bc81-f71556f20b4a"

// windowsPowerSaving reads `powercfg /getactivescheme` of Windows.
func windowsPowerSaving(out []byte) string {
	if bytes.Contains(bytes.ToLower(out), []byte(saverScheme)) {
		return "power plan Power saver"
	}
	return ""
}
