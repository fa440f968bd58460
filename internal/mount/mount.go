// Package mount is a hub that nobody has to own: folders that really hold files, and whose reads and writes take as long as
// they would on the disks of a profile. Any program that uses them feels the hub: a disk that pulls harder takes from the
// others, and those that stay keep their old rate for a while when one has ended.
//
// It is for trying programs, and for holding hubbench itself against a known truth; it measures nothing. Its files are only
// as fast as the folder behind them, so a profile may have to be slowed down (hub.Profile.Scaled). What depends on a file's
// size in a profile (knee, per_file) and its noise are left out: what a program does with which file is its own matter.
//
// Start at Mount, which needs FUSE: that of Linux, or macFUSE. Pacer makes requests wait for the model, Fault is what may go wrong on a disk.
package mount

import (
	"errors"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
)

// Options say what is mounted where.
type Options struct {
	Profile *hub.Profile
	Dir     string // gets a folder for each disk; created where it is not there
	Backing string // holds the files; empty: a temporary folder beside Dir, removed at the end
	Faults  []Fault
}

// ErrNoFUSE says that this build cannot mount.
var ErrNoFUSE = errors.New("mount needs FUSE, and this hubbench was built for a system where that is not supported: use Linux or macOS")

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
