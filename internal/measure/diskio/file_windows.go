package diskio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// oneCall: Windows has no call that takes several pieces of memory through the cache.
const oneCall = false

// windowsFile is a test file on Windows. A synchronous handle takes one request at a time, so every
// lane has one of its own.
type windowsFile struct {
	lanes []*os.File
}

func openTestFile(folder *os.Root, name string, o opening) (testFile, error) {
	// FILE_FLAG_WRITE_THROUGH would have each write wait for the medium
	// (https://github.com/microsoft/diskspd/issues/79), which no other system does: the flush after
	// them is what reaches it.
	direct := 0
	if o.direct {
		direct = windows.O_FILE_FLAG_NO_BUFFERING
	}
	if o.op == trace.Write && !o.again {
		mayDeclare() // what a handle may do is settled when it is opened
	}
	f := &windowsFile{}
	for range max(o.lanes, 1) {
		lane, err := folder.OpenFile(name, o.flags()|direct, 0o600)
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		f.lanes = append(f.lanes, lane)
		o.again = true // for the other lanes
	}
	return f, nil
}

func (f *windowsFile) readAt(lane int, p []byte, off int64) (int, error) {
	n, err := f.lanes[lane].ReadAt(p, off)
	if errors.Is(err, io.EOF) {
		err = nil // the end of the file shows as a short read everywhere
	}
	return n, err
}

func (f *windowsFile) writeAt(lane int, p []byte, off int64) (int, error) {
	return f.lanes[lane].WriteAt(p, off)
}

func (f *windowsFile) readList(list [][]byte, off int64) (int64, error) {
	return oneByOne(f.readAt, list, off)
}

func (f *windowsFile) writeList(list [][]byte, off int64) (int64, error) {
	return oneByOne(f.writeAt, list, off)
}

// oneByOne makes a call for each piece.
func oneByOne(call func(int, []byte, int64) (int, error), list [][]byte, off int64) (sum int64,
	err error) {
	for _, p := range list {
		n, err := call(0, p, off+sum)
		sum += int64(n)
		if err != nil || n < len(p) {
			return sum, err
		}
	}
	return sum, nil
}

// fsyncReaches: FlushFileBuffers has the drive write its cache out.
const fsyncReaches = trace.ReachesMedium

// flush makes no difference between fsync and full: FlushFileBuffers reaches the medium.
func (f *windowsFile) flush(mode string) error {
	if mode == scenario.FlushNone {
		return nil
	}
	return windows.FlushFileBuffers(windows.Handle(f.fd()))
}

// reserve allocates the space, in one stretch if there is one, and sets the end of the file, as
// fallocate does on Linux: requests in flight together would move the end out of order. If nothing
// but the end can be set, that allocates as well.
func (f *windowsFile) reserve(size int64) error {
	err := f.setInformation(windows.FileAllocationInfo, size)
	if err != nil && !errors.Is(err, windows.ERROR_CALL_NOT_IMPLEMENTED) &&
		!errors.Is(err, windows.ERROR_NOT_SUPPORTED) {
		return err
	}
	return f.setInformation(windows.FileEndOfFileInfo, size)
}

// setInformation sets a file information that is a number of bytes.
func (f *windowsFile) setInformation(class uint32, bytes int64) error {
	return windows.SetFileInformationByHandle(windows.Handle(f.fd()), class,
		(*byte)(unsafe.Pointer(&bytes)),
		uint32(unsafe.Sizeof(bytes)))
}

// settle has nothing to do: there is no dropping a stretch of a file from the cache of Windows.
func (f *windowsFile) settle(int64, int64, trace.Role) error { return nil }

// evict has nothing to do: Windows drops a file's cache when it is opened without buffering.
func (f *windowsFile) evict() error { return nil }

func (f *windowsFile) cached(int64) int64 { return -1 }
func (f *windowsFile) fd() uintptr        { return f.lanes[0].Fd() }

func (f *windowsFile) close() error {
	var err error
	for _, lane := range f.lanes {
		err = errors.Join(err, lane.Close())
	}
	return err
}

// directAlign is 4096, which every sector size in use divides.
func directAlign(testFile) int64 { return 4096 }

// cachedBelow: Windows refuses direct requests that it cannot make.
const cachedBelow = 0

