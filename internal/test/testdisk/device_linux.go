package testdisk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Attach makes a loop device over a new file, or over one that is there. It goes by itself when nothing has it open or
// mounted any more: even if the test is killed.
func Attach(image string, size int64) (*os.File, error) {
	file, err := os.OpenFile(image, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := file.Truncate(size); err != nil {
		return nil, err
	}
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	config := unix.LoopConfig{Fd: uint32(file.Fd())}
	config.Info.Flags = unix.LO_FLAGS_AUTOCLEAR | unix.LO_FLAGS_PARTSCAN
	copy(config.Info.File_name[:len(config.Info.File_name)-1], image)
	for range 100 { // others may take the free one first
		number, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return nil, err
		}
		device, err := os.OpenFile(fmt.Sprintf("/dev/loop%d", number), os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		if err = unix.IoctlLoopConfigure(int(device.Fd()), &config); err == nil {
			return device, nil
		}
		_ = device.Close()
		if !errors.Is(err, unix.EBUSY) {
			return nil, fmt.Errorf("set up %s: %w", device.Name(), err)
		}
	}
	return nil, errors.New("no loop device is free")
}

// LoopsIn are the loop devices over files in a folder.
func LoopsIn(dir string) []string {
	var found []string
	files, _ := filepath.Glob("/sys/block/loop*/loop/backing_file") // the pattern is well formed
	for _, name := range files {
		if path, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(path), dir+"/") {
			found = append(found, "/dev/"+strings.Split(name, "/")[3])
		}
	}
	return found
}

// detach takes a loop device off its file, at once or when its last user has gone.
func detach(device string) error {
	f, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	err = unix.IoctlSetInt(int(f.Fd()), unix.LOOP_CLR_FD, 0)
	if err != nil && !errors.Is(err, unix.ENXIO) { // it has gone by itself
		return fmt.Errorf("detach %s: %w", device, err)
	}
	return nil
}
