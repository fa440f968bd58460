package device

import (
	"context"
	"errors"
	"os/exec"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

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
	out, err := exec.CommandContext(ctx, "powercfg", "/getactivescheme").Output()
	if err != nil {
		return ""
	}
	return winPowerSaver(out)
}
