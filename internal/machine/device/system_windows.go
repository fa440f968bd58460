package device

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	parser "github.com/hubbench/hubbench/internal/machine/device/windows"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// toolTimeout is how long PowerShell may take: it starts slowly, and asks some hundred things.
const toolTimeout = time.Minute

// look asks PowerShell, in one call. If it fails, nothing is known but the reason.
func look(ctx context.Context, serials bool) (*hardware.Inventory, error) {
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return nil, err
	}
	program := filepath.Join(system, "WindowsPowerShell", "v1.0", "powershell.exe")
	answer, err := ask(ctx, toolTimeout, []string{
		program, "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command", parser.Script(),
	})
	if canceled := ctx.Err(); canceled != nil {
		return nil, canceled
	}
	inventory := parser.Parse(answer, serials)
	if err != nil {
		inventory.Warnings = []string{fmt.Sprintf("PowerShell: %v, so no disk is known", err)}
	}
	return inventory, nil
}

func (p *Place) query() error {
	path, err := windows.UTF16PtrFromString(p.Path)
	if err != nil {
		return err
	}
	root := make([]uint16, windows.MAX_PATH) // where the volume is mounted, as in C:\
	if err := windows.GetVolumePathName(path, &root[0], uint32(len(root))); err != nil {
		return err
	}
	var serial, flags uint32
	kind := make([]uint16, windows.MAX_PATH)
	if err := windows.GetVolumeInformation(&root[0], nil, 0, &serial, nil, &flags, &kind[0], uint32(len(kind))); err != nil {
		return err
	}
	p.ID = uint64(serial)
	p.Mount = windows.UTF16ToString(root)
	p.Filesystem = windows.UTF16ToString(kind)
	switch windows.GetDriveType(&root[0]) {
	case windows.DRIVE_REMOTE:
		p.Filesystem = networkDrive // whatever the server's own is
	case windows.DRIVE_RAMDISK:
		p.Filesystem = memoryDrive
	}
	if flags&windows.FILE_READ_ONLY_VOLUME != 0 {
		p.Writable = windows.ERROR_WRITE_PROTECT
	}
	system, err := windows.GetSystemWindowsDirectory()
	if err != nil {
		return err
	}
	p.System = len(system) >= 3 && strings.EqualFold(p.Mount, system[:3])
	return nil
}

// Processes are what this machine does: names and processor times, which is all that Windows reports of others' without
// more rights.
func Processes(context.Context) ([]Process, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	var list []Process
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		p := Process{PID: int(entry.ProcessID), Name: windows.UTF16ToString(entry.ExeFile[:])}
		if known(p.Name) {
			p.CPU = cpuTime(entry.ProcessID)
		}
		list = append(list, p)
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, err
	}
	return list, nil
}

// cpuTime is the processor time that a process has used; zero if it may not be known.
func cpuTime(pid uint32) time.Duration {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	return span(kernel) + span(user)
}

// span is a Filetime that counts a duration, in units of 100 ns. (Its own method counts from 1970.)
func span(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}

// SavingPower says how the processor is held back to save power; empty if it is not, or cannot be asked.
func SavingPower(ctx context.Context) string {
	out, _ := ask(ctx, toolTimeout, []string{"powercfg", "/getactivescheme"}) // nothing if it fails
	return winPowerSaver(out)
}
