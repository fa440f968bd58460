package testdisk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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

// mapper is where the device mapper's devices are (https://docs.kernel.org/admin-guide/device-mapper/).
const mapper = "/dev/mapper"

// CanMap says why the device mapper's target is not available here; nil if it can.
func CanMap(target string) error {
	if _, err := os.Stat(filepath.Join(mapper, "control")); err != nil {
		return errors.New("this kernel has no device mapper")
	}
	_ = exec.Command("modprobe", "dm-"+target).Run() // it may be built in; what counts is the list
	out, err := exec.Command("dmsetup", "targets").CombinedOutput()
	if err != nil {
		why, _, _ := strings.Cut(string(out), "\n")
		return fmt.Errorf("dmsetup targets: %w: %s", err, why)
	}
	if !strings.Contains("\n"+string(out), "\n"+target+" ") {
		return fmt.Errorf("this kernel's device mapper has no target %s", target)
	}
	return nil
}

// Map puts a target of the device mapper before the disk, or in the place of the one that is there, with the
// arguments that follow the device in its table. What is to be formatted and mounted is then Device, which it makes
// the mapped one.
func (d *Disk) Map(target string, args ...string) error {
	size, err := d.device.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	table := fmt.Sprintf("0 %d %s", size/512, target)
	if target != "error" {
		table += " " + d.device.Name() + " " + strings.Join(args, " ")
	}
	name := filepath.Base(d.Dir)
	if d.Device == d.device.Name() {
		if err := command("dmsetup", "create", name, "--table", table); err != nil {
			return err
		}
		d.Device = filepath.Join(mapper, name)
		return nil
	}
	if err := command("dmsetup", "load", name, "--table", table); err != nil {
		return err
	}
	return errors.Join(d.Suspend(), command("dmsetup", "resume", name))
}

// Suspend lets the requests to a mapped disk wait until it is mapped again.
func (d *Disk) Suspend() error {
	return command("dmsetup", "suspend", "--noflush", "--nolockfs", filepath.Base(d.Dir))
}
