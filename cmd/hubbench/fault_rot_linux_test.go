package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/test/testdisk"
)

// Bit rot: a bit of the medium turns between the phase that writes a file and the one that reads it.

// rotten is the file that rots.
const rotten = 1

// rot flips a bit of a page of the file, at a byte of that page, behind the file system's back.
func rot(d *testdisk.Disk, root string, page, at int64) error {
	found, err := filepath.Glob(filepath.Join(root, ".hubbench-*", fmt.Sprintf("data-%06d.bin", rotten)))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("found %q of the file (%w)", found, err)
	}
	file, err := os.Open(found[0])
	if err != nil {
		return err
	}
	defer file.Close()
	content := make([]byte, 4096)
	if _, err := file.ReadAt(content, page*4096); err != nil {
		return err
	}
	image, err := os.OpenFile(d.Image, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer image.Close()
	medium, err := os.ReadFile(d.Image)
	if err != nil {
		return err
	}
	place := bytes.Index(medium, content)
	if place < 0 || bytes.Contains(medium[place+1:], content) {
		return errors.New("the page is not on the medium, or twice")
	}
	_, err = image.WriteAt([]byte{content[at] ^ 0x10}, int64(place)+at)
	return err
}

func TestFaultsOfTheMedium(t *testing.T) {
	const inStamp, inData = 9, 1000
	for _, tc := range []struct {
		verify      string
		stamp, data bool // found, in the stamp of a page and in its data
	}{{"off", false, false}, {"stamps", true, false}, {"full", true, true}} {
		c := faults(t, "bit rot, verify: "+tc.verify)
		for _, place := range []struct {
			name  string
			at    int64
			found bool
		}{{"a stamp", inStamp, tc.stamp}, {"data", inData, tc.data}} {
			c.try(tc.verify+", "+place.name, func(t *testing.T) {
				t.Parallel()
				const page = 130 // in the third block
				d, root := newVolume(t, testdisk.Options{}, "")
				_, well := newVolume(t, testdisk.Options{}, "")
				r := beginRun(t, fmt.Sprintf(`version: 1
name: rot
disks: [{name: A, path: %s}, {name: B, path: %s}]
workload: {sizes: [2 MB], files: 3, block: 256 KiB, verify: %s}
phases: [{name: written, pattern: WW}, {name: read, pattern: RR, cooldown: 3 s}]
`, root, well, tc.verify))
				r.injectAt(func() error { return rot(d, root, page, place.at) }, ended("written"))
				if !place.found {
					r.ends(exitOK, `report: `)
					r.keeps()
					r.leaves(root, well)
					return
				}
				where := page * 4096
				if place.at == inData {
					where += inData
				}
				r.ends(exitPartial, fmt.Sprintf(`partial run: disk A, phase read: [^\n]*the disk returned different data than was written, in test file %d at byte %d: wrote [^\n]*; the file is kept as %s/\.hubbench-[^\n]*/evidence-`, rotten, where, root))
				r.keeps()
				r.leaves(well)
				if kept, _ := filepath.Glob(filepath.Join(root, ".hubbench-*", "evidence-*")); len(kept) != 1 {
					t.Errorf("kept %q, want the file that is wrong", kept)
				}
				hubbench(t, "clean", root)
				r.leaves(root)
			})
		}
	}
}
