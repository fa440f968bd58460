package diskio

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Direct writes are no more than that: with FILE_WRITE_THROUGH each would wait for the medium, as
// on no other system. How a file was opened is told by NtQueryInformationFile's
// FileModeInformation.
func TestDirectFilesDoNotWriteThrough(t *testing.T) {
	const (
		fileModeInformation = 16
		writeThrough        = 0x2
		noBuffering         = 0x8
	)
	folder, err := os.OpenRoot(t.TempDir())
	check.Must(t, err)
	defer folder.Close()
	f, err := openTestFile(folder, "f", opening{op: trace.Write, direct: true, lanes: 1})
	check.Must(t, err)
	defer func() { check.Must(t, f.close()) }()
	var status windows.IO_STATUS_BLOCK
	var mode uint32
	query := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtQueryInformationFile")
	code, _, _ := query.Call(f.fd(), uintptr(unsafe.Pointer(&status)),
		uintptr(unsafe.Pointer(&mode)),
		unsafe.Sizeof(mode), fileModeInformation)
	if code != 0 {
		t.Skipf("this system does not say how a file was opened: %v", windows.NTStatus(code))
	}
	if mode&writeThrough != 0 || mode&noBuffering == 0 {
		t.Errorf("the file's mode is %#x, want one without buffering, and without writing through",
			mode)
	}
}
