// Package mount simulates a hub for any program: folders that hold real files, whose reads and writes take as long as
// they would on the disks of a profile, contention and recovery included.
//
// It is for trying programs, and for testing hubbench itself against a known truth; it measures nothing. Its files
// are only as fast as the folder behind them, so a profile may have to be slowed down (hub.Profile.Scaled). What
// depends on a file's size in a profile (knee, per_file) and its noise are left out.
//
// Start at Mount, which needs FUSE: that of Linux, or macFUSE. Pacer makes requests wait for the model, Fault is an
// injected fault.
package mount

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Options say what is mounted where.
type Options struct {
	Profile *hub.Profile
	Dir     string // gets a folder for each disk; created if it is not there
	Backing string // holds the files; empty: a temporary folder beside Dir, removed at the end
	Faults  []Fault
}

// Check finds folders that lie in one another: a disk whose files are on a disk of the same hub would request its own
// files forever. A folder that cannot be looked at is left to Mount.
func (o *Options) Check() error {
	dir, ok := place(o.Dir)
	if !ok || o.Backing == "" {
		return nil
	}
	behind := map[string]string{} // the disks, by the place of their files
	for _, name := range append([]string{"."}, o.Profile.Names()...) {
		at, ok := place(filepath.Join(o.Backing, name))
		switch {
		case !ok:
			continue
		case nested(at, dir):
			return fmt.Errorf("--backing %s: %s and DIR, %s, lie in one another, so the hub would keep its files in itself; "+
				"choose separate folders", o.Backing, at, dir)
		case name == ".":
			continue
		}
		for other, disk := range behind {
			if nested(at, other) {
				return fmt.Errorf("--backing %s: the files of %s and %s would lie in one another, in %s and %s; "+
					"remove the symbolic link", o.Backing, disk, name, other, at)
			}
		}
		behind[at] = name
	}
	return nil
}

// place is a path without symbolic links, of which the end need not exist yet; ok is false if it cannot be followed.
func place(path string) (at string, ok bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	for end := ""; ; {
		real, err := filepath.EvalSymlinks(path)
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
			return filepath.Join(real, end), err == nil
		}
		if to, err := os.Readlink(path); err != nil {
			path, end = filepath.Dir(path), filepath.Join(filepath.Base(path), end)
		} else if filepath.IsAbs(to) { // a link to what is not there yet
			path = to
		} else {
			path = filepath.Join(filepath.Dir(path), to)
		}
	}
}

// nested reports whether one of two places is a folder that the other lies in, or both are the same.
func nested(a, b string) bool {
	in, err := filepath.Rel(a, b)
	out, errOut := filepath.Rel(b, a)
	return err == nil && filepath.IsLocal(in) || errOut == nil && filepath.IsLocal(out)
}

// slowest is the lowest rate to which a disk may be slowed down, in bytes per second: below, its requests, four of 8
// MiB beside others, look like those of a disk that hangs.
const slowest = 20e6

// Slowed is the profile at a fraction of its rates.
func Slowed(p *hub.Profile, part float64) (*hub.Profile, error) {
	lowest, name := 1.0, ""
	for i := range p.Disks {
		for _, op := range []trace.Role{trace.Read, trace.Write} {
			if need := slowest / p.Disks[i].Side(op).Hub; name == "" || need > lowest {
				lowest, name = need, p.Disks[i].Name
			}
		}
	}
	switch lowest = min(lowest, 1); {
	case !(part > 0 && part <= 1):
		return nil, errors.New("must be above 0 and up to 1")
	case part < lowest:
		return nil, fmt.Errorf("disk %s would move less than %s, and its requests look like those of a disk that hangs; "+
			"try %.2g or more", name, unit.FormatRate(slowest), math.Ceil(lowest*1000)/1000)
	}
	return p.Scaled(part), nil
}

// ErrNoFUSE says that this build cannot mount.
var ErrNoFUSE = errors.New("mount needs FUSE, and this hubbench was built for a system without it: use Linux or macOS")

// plain is the profile without what depends on files.
func plain(p *hub.Profile) *hub.Profile {
	s := *p
	s.Noise = 0
	s.Disks = slices.Clone(p.Disks)
	for i := range s.Disks {
		for _, side := range []*hub.Side{&s.Disks[i].Read, &s.Disks[i].Write} {
			side.Knee, side.PerFile = hub.Knee{}, 0
		}
	}
	return &s
}
