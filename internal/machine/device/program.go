package device

import (
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// sign is by what a running program is known.
type sign int

const (
	runs    sign = iota // it runs only to do this
	worked              // it is a service: by the processor time that it uses
	onADisk             // it matters only while it works, and on a disk under test
)

// program is one that loads disks.
type program struct {
	names string // patterns as path.Match takes them, in lower case; Linux cuts names after 15 bytes
	arg   string // one of its arguments, if only that makes it one
	sign  sign
	does  string
	try   string
}

const (
	letFinish   = "let it finish before measuring"
	pauseBackup = "pause the backup while you measure"
)

// programs are those that load disks without being asked at that moment.
var programs = [...]program{
	// Linux
	{"fsck* e2fsck xfs_repair", "", onADisk, "checks a file system", letFinish},
	{"badblocks", "", onADisk, "reads every block", letFinish},
	{"btrfs", "scrub", runs, "scrubs a file system", "pause it with `btrfs scrub cancel`"},
	{"btrfs", "balance", runs, "balances a file system", "pause it with `btrfs balance pause`"},
	{"md*_resync", "", runs, "reads a RAID through", letFinish},
	{"fstrim", "", runs, "trims file systems", letFinish},
	{"xfs_fsr e4defrag", "", runs, "defragments file systems", letFinish},
	{"updatedb*", "", runs, "lists all files", letFinish},
	{"tracker-miner-* localsearch*", "", worked, "indexes files", letFinish},
	{"baloo_file*", "", worked, "indexes files", "pause it with `balooctl6 suspend`"},
	// of every system
	{"rsync rclone robocopy.exe", "", onADisk, "copies files", letFinish},
	{"borg restic kopia duplicity", "", onADisk, "backs files up", pauseBackup},
	{"dd", "", onADisk, "copies bytes", letFinish},
	{"fio", "", onADisk, "measures a disk", letFinish},
	// macOS
	{"backupd", "", worked, "makes a Time Machine backup", "stop it with `tmutil stopbackup`"},
	{
		"mds_stores mdworker*", "", worked, "indexes for Spotlight",
		"let it finish, or take the disk out with `mdutil -i off /Volumes/NAME`",
	},
	{"mediaanalysisd", "", worked, "looks at photographs", letFinish},
	{"bztransmit*", "", worked, "backs files up", pauseBackup},
	// Windows
	{"defrag.exe", "", runs, "defragments or trims drives", letFinish},
	{"chkdsk.exe", "", runs, "checks a file system", letFinish},
	{"wbengine.exe", "", runs, "makes a backup", pauseBackup},
	{"vssvc.exe", "", worked, "makes shadow copies", letFinish},
	{"msmpeng.exe", "", worked, "looks for malware", "let it finish, or exclude the folder under test in Windows Security"},
	{"mpcmdrun.exe", "", runs, "looks for malware", letFinish},
	{"searchindexer.exe", "", worked, "indexes files", letFinish},
}

// atWork is the part of a core that an active service uses at least.
const atWork = 0.05

// programOf finds a process in the table, and the pattern of its name; nil if it is none that loads disks.
func programOf(p Process) (*program, string) {
	for i := range programs {
		for pattern := range strings.FieldsSeq(programs[i].names) {
			match, _ := path.Match(pattern, strings.ToLower(p.Name))
			if arg := programs[i].arg; match && (arg == "" || p.Args == nil || slices.Contains(p.Args, arg)) {
				return &programs[i], pattern
			}
		}
	}
	return nil, ""
}

// known reports whether a program of that name may be in the table.
func known(name string) bool {
	program, _ := programOf(Process{Name: name})
	return program != nil
}

// judgePrograms asks whether a program is running that loads disks.
func (e *evidence) judgePrograms() {
	reported := map[string]bool{} // once for all processes of a program
	for _, p := range e.processes {
		program, pattern := programOf(p)
		if program == nil {
			continue
		}
		if program.sign == worked && p.Busy < atWork || program.sign == onADisk && p.Busy == 0 && !p.Blocked {
			continue
		}
		disks := []scenario.Disk{{}} // none: it loads all
		if program.sign == onADisk {
			disks = e.plan.Disks
		}
		for _, e.disk = range disks {
			place, real := e.places[e.disk.Name]
			key := pattern + e.disk.Name
			if reported[key] || program.sign == onADisk && !(real && e.worksOn(p, place)) {
				continue
			}
			reported[key] = true
			on := ", which loads disks"
			if program.sign == onADisk {
				on = " on it"
			}
			e.warn("background", "%s (process %d) %s%s; %s", p.Name, p.PID, program.does, on, program.try)
		}
	}
}

// worksOn reports whether a process has to do with a disk under test: with its volume, or with the device.
func (e *evidence) worksOn(p Process, place Place) bool {
	devices := []string{place.Source}
	if own, _ := e.machine.Holding(place.Path); own != nil {
		devices = append(devices, "/dev/"+own.Name)
	}
	for _, arg := range slices.Concat(p.Args, p.Places) {
		if _, value, ok := strings.Cut(arg, "="); ok { // dd's of=, long options
			arg = value
		}
		if arg != "" && slices.Contains(devices, arg) || within(arg, place.Mount) || within(arg, place.Path) {
			return true
		}
	}
	return false
}

// within reports whether a path is a folder or below it. All paths are below the root: that says nothing.
func within(name, folder string) bool {
	if folder == "" || filepath.Clean(folder) == filepath.Dir(folder) || !filepath.IsAbs(name) {
		return false
	}
	rest, err := filepath.Rel(folder, name)
	return err == nil && filepath.IsLocal(rest)
}

// Process is a running program, as far as the system reports.
type Process struct {
	PID    int
	Name   string        // of the program, without its folder
	Args   []string      // it was started with; nil: any
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

// parseStat takes a program's name, state and processor time from /proc/PID/stat: the name is in brackets and may
// hold any character, the state is the first field after it, and utime and stime are the 12th and 13th
// (proc_pid_stat(5)).
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
	open, _ := fs.Glob(proc, path.Join(pid, "fd", "*")) // the pattern is well formed
	for _, link := range append([]string{path.Join(pid, "cwd")}, open...) {
		if target, err := fs.ReadLink(proc, link); err == nil && path.IsAbs(target) {
			places = append(places, target)
		}
	}
	return places
}

// parsePS takes processes from `ps -Axo pid=,time=,command=` of macOS: a number, the processor time in minutes:seconds
// with the decimal mark of the person's language, and the command with its arguments.
func parsePS(out []byte) []Process {
	var list []Process
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if len(fields) < 3 {
			continue
		}
		pid, err := strconv.Atoi(fields[0])
		clock, clockErr := time.ParseDuration(strings.NewReplacer(":", "m", ",", ".").Replace(fields[1]) + "s")
		if err != nil || clockErr != nil {
			continue
		}
		list = append(list, Process{PID: pid, Name: path.Base(fields[2]), Args: fields[2:], CPU: clock})
	}
	return list
}

