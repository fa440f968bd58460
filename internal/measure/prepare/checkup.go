package prepare

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/trace"
)

// checkupFile holds doctor's last result on this machine. It is named after the host, as machines may share a home.
func checkupFile() (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, "hubbench", rundir.Named("doctor-"+rundir.ThisHost().Name)+".json"), nil
}

// SaveCheckup keeps a result for later runs on this machine.
func SaveCheckup(found *trace.Checkup) error {
	path, err := checkupFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return err
	}
	return filesystem.Write(path, func(w io.Writer) error { _, err := w.Write(append(data, '\n')); return err })
}

// loadCheckup is the last result on this machine; nil if there is none.
func loadCheckup() (*trace.Checkup, error) {
	path, err := checkupFile()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found trace.Checkup
	if err := json.Unmarshal(data, &found); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &found, nil
}

// lastCheckup is what doctor last doubted of this machine and of the plan's disks; nil if it has not been run, or its
// result cannot be read: a run does not depend on it. A simulated disk has nothing to doubt.
func (r *Ready) lastCheckup() *rundir.Doctor {
	var ids []uint64
	for _, disk := range r.Plan.Disks {
		if disk.Simulated() {
			continue
		}
		if place, err := device.Inspect(disk.Path); err == nil {
			ids = append(ids, place.ID)
		}
	}
	found, err := loadCheckup()
	if len(ids) == 0 || err != nil || found == nil {
		return nil
	}
	doubts := &rundir.Doctor{Date: found.Date, Checks: []trace.Check{}}
	for _, check := range found.Doubts() {
		if check.Path == "" || onOneOf(check.Path, ids) {
			doubts.Checks = append(doubts.Checks, check)
		}
	}
	return doubts
}

// onOneOf reports whether a folder is on one of the volumes.
func onOneOf(path string, ids []uint64) bool {
	place, err := device.Inspect(path)
	if err != nil {
		return false
	}
	return place.ID != 0 && slices.Contains(ids, place.ID)
}
