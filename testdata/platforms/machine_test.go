//go:build linux && amd64

package platforms

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// folder makes the folder of a disk under test.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check.Must(t, err)
	return dir
}

// tools makes a folder of macOS's tools, each a script of this system's shell.
func tools(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := folder(t)
	for name, script := range scripts {
		check.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755)) //nolint:gosec // it is to be run
	}
	return dir
}

// cores is what ioreg prints of cores of those kinds.
func cores(kinds string) string {
	data := func(b ...byte) string { return base64.StdEncoding.EncodeToString(b) }
	text := `<plist version="1.0"><array>`
	for i, kind := range kinds {
		text += fmt.Sprintf("<dict><key>cpu-id</key><data>%s</data><key>cluster-type</key><data>%s</data></dict>",
			data(byte(i), 0, 0, 0), data(byte(kind), 0))
	}
	return text + "</array></plist>"
}

// Performance cores with nothing to spare are the computer's limit, though half of all cores are idle.
func TestMacHostBound(t *testing.T) {
	m := newMac(t)
	dir := folder(t)
	scenario := strings.NewReplacer("PATH", dir).Replace(`version: 1
name: busy
disks: [{name: one, path: PATH}]
allow_system_disk: true
workload: {sizes: [1 MB], flush: full}
phases: [{pattern: W, stop: 6 s}]
`)
	check.Must(t, os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(scenario), 0o644))
	for _, tt := range []struct {
		types string // that the registry names
		want  bool
	}{{"EEPP", true}, {"", false}} {
		ioreg := tools(t, map[string]string{"ioreg": "case \"$*\" in *cluster-type*) echo '" + cores(tt.types) + "';; *) exit 1;; esac"})
		out := filepath.Join(folder(t), "out")
		cmd := exec.Command(m.loader, m.hubbench, "run", filepath.Join(dir, "s.yaml"), "--out", out, "--yes", "--quiet")
		cmd.Env = append(os.Environ(), "LOADER_CORES=EEPP", "LOADER_TOOLS="+ioreg)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		analysis, err := os.ReadFile(filepath.Join(out, "analysis.json"))
		check.Must(t, err)
		if got := strings.Contains(string(analysis), `"code": "host_bound"`); got != tt.want {
			t.Errorf("cores named %q: host_bound %v, want %v", tt.types, got, tt.want)
		}
	}
}
