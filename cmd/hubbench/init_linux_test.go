package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/test/testdisk"
)

// From disks that are plugged in to a report, in two commands.
func TestInitToReport(t *testing.T) {
	var devices []string
	for range 2 {
		d, _ := newVolume(t, testdisk.Options{Bytes: 320 << 20}, "")
		devices = append(devices, filepath.Base(d.Device))
	}
	t.Chdir(t.TempDir())
	hubbench(t, "init", "--disks", strings.Join(devices, ","))
	data := read(t, "hubbench.yaml")
	hubbench(t, "plan", "hubbench.yaml") // which fails if a check does
	quick := bytes.ReplaceAll(data, []byte("stop: 10 s"), []byte("stop: 300 ms"))
	quick = bytes.ReplaceAll(quick, []byte("cooldown: 2 s"), []byte("cooldown: 0 s"))
	write(t, "hubbench.yaml", quick)
	hubbench(t, "run", "hubbench.yaml", "--out", "run")
	if !recorded.Exists("run/report.html") {
		t.Error("there is no report")
	}
	if said := hubbench(t, "analyze", "run", "--all"); !strings.Contains(said, "A and B write") ||
		strings.Contains(said, "Failed") {
		t.Errorf("not all of it was measured:\n%s\n%s", data, said)
	}
}
