package device

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device/macos"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// toolTimeout is how long a tool may take. system_profiler takes some seconds, and more if a disk
// has to spin up.
const toolTimeout = 30 * time.Second

// look asks macOS' own tools. One that fails costs what it would have shown, and a warning.
func look(ctx context.Context, serials bool) (*hardware.Inventory, error) {
	captures, failures, err := runTools(ctx)
	if err != nil {
		return nil, err
	}
	inventory := macos.Parse(captures, serials)
	inventory.Warnings = append(inventory.Warnings, failures...)
	return inventory, nil
}

// captureAnswers returns an archive of all answers (golang.org/x/tools/txtar), with the tools that
// failed as remarks.
func captureAnswers(ctx context.Context) (string, error) {
	captures, failures, err := runTools(ctx)
	var text strings.Builder
	for _, failure := range failures {
		text.WriteString("# " + failure + "\n")
	}
	for _, part := range captures.Parts() {
		answer := strings.TrimSuffix(string(*part.Into), "\n")
		text.WriteString("-- " + part.Name + " --\n" + answer + "\n")
	}
	return text.String(), err
}

// runTools asks all tools at once.
func runTools(ctx context.Context) (captures macos.Captures, failures []string, err error) {
	parts := captures.Parts()
	errs := make([]error, len(parts))
	var all sync.WaitGroup
	for i, part := range parts {
		if part.Command == nil {
			*part.Into = settings()
			continue
		}
		all.Go(func() { *part.Into, errs[i] = ask(ctx, toolTimeout, part.Command) })
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			failures = append(failures, fmt.Sprintf("%s: %v, so %s may stay unknown",
				filepath.Base(parts[i].Command[0]), err, parts[i].Tells))
		}
	}
	return captures, failures, ctx.Err()
}

// settings returns what the machine is, in the form in which sysctl prints it.
func settings() (text []byte) {
	texts, numbers := macos.HostSettings()
	for _, name := range texts {
		if value, err := unix.Sysctl(name); err == nil {
			text = fmt.Appendf(text, "%s: %s\n", name, value)
		}
	}
	for _, name := range numbers {
		if value, err := unix.SysctlUint32(name); err == nil {
			text = fmt.Appendf(text, "%s: %d\n", name, value)
		}
	}
	return text
}

// mounted also asks as a program does that lists the folder: if the person has not let this one at
// removable volumes, the system says that the operation is not permitted, whatever the folder's own
// permissions are.
func (p *Place) mounted(st *unix.Statfs_t) {
	p.Mount = unix.ByteSliceToString(st.Mntonname[:])
	p.Source = unix.ByteSliceToString(st.Mntfromname[:])
	device, kind := macos.VolumeOf(p.Source, unix.ByteSliceToString(st.Fstypename[:]))
	if p.Filesystem = kind; device != "" {
		p.Source = "/dev/" + device
	}
	fd, err := unix.Open(p.Path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd) // Nothing was read.
	} else if errors.Is(err, unix.EPERM) {
		p.Closed = err
	}
}

// Processes returns what this machine does.
func Processes(ctx context.Context) ([]Process, error) {
	out, err := ask(ctx, toolTimeout, []string{"/bin/ps", "-Axo", "pid=,time=,command="})
	if err != nil {
		return nil, err
	}
	return parsePS(out), nil
}

// SavingPower says how the processor is held back to save power; empty if it is not, or cannot be
// asked.
func SavingPower(ctx context.Context) string {
	out, _ := ask(ctx, toolTimeout, []string{"/usr/bin/pmset", "-g"}) // empty if that fails
	return macPowerSaving(out)
}
