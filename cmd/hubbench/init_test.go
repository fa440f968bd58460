package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// plugged is a machine with a hub and disks on it, whose volumes are folders.
func plugged(free int64, folders ...string) looks {
	yes, hub := true, "dock"
	inv := &hardware.Inventory{Hubs: []hardware.Hub{{ID: hub, Name: "TS4", Vendor: "CalDigit"}}}
	for i, folder := range folders {
		inv.Disks = append(inv.Disks,
			hardware.Drive{Name: "sd" + string(rune('a'+i)), Model: "T7", External: &yes, Hub: &hub,
				Volumes: []hardware.Volume{{Device: "sd1", Mount: folder, Filesystem: "exfat",
					FreeBytes: free}}})
	}
	return func(context.Context) (*hardware.Inventory, error) { return inv, nil }
}

func TestInit(t *testing.T) {
	t.Chdir(t.TempDir())
	a, b := t.TempDir(), t.TempDir()
	two := plugged(210e6, a, b)
	for _, tt := range []struct {
		name    string
		args    string
		look    looks
		code    int
		says    string // on stderr
		written []string
	}{
		{name: "nothing plugged in", look: plugged(0), code: exit.Misuse,
			says: "hubbench: no external disk is seen; plug one in, name a disk with --disks, " +
				"or try --demo\n"},
		{name: "nothing mounted", look: plugged(210e6, ""), code: exit.Misuse,
			says: "hubbench: no external disk can be tested: sda is not mounted; plug one in, " +
				"name a disk with --disks, or try --demo\n"},
		{name: "both", look: two, says: "next: hubbench run hubbench.yaml --open\n",
			written: []string{"path: '" + a + "'", "path: '" + b + "'", "name: 'CalDigit TS4'",
				"connection: hub", "[solo, all, pairs]"}},
		{name: "forced", args: "--force --disks sdb", look: two,
			says:    "next: hubbench run hubbench.yaml --open\n",
			written: []string{"name: A\n    path: '" + b + "'", "include: solo"}},
		{name: "from, with disks", args: "--from full-cache --disks sdb --out sdb.yaml", look: two,
			says: "next: hubbench plan sdb.yaml\n",
			written: []string{"name: 'CalDigit TS4'", "name: A\n    path: '" + b + "'",
				"preset: saturation"}},
		{name: "from, in the order asked for",
			args: "--from small-files --disks sdb,sda --out small.yaml", look: two,
			says:    "next: hubbench plan small.yaml\n",
			written: []string{"name: A\n    path: '" + b + "'", "name: C\n    path: '" + a + "'"}},
		{name: "from, for fewer disks",
			args: "--from alone-or-together --disks sda,sdb --out fewer.yaml", look: two,
			says:    "next: hubbench plan fewer.yaml\n",
			written: []string{"path: '" + a + "'", "path: '" + b + "'"}},
		{name: "from, too few disks", args: "--from backup --disks sda,sdb --out y.yaml", look: two,
			code: exit.Misuse,
			says: "hubbench: --from backup: it is written for 3 disks, and cannot be used for 2\n"},
		{name: "from a demonstration", args: "--from demo --disks sda,sdb --out y.yaml", look: two,
			code: exit.Misuse,
			says: "hubbench: --from demo: it is a demonstration on simulated disks; " +
				"leave out --disks, or choose another\n"},
		{name: "from nothing", args: "--from tripel-hub --out y.yaml", code: exit.Misuse,
			says: "hubbench: --from tripel-hub: no scenario is built in by that name; try triple-hub\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := does(t, tt.look,
				append([]string{"init"}, strings.Fields(tt.args)...)...)
			if code != tt.code || errs != tt.says {
				t.Fatalf("exit code %d, want %d; says\n%swant\n%s", code, tt.code, errs, tt.says)
			}
			if tt.code != exit.OK {
				return
			}
			data := read(t, strings.TrimSpace(out))
			for _, want := range tt.written {
				if !strings.Contains(string(data), want) {
					t.Errorf("no %q in\n%s", want, data)
				}
			}
			if _, err := prepare.Load(strings.TrimSpace(out), func(string) {}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Every scenario that is not a demonstration takes the disks that are plugged in, under its own
// names for them.
func TestInitFromWithDisks(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range configs.Scenarios() {
		data, _ := configs.Scenario(name)
		before, err := scenario.Load(name, data)
		must(t, err)
		if before.Hub != nil && before.Hub.Speedup > 1 {
			continue
		}
		var folders, asked []string
		for i := range before.Disks {
			folders, asked = append(folders, t.TempDir()),
				append([]string{"sd" + string(rune('a'+i))}, asked...)
		}
		code, out, errs := does(t, plugged(1e12, folders...), "init", "--from", name, "--out", name+
			".yaml", "--disks", strings.Join(asked, ","))
		if code != exit.OK {
			t.Fatalf("%s: exit code %d: %s", name, code, errs)
		}
		text := read(t, strings.TrimSpace(out))
		after, err := scenario.Load(name, text)
		must(t, err)
		for i, d := range after.Disks {
			if want := folders[len(folders)-1-i]; d.Path != want || d.Name != before.Disks[i].Name {
				t.Errorf("%s: disk %s has %s, want %s and %s", name, d.Name, d.Path,
					before.Disks[i].Name, want)
			}
		}
		if bytes.Contains(text, []byte("simulate")) ||
			!bytes.Contains(text, []byte("CalDigit TS4")) {
			t.Errorf("%s: of simulated disks, or without the hub:\n%s", name, text)
		}
		if name == "backup" && !bytes.Contains(text,
			[]byte("- name: A # the video that is edited\n")) {
			t.Errorf("%s: without what is said of A:\n%s", name, text)
		}
	}
}

// What init writes says who should get a port of its own, once it has run.
func TestInitAnswersPlugging(t *testing.T) {
	t.Chdir(t.TempDir())
	advised := func(scenario string) (kinds string) {
		text := prints(t, "simulate", scenario, "--out", scenario+"-run", "--json")
		var result struct {
			Answer struct {
				Advice []struct {
					Kind  string
					Disks []string
				}
			}
		}
		must(t, json.Unmarshal([]byte(text), &result))
		for _, a := range result.Answer.Advice {
			kinds += strings.Join(append([]string{a.Kind}, a.Disks...), " ")
		}
		return kinds
	}
	for n, want := range map[int]string{1: "", 2: "any_own_port A B", 3: "own_port C",
		4: "own_port C"} {
		var folders []string
		for range n {
			folders = append(folders, t.TempDir())
		}
		name := strconv.Itoa(n) + ".yaml"
		if code, _, errs := does(t, plugged(1e12, folders...), "init", "--out", name); code != exit.OK {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		data := read(t, name)
		// The same study of simulated disks.
		for i, folder := range folders {
			profile := []string{"A", "B", "C", "X5"}[i]
			data = bytes.Replace(data, []byte("path: '"+folder+"'"),
				[]byte("simulate: {profile: "+profile+"}"), 1)
		}
		data = bytes.Replace(data, []byte("\nhub:\n"), []byte("\nhub:\n  profile: goshen-ridge\n"),
			1)
		write(t, name, data)
		if got := advised(name); got != want {
			t.Errorf("of %d disks: advice %q, want %q", n, got, want)
		}
	}
	prints(t, "init", "--demo", "--out", "demo.yaml")
	if got := advised("demo.yaml"); got != "own_port C" {
		t.Errorf("the demo: advice %q", got)
	}
}
