//go:build linux && amd64

package platforms

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hubbench/hubbench/internal/machine/device/macos"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
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
		//nolint:gosec // It is a program.
		check.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755))
	}
	return dir
}

// cores is what ioreg prints of cores of those kinds.
func cores(kinds string) string {
	data := func(b ...byte) string { return base64.StdEncoding.EncodeToString(b) }
	text := `<plist version="1.0"><array>`
	for i, kind := range kinds {
		text += "<dict><key>cpu-id</key><data>" + data(byte(i), 0, 0, 0) + "</data>" +
			"<key>cluster-type</key><data>" + data(byte(kind), 0) + "</data></dict>"
	}
	return text + "</array></plist>"
}

// TestMacMachine looks at what hubbench for macOS knows of a machine.
func TestMacMachine(t *testing.T) {
	m := newMac(t)
	t.Run("host bound", m.hostBound)
	t.Run("devices", m.devices)
}

// Performance cores with nothing to spare are the computer's limit, though half of all cores are
// idle.
func (m onMac) hostBound(t *testing.T) {
	dir := folder(t)
	scenario := strings.NewReplacer("PATH", dir).Replace(`version: 1
name: busy
disks: [{name: one, path: PATH}]
allow_system_disk: true
workload: {sizes: [1 MB], flush: full}
phases: [{pattern: W, stop: 6 s}]
`)
	check.Must(t, os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(scenario), 0o644))
	for types, want := range map[string]bool{"EEPP": true, "": false} {
		out := filepath.Join(folder(t), "out")
		cmd := exec.Command(m.loader, m.hubbench, "run", filepath.Join(dir, "s.yaml"), "--out", out,
			"--yes", "--quiet")
		cmd.Env = append(os.Environ(), "LOADER_CORES=EEPP", "LOADER_TOOLS="+
			tools(t, captured(t, "tb4-hub-three-disks", types)))
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		analysis, err := os.ReadFile(filepath.Join(out, "analysis.json"))
		check.Must(t, err)
		if got := strings.Contains(string(analysis), `"code": "host_bound"`); got != want {
			t.Errorf("cores named %q: host_bound %v, want %v", types, got, want)
		}
		events, err := os.ReadFile(filepath.Join(out, "events.jsonl"))
		check.Must(t, err)
		for _, gauge := range []string{trace.DeviceWrite, trace.DeviceFailures, trace.LinkState,
			trace.WorkerCPU} {
			if !strings.Contains(string(events), `"name":"`+gauge+`"`) {
				t.Errorf("cores named %q: no %s was read", types, gauge)
			}
		}
	}
}

// counters are those of the driver of the disk that the loader says everything is on.
const counters = `<plist version="1.0"><array><dict><key>Statistics</key><dict>
<key>Bytes (Read)</key><integer>1</integer><key>Bytes (Write)</key><integer>1</integer>
<key>Retries (Write)</key><integer>1</integer></dict>
<key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>disk4</string>
<key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>disk3s5</string></dict>
</array></dict></array></dict></array></plist>`

// captured are the tools of a captured Mac, with cores of those types; what may wait for disks
// fails.
func captured(t *testing.T, name, types string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("internal/machine/device/macos/testdata", name+
		".txtar"))
	check.Must(t, err)
	dir, files := folder(t), map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = filepath.Join(dir, f.Name)
		check.Must(t, os.WriteFile(files[f.Name], f.Data, 0o644))
	}
	return map[string]string{
		"system_profiler": "case \"$*\" in *SPThunderbolt*) cat " + files["system_profiler.json"] +
			";; *) echo slow >&2; exit 1;; esac",
		"diskutil": "case \"$*\" in *apfs*) cat " + files["diskutil-apfs-list.plist"] +
			";; *) cat " + files["diskutil-list.plist"] + ";; esac",
		"ioreg": "case \"$*\" in *Switch*) cat " + files["ioreg-routers.plist"] +
			";; *' -t '*) cat " + files["ioreg-drivers.plist"] +
			";; *cluster-type*) echo '" + cores(types) + "';; *) echo '" + counters + "';; esac",
		"mount": "cat " + files["mount.txt"],
	}
}

// A tool that fails costs its own part of what is known of a Mac, and the machine itself is known
// without any tool.
func (m onMac) devices(t *testing.T) {
	cmd := exec.Command(m.loader, m.hubbench, "devices", "--json")
	cmd.Env = append(os.Environ(), "LOADER_CORES=EEPP", "LOADER_TOOLS="+
		tools(t, captured(t, "tb4-hub-three-disks", "EEPP")))
	out, err := cmd.Output()
	check.Must(t, err)
	var inv hardware.Inventory
	check.Must(t, json.Unmarshal(out, &inv))
	host := inv.Hosts[0]
	check.Same(t, "the machine", [4]string{"Loader", "Loader CPU", "macOS 15.4 (24E248)", "arm64"},
		[4]string{host.Model, host.CPU, host.OS, host.Arch})
	if !host.Translated || len(host.Ports) == 0 || len(inv.Hubs) != 4 || inv.Find("disk4") == nil {
		t.Errorf("the host is %+v, with %d hubs and disks %+v", host, len(inv.Hubs), inv.Disks)
	}
	check.Same(t, "warnings", []string{"system_profiler: exit status 1: slow, so power, " +
		"displays, networks and free space may stay unknown"}, inv.Warnings)

	file := filepath.Join(folder(t), "answers.txtar")
	again := exec.Command(m.loader, m.hubbench, "devices", "--capture", file)
	again.Env = cmd.Env
	if said, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	archive, err := txtar.ParseFile(file)
	check.Must(t, err)
	var answers macos.Captures
	for _, f := range archive.Files {
		for _, part := range answers.Parts() {
			if part.Name == f.Name {
				*part.Into = f.Data
			}
		}
	}
	if read := macos.Parse(answers, false); len(read.Hubs) != 4 || read.Find("disk4") == nil ||
		read.Hosts[0].Model != "Loader" {
		t.Errorf("a capture has %+v", read)
	}
	if !strings.Contains(string(archive.Comment), "# system_profiler: exit status 1: slow") {
		t.Errorf("a capture's head is %s", archive.Comment)
	}
}