// governed says how Linux holds the processor back to save power, from sysfs; empty if it does not. The governor
// "powersave" means the lowest frequency, except with drivers that choose by themselves, for which it is the usual
// one and the preference shows it: https://docs.kernel.org/admin-guide/pm/intel_pstate.html and amd-pstate.html.
func governed(sys fs.FS) string {
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
	chooses := driver == "intel_pstate" || strings.HasPrefix(strings.ReplaceAll(driver, "_", "-"), "amd-pstate")
	if preference := read("energy_performance_preference"); chooses && preference == "power" {
		return "energy preference " + preference
	}
	if governor == "powersave" && !chooses {
		return "governor " + governor
	}
	return ""
}

// macLowPower reads `pmset -g` of macOS: lowpowermode is 1 in Low Power Mode, of which powermode 1 is another name.
func macLowPower(out []byte) string {
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if len(fields) >= 2 && (fields[0] == "lowpowermode" || fields[0] == "powermode") && fields[1] == "1" {
			return "Low Power Mode"
		}
	}
	return ""
}

// saverScheme is the power plan "Power saver" in every language: Windows' GUID_MAX_POWER_SAVINGS.
const saverScheme = "a1841308-3541-4fab-bc81-f71556f20b4a"

// winPowerSaver reads `powercfg /getactivescheme` of Windows.
func winPowerSaver(out []byte) string {
	if bytes.Contains(bytes.ToLower(out), []byte(saverScheme)) {
		return "power plan Power saver"
	}
	return ""
}

// howToWake says what to do about what is held back.
func howToWake(saving string) string {
	what, _, _ := strings.Cut(saving, " ")
	return map[string]string{
		"governor": "set it with `cpupower frequency-set -g performance`",
		"energy":   "set it with `powerprofilesctl set performance`",
		"Low":      "turn it off in System Settings > Battery",
		"power":    "choose Balanced or High performance",
	}[what]
}