// takesOdd tries what no request past the cache can be: to write a byte at an odd place. Windows
// refuses that on a disk (https://learn.microsoft.com/windows/win32/fileio/file-buffering); what
// takes it was opened like any other file, as network drives may be.
func (f *windowsFile) takesOdd() bool {
	_, err := f.writeAt(0, make([]byte, 1), 1)
	return err == nil
}

// newBuffer takes n bytes outside the garbage collector's heap, aligned to a page.
func newBuffer(n int64) ([]byte, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_COMMIT|windows.MEM_RESERVE,
		windows.PAGE_READWRITE)
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes of buffers: %w", n, err)
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n), nil
}

func freeBuffer(p []byte) {
	// It can fail only for memory that is not ours.
	_ = windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(p))), 0, windows.MEM_RELEASE)
}

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
func isTooLarge(err error) bool { return errors.Is(err, windows.ERROR_FILE_TOO_LARGE) }
func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// isGone: a disk that was unplugged answers with one of these.
func isGone(err error) bool {
	return errors.Is(err, windows.ERROR_DEVICE_NOT_CONNECTED) ||
		errors.Is(err, windows.ERROR_NOT_READY) ||
		errors.Is(err, windows.ERROR_IO_DEVICE) || errors.Is(err, windows.ERROR_NO_SUCH_DEVICE)
}

// isHeld: another program has the file or folder open.
func isHeld(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// lacksConsent: only macOS has this.
func lacksConsent(string, error) bool { return false }

// mayDeclare asks for the right to declare space valid, which administrators have and must ask for.
// Without it declare fails and says so.
func mayDeclare() {
	var token windows.Token
	if windows.OpenProcessToken(windows.CurrentProcess(),
		windows.TOKEN_ADJUST_PRIVILEGES|windows.TOKEN_QUERY,
		&token) != nil {
		return
	}
	defer func() { _ = token.Close() }()
	name, err := windows.UTF16PtrFromString("SeManageVolumePrivilege")
	if err != nil {
		return
	}
	right := windows.Tokenprivileges{PrivilegeCount: 1,
		Privileges: [1]windows.LUIDAndAttributes{{Attributes: windows.SE_PRIVILEGE_ENABLED}}}
	if windows.LookupPrivilegeValue(nil, name, &right.Privileges[0].Luid) == nil {
		_ = windows.AdjustTokenPrivileges(token, false, &right, 0, nil, nil)
	}
}

// declare declares reserved space to be written already. Windows keeps up to where each file has
// been: a write beyond that waits until the gap has been filled with zeros, and those that move the
// mark wait for one another.
// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-setfilevaliddata
func (f *windowsFile) declare(size int64) error {
	return windows.SetFileValidData(windows.Handle(f.fd()), size)
}

// fileSystem is not asked: none needs care here.
func fileSystem(string) string { return "" }

// Priority says nothing: no policy of the process's own holds its requests back.
func Priority() (name, warning string) { return "", "" }

// powerThrottling is PROCESS_POWER_THROTTLING_STATE of processthreadsapi.h: which kinds of
// throttling the process decides itself, and which of these are on.
type powerThrottling struct{ Version, Control, On uint32 }

// Foreground forbids Windows 11 to throttle this process while its windows are hidden, as a
// minimised terminal's are: to run it slowly on slow cores, and to wake it by coarse timers. An
// older Windows knows only the former, or neither.
// See SetProcessInformation in processthreadsapi.h.
func Foreground() error {
	const (
		information     = 4 // ProcessPowerThrottling
		executionSpeed  = 1
		timerResolution = 4
	)
	set := windows.NewLazySystemDLL("kernel32.dll").NewProc("SetProcessInformation")
	if err := set.Find(); err != nil { // before Windows 8
		return err
	}
	var err error
	for _, kinds := range []uint32{executionSpeed | timerResolution, executionSpeed} {
		state := powerThrottling{Version: 1, Control: kinds}
		var done uintptr
		done, _, err = set.Call(uintptr(windows.CurrentProcess()), information,
			uintptr(unsafe.Pointer(&state)), unsafe.Sizeof(state))
		if done != 0 {
			return nil
		}
	}
	return fmt.Errorf("SetProcessInformation: %w", err)
}
func newRing(ioWork) (ioEngine, error) { return nil, errNoRing }
