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

// look asks PowerShell. If it fails, nothing is known but the reason.
func look(ctx context.Context, serials bool) (*hardware.Inventory, error) {
	answer, err := runPowerShell(ctx)
	if canceled := ctx.Err(); canceled != nil {
		return nil, canceled
	}
	inventory := parser.Parse(answer, serials)
	for i := range inventory.Disks {
		inventory.Disks[i].WriteCache = parser.WriteCache(inventory.Disks[i].Name)
	}
	if err != nil {
		inventory.Warnings = []string{fmt.Sprintf("%v, so no disk is known", err)}
	}
	return inventory, nil
}

// captureAnswers returns an archive of the one answer (golang.org/x/tools/txtar), in UTF-8, or why
// there is none.
func captureAnswers(ctx context.Context) (string, error) {
	answer, err := runPowerShell(ctx)
	if err != nil {
		return "# " + err.Error() + "\n", ctx.Err()
	}
	return "-- answer.json --\n" + strings.TrimSpace(string(parser.Decode(answer))) + "\n", nil
}

// runPowerShell has it run the one script that asks for everything.
func runPowerShell(ctx context.Context) ([]byte, error) {
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return nil, err
	}
	program := filepath.Join(system, "WindowsPowerShell", "v1.0", "powershell.exe")
	answer, err := ask(ctx, toolTimeout, []string{
		program, "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command",
		parser.Script(),
	})
	if err != nil {
		return nil, fmt.Errorf("PowerShell: %w", err)
	}
	return answer, nil
}

func (p *Place) query() error {
	path, err := windows.UTF16PtrFromString(p.Path)
	if err != nil {
		return err
	}
	root := make([]uint16, windows.MAX_PATH) // The place where the volume is mounted, as in C:\.
	if err := windows.GetVolumePathName(path, &root[0], uint32(len(root))); err != nil {
		return err
	}
	var serial, flags uint32
	kind := make([]uint16, windows.MAX_PATH)
	if err := windows.GetVolumeInformation(&root[0], nil, 0, &serial, nil, &flags, &kind[0],
		uint32(len(kind))); err != nil {
		return err
	}
	p.ID = uint64(serial)
	p.Mount = windows.UTF16ToString(root)
	p.Filesystem = windows.UTF16ToString(kind)
	switch windows.GetDriveType(&root[0]) {
	case windows.DRIVE_REMOTE:
		p.Filesystem = networkDrive
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

// Processes returns what this machine does: names and processor times, which Windows reports of all
// processes without more rights, those of services among them.
func Processes(context.Context) ([]Process, error) {
	answer := make([]uint64, 1<<16) // Words keep the entries aligned.
	size := uint32(0)
	for {
		err := windows.NtQuerySystemInformation(windows.SystemProcessInformation,
			unsafe.Pointer(&answer[0]), uint32(8*len(answer)), &size)
		if errors.Is(err, windows.STATUS_INFO_LENGTH_MISMATCH) && len(answer) < maxProcessWords {
			answer = make([]uint64, 2*len(answer)) // More may have started since.
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list the processes: %w", err)
		}
		break
	}
	var list []Process
	for at := unsafe.Pointer(&answer[0]); ; {
		p := (*windows.SYSTEM_PROCESS_INFORMATION)(at)
		list = append(list, Process{
			PID: int(p.UniqueProcessID), Name: p.ImageName.String(),
			CPU: time.Duration(p.UserTime+p.KernelTime) * 100, // The unit is 100 ns.
		})
		if p.NextEntryOffset == 0 {
			return list, nil
		}
		at = unsafe.Add(at, p.NextEntryOffset)
	}
}

// maxProcessWords is the length of an answer, 64 MB, that no number of processes needs.
const maxProcessWords = 1 << 23

// SavingPower says how the processor is held back to save power; empty if it is not, or cannot be
// asked.
func SavingPower(ctx context.Context) string {
	// It is empty if that fails.
	out, _ := ask(ctx, toolTimeout, []string{"powercfg", "/getactivescheme"})
	return windowsPowerSaving(out)
}
