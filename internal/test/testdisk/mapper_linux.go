package testdisk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

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

// Map puts a target of the device mapper before the disk, or in the place of the one that is there, with the arguments that
// follow the device in its table. What is to be formatted and mounted is then Device, which it makes the mapped one.
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

func unmap(dir string) error {
	name := filepath.Base(dir)
	if _, err := os.Stat(filepath.Join(mapper, name)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return command("dmsetup", "remove", "--retry", name)
}
