//go:build linux && amd64

package platforms

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// onMac runs hubbench for macOS with real folders, by the loader with a setting, and returns its
// exit code, what it said, and run.json.
type onMac struct{ loader, hubbench, probe string }

func newMac(t *testing.T) onMac {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the loader is built by gcc, which is not installed")
	}
	t.Chdir(filepath.Join("..", ".."))
	tmp := t.TempDir()
	build := exec.Command("testdata/platforms/run", "-strict", "-with",
		`cp "$through" "$TMP/loader" &&
		go build -o "$TMP" ./cmd/hubbench ./testdata/platforms/loader/probe`, "loader")
	build.Env = append(os.Environ(), "TMP="+tmp)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return onMac{filepath.Join(tmp, "loader"), filepath.Join(tmp, "hubbench"),
		filepath.Join(tmp, "probe")}
}

const realScenario = `version: 1
name: provoked
disks: [{name: one, path: one}, {name: two, path: two}]
allow_system_disk: true
workload: {files: 3, sizes: [1 MB, 4097 B, 3 MB], flush: full}
phases: [{pattern: WR}]
`

// smallScenario writes blocks of 4 KiB at random places of a file.
const smallScenario = `version: 1
name: provoked
disks: [{name: one, path: one}]
allow_system_disk: true
workload: {preset: amorphous, files: 1, sizes: [4 MB]}
phases: [{pattern: W}]
`

// run runs the scenario in a new folder, with settings "NAME=VALUE" in which HERE is the folder.
func (m onMac) run(t *testing.T, scenario, setting string) (code int, said, record string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check.Must(t, err)
	for _, disk := range []string{"one", "two"} {
		check.Must(t, os.Mkdir(filepath.Join(dir, disk), 0o755))
	}
	check.Must(t, os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(scenario), 0o644))
	cmd := exec.Command(m.loader, m.hubbench, "run", "s.yaml", "--out", "out", "--quiet", "--yes")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), strings.Fields(strings.ReplaceAll(setting, "HERE", dir))...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", ".*hubbench-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	data, _ := os.ReadFile(filepath.Join(dir, "out", "run.json")) // if there is a run
	// What the loader says of workers is there.
	log, _ := os.ReadFile(filepath.Join(dir, "out", "run.log"))
	return code, out.String() + string(log), string(data)
}

// TestMacProvoked runs hubbench for macOS against what Macs do and this machine does not.
func TestMacProvoked(t *testing.T) {
	m := newMac(t)
	for _, c := range []struct {
		name, scenario, setting string
		code                    int
		says, never, records    string
	}{
		{"apfs", realScenario, "LOADER_TRACE=1", 0, `"flush_reaches": "the medium"`,
			"searches all free space", `"flush": "full"`},
		{"exfat", realScenario, "LOADER_EXFAT=HERE LOADER_TWINS=HERE", 0,
			"cannot flush to the medium", "exFAT,", `"flush": "fsync"`},
		{"exfat that fills files", realScenario,
			"LOADER_FAT_FILLS=HERE LOADER_TWINS=HERE LOADER_TRACE=1", 0, "", "fills data-", `"space": "none"`},
		{"a file system without mappings", realScenario, "LOADER_NO_MAPPING=HERE", 0,
			"cannot be dropped from the cache", "", `"status": "complete"`},
		{"no consent", realScenario, "LOADER_DENY=HERE/two", 2, "not permitted", "", ""},
		{"macOS 14 writes 4 KiB directly", smallScenario, "LOADER_TRACE=", 0,
			`"flush_reaches": "the drive's cache"`, "", `"small_writes": "direct 4 KiB writes"`},
		{"macOS 13 caches them", smallScenario, "LOADER_CACHED_WRITES=1", 0, "", "",
			`"cache": "cached writes"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, said, record := m.run(t, c.scenario, c.setting)
			if code != c.code || !strings.Contains(said+record, c.says) ||
				!strings.Contains(record, c.records) {
				t.Errorf("exit %d, want %d; said %s\nwant %q; run.json %s\nwant %q", code, c.code,
					said, c.says, record, c.records)
			}
			if c.never != "" && strings.Contains(said, c.never) {
				t.Errorf("said %s\nwant no %q", said, c.never)
			}
		})
	}
	t.Run("timer", func(t *testing.T) {
		if out, err := exec.Command(m.loader, m.probe).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
