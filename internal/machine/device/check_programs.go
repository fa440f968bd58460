package device

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

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
	name string // a pattern as path.Match takes it, in lower case; Linux cuts names after 15 bytes
	arg  string // one of its arguments, if only that makes it one
	sign sign
	does string
	try  string
}

const (
	letFinish   = "let it finish before measuring"
	pauseBackup = "pause the backup while you measure"
)

// programs are those that load disks without being asked at that moment.
var programs = [...]program{
	// Linux
	{name: "fsck*", sign: onADisk, does: "checks a file system", try: letFinish},
	{name: "e2fsck", sign: onADisk, does: "checks a file system", try: letFinish},
	{name: "xfs_repair", sign: onADisk, does: "checks a file system", try: letFinish},
	{name: "badblocks", sign: onADisk, does: "reads every block", try: letFinish},
	{name: "btrfs", arg: "scrub", sign: runs, does: "scrubs a file system", try: "pause it with `btrfs scrub cancel`"},
	{name: "btrfs", arg: "balance", sign: runs, does: "balances a file system", try: "pause it with `btrfs balance pause`"},
	{name: "md*_resync", sign: runs, does: "reads a RAID through", try: letFinish},
	{name: "fstrim", sign: runs, does: "trims file systems", try: letFinish},
	{name: "xfs_fsr", sign: runs, does: "defragments file systems", try: letFinish},
	{name: "e4defrag", sign: runs, does: "defragments file systems", try: letFinish},
	{name: "updatedb*", sign: runs, does: "lists all files", try: letFinish},
	{name: "tracker-miner-*", sign: worked, does: "indexes files", try: letFinish},
	{name: "localsearch*", sign: worked, does: "indexes files", try: letFinish},
	{name: "baloo_file*", sign: worked, does: "indexes files", try: "pause it with `balooctl6 suspend`"},
	// Backups, of every system
	{name: "rsync", sign: onADisk, does: "copies files", try: letFinish},
	{name: "borg", sign: onADisk, does: "backs files up", try: pauseBackup},
	{name: "restic", sign: onADisk, does: "backs files up", try: pauseBackup},
	{name: "kopia", sign: onADisk, does: "backs files up", try: pauseBackup},
	{name: "rclone", sign: onADisk, does: "copies files", try: letFinish},
	{name: "duplicity", sign: onADisk, does: "backs files up", try: pauseBackup},
	{name: "dd", sign: onADisk, does: "copies bytes", try: letFinish},
	{name: "fio", sign: onADisk, does: "measures a disk", try: letFinish},
	// macOS
	{name: "backupd", sign: worked, does: "makes a Time Machine backup", try: "stop it with `tmutil stopbackup`"},
	{name: "mds_stores", sign: worked, does: "indexes for Spotlight", try: "let it finish, or take the disk out with `mdutil -i off /Volumes/NAME`"},
	{name: "mdworker*", sign: worked, does: "indexes for Spotlight", try: "let it finish, or take the disk out with `mdutil -i off /Volumes/NAME`"},
	{name: "mediaanalysisd", sign: worked, does: "looks at photographs", try: letFinish},
	{name: "bztransmit*", sign: worked, does: "backs files up", try: pauseBackup},
	// Windows
	{name: "defrag.exe", sign: runs, does: "defragments or trims drives", try: letFinish},
	{name: "chkdsk.exe", sign: runs, does: "checks a file system", try: letFinish},
	{name: "wbengine.exe", sign: runs, does: "makes a backup", try: pauseBackup},
	{name: "vssvc.exe", sign: worked, does: "makes shadow copies", try: letFinish},
	{name: "msmpeng.exe", sign: worked, does: "looks for malware", try: "let it finish, or exclude the folder under test in Windows Security"},
	{name: "mpcmdrun.exe", sign: runs, does: "looks for malware", try: letFinish},
	{name: "searchindexer.exe", sign: worked, does: "indexes files", try: letFinish},
	{name: "robocopy.exe", sign: onADisk, does: "copies files", try: letFinish},
}

// atWork is the part of a core that an active service uses at least.
const atWork = 0.05

// programOf finds a process in the table; nil if it is none that loads disks.
func programOf(p Process) *program {
	name := strings.ToLower(p.Name)
	for i := range programs {
		if match, _ := path.Match(programs[i].name, name); match && (programs[i].arg == "" || slices.Contains(p.Args, programs[i].arg)) {
			return &programs[i]
		}
	}
	return nil
}

// known reports whether a program of that name may be in the table.
func known(name string) bool {
	return slices.ContainsFunc(programs[:], func(p program) bool {
		match, _ := path.Match(p.name, strings.ToLower(name))
		return match
	})
}

// judgePrograms asks whether a program is running that loads disks.
func judgePrograms(e *evidence, found *findings) {
	reported := map[string]bool{} // once for all processes of a program
	for _, p := range e.processes {
		program := programOf(p)
		if program == nil {
			continue
		}
		switch program.sign {
		case worked:
			if p.Busy < atWork {
				continue
			}
		case onADisk:
			if p.Busy == 0 && !p.Blocked {
				continue
			}
			for _, disk := range e.plan.Disks {
				if place, ok := e.places[disk.Name]; ok && !reported[program.name+disk.Name] && e.worksOn(p, disk, place) {
					reported[program.name+disk.Name] = true
					found.warn("background", disk.Name, "%s (process %d) %s on it; %s", p.Name, p.PID, program.does, program.try)
				}
			}
			continue
		}
		if !reported[program.name] {
			reported[program.name] = true
			found.warn("background", "", "%s (process %d) %s, which loads disks; %s", p.Name, p.PID, program.does, program.try)
		}
	}
}

// worksOn reports whether a process has to do with a disk under test: with its volume, or with the device.
func (e *evidence) worksOn(p Process, disk scenario.Disk, place Place) bool {
	devices := []string{place.Source}
	if own, _ := e.behind(disk.Name); own != nil {
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
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}
