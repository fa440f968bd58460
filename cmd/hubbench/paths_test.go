package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/pkg/draft"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What the plan of a drafted study says is written is an upper bound within a factor of 2, for slow
// disks that do not notice each other as for fast ones on one link.
func TestDraftForecast(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, rates := range map[string][]float64{
		"one slow disk": {0.1e9}, "slow disks": {0.1e9, 0.1e9}, "slow and fast": {0.1e9, 3e9},
		"fast disks": {3e9, 3e9}, "three fast disks": {3e9, 3e9, 3e9},
		"three unlike disks": {1.46e9, 1.45e9, 2.8e9},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			profile := "version: 1\nname: p\nlink: 3.4 GB/s\n" +
				"capacity: {read: 3.4 GB/s, write: 3.4 GB/s, both: 4.8 GB/s}\ndisks:\n"
			var disks []draft.Target
			for i, rate := range rates {
				d := draft.Target{Name: string(rune('A' + i)), Folder: fmt.Sprint("/", i),
					Found:  &hardware.Drive{},
					Volume: &hardware.Volume{FreeBytes: 1e12},
					Speed:  scenario.Speed{Read: rate, Write: rate}}
				disks = append(disks, d)
				profile += fmt.Sprintf("  - {name: %s, read: {hub: %.0f}, write: {hub: %.0f}}\n",
					d.Name, rate, rate)
			}
			text := string(draft.Write(&hardware.Inventory{}, disks, "s.yaml", 0))
			for _, d := range disks {
				text = strings.Replace(text, "path: '"+d.Folder+"'", "simulate: {profile: "+d.Name+
					"}", 1)
			}
			write(t, filepath.Join(dir, "p.yaml"), profile)
			path := write(t, filepath.Join(dir, "s.yaml"), text+"hub: {profile: ./p.yaml}\n")
			prints(t, "simulate", path, "--out", filepath.Join(dir, "run"), "--no-page")
			ready, err := prepare.Load(path, func(string) {})
			must(t, err)
			var bound int64
			for _, total := range ready.Plan.Totals() {
				bound += total.Written
			}
			bounds(t, filepath.Join(dir, "run"), "", bound)
		})
	}
}

// bounds holds a number of bytes to be an upper bound, within a factor of 2, of what a run wrote to
// one disk, or to all if none is named.
func bounds(t *testing.T, dir, disk string, bound int64) {
	t.Helper()
	run, err := recorded.Load(dir)
	must(t, err)
	var wrote int64
	for _, phase := range run.Trace.Phases {
		for _, d := range phase.Disks {
			if d.Op != trace.Write || disk != "" && d.Name != disk {
				continue
			}
			for _, f := range d.Files {
				wrote += f.Bytes
			}
			if last := len(d.Open) - 1; last >= 0 {
				wrote += d.Open[last].Bytes
			}
		}
	}
	if bound < wrote || bound > 2*wrote {
		t.Errorf("the plan writes at most %d, and the run wrote %d", bound, wrote)
	}
}
