package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/manual"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// Examples that are not carried out, by how they begin, and why. The arguments of hubbench's own
// are still checked.
var notRun = map[string]string{
	"hubbench doctor":         "it takes a minute for each disk: see doctor.txtar",
	"hubbench run /Volumes/":  "its disks are in this test on one: see TestRunFolders",
	"hubbench init /Volumes/": "its disks are in this test on one: see TestRunFolders",
	"man":                     "a program of the system: TestMan checks the pages",
	"duckdb":                  "another program: TestQueries of the catalogue asks it",
	"spark-sql":               "another program: TestQueries of the catalogue asks it",
	"{":                       "a line of events.jsonl: TestEvents of the manual reads it",
}

const exampleScenario = `version: 1
name: triple
hub: {profile: goshen-ridge, speedup: 1000}
disks:
  - {name: A, simulate: {profile: A}}
  - {name: B, simulate: {profile: B}}
  - {name: C, simulate: {profile: C}}
workload: {files: 60}
phases: [{pattern: WWW}, {pattern: RRR}]
`

// TestExamples carries out every example of the commands' help, and every block to copy of the
// topics, each in a folder of its own that holds what examples name.
func TestExamples(t *testing.T) {
	base := t.TempDir()
	t.Chdir(base)
	for _, name := range []string{"my.yaml", "hubbench.yaml"} {
		write(t, name, exampleScenario)
	}
	profile, _ := configs.Hub("goshen-ridge")
	write(t, "my-hub.yaml", profile)
	prints(t, "simulate", "my.yaml", "--no-page", "--out", "results/triple-20261120-080000")
	prints(t, "simulate", "my.yaml", "--no-page", "--out", "results/triple-20261121-080000")
	prints(t, "init", "--expect", "results/triple-20261120-080000", "--out", "limits.yaml")
	_, limits, _ := strings.Cut(string(read(t, "limits.yaml")), "\nversion: 1\n")
	write(t, "my.yaml", exampleScenario+limits)
	must(t, os.RemoveAll("results/triple-20261120-080000"))
	prints(t, "simulate", "my.yaml", "--no-page", "--out", "results/triple-20261120-080000")
	for name := range strings.FieldsSeq(
		"before after before-1 before-2 before-3 after-1 after-2 after-3 dock-1 dock-2 " +
			"dock-3") {
		prints(t, "simulate", "my.yaml", "--no-page", "--out", name)
	}
	write(t, "events.jsonl", read(t, "before/events.jsonl"))
	prints(t, "collect", "results/triple-20261120-080000", "--into", "catalogue")
	prints(t, "table", "results/triple-20261120-080000", "--out", "disks.csv")
	for _, job := range []string{"a", "b"} {
		var log strings.Builder
		for ms := 100; ms <= 5000; ms += 100 {
			fmt.Fprintf(&log, "%d, 1000000, 1, 1048576\n", ms)
		}
		write(t, job+"_bw.1.log", log.String())
	}
	const job = `{"jobname": %q, "job_start": 1795000000000, "job_runtime": 5000, "job options": {},
		"read": {"io_bytes": 0}, "write": {"io_bytes": 5120000000, "runtime": 5000}}`
	write(t, "results.json", fmt.Sprintf(`{"fio version": "fio-3.36",
		"timestamp_ms": 1795000005000, "jobs": [`+job+", "+job+"]}", "a", "b"))
	table, iostat := "Time,Device,wB\n", ""
	for second := range 20 {
		table += fmt.Sprintf("2026-11-20T08:00:%02dZ,sda,500000\n"+
			"2026-11-20T08:00:%02[1]dZ,sdb,400000\n", second)
		iostat += fmt.Sprintf("11/20/26 08:00:%02d\nDevice r/s rkB/s w/s wkB/s %%util\n"+
			"sda 0 0 9 500 99\nsdb 9 400 0 0 99\n\n", second)
	}
	write(t, "table.csv", table)
	write(t, "iostat.txt", iostat)

	all, run := examples(t), 0
	for _, source := range slices.Sorted(maps.Keys(all)) {
		t.Run(source, func(t *testing.T) {
			for _, example := range all[source] {
				dir := t.TempDir()
				must(t, os.CopyFS(dir, os.DirFS(base)))
				t.Chdir(dir)
				run += carryOut(t, dir, example)
			}
		})
	}
	if run < 40 {
		t.Errorf("only %d examples were carried out", run)
	}
}

// examples are the lines and blocks to copy, by the command or the topic that has them.
func examples(t *testing.T) map[string][]string {
	all := map[string][]string{}
	inText := regexp.MustCompile(`(?m)^ {2,}(hubbench .*)$`)
	for _, c := range append(newRoot(program{}).Commands(), newRoot(program{})) {
		if c.Example == "" && c.IsAvailableCommand() &&
			!slices.Contains([]string{"schema", "version"}, c.Name()) {
			t.Errorf("%s has no example", c.Name())
		}
		for line := range strings.Lines(c.Example) {
			all[c.Name()] = append(all[c.Name()], strings.TrimSpace(line))
		}
		for _, line := range inText.FindAllStringSubmatch(c.Long, -1) {
			all[c.Name()] = append(all[c.Name()], line[1])
		}
	}
	for _, topic := range manual.Topics() {
		page, err := topic.Markdown()
		must(t, err)
		for block := range strings.SplitSeq(page, "\n\n") {
			if code, ok := strings.CutPrefix(block, "    "); ok {
				all["help "+topic.Name] = append(all["help "+topic.Name],
					strings.ReplaceAll(code, "\n    ", "\n"))
			}
		}
	}
	return all
}

// parse says what is wrong with a command line that is not carried out.
func parse(args []string) error {
	cmd, rest, err := newRoot(program{}).Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	return err
}

// carryOut carries out an example, and returns how many commands that were.
func carryOut(t *testing.T, dir, example string) (ran int) {
	t.Helper()
	disks := []string{filepath.Join(dir, "A"), filepath.Join(dir, "B"), filepath.Join(dir, "C")}
	for _, disk := range disks {
		must(t, os.MkdirAll(disk, 0o755))
	}
	example = strings.NewReplacer("/Volumes/", filepath.ToSlash(dir)+"/", "/media/backup",
		filepath.ToSlash(disks[1]), " --open", "",
		" RUN ", " results/triple-20261120-080000 ").Replace(example)
	switch {
	case strings.HasPrefix(example, "version: 1\n"):
		example = "hubbench plan --allow same_disk,system_disk,not_on_hub,unknown_hardware,space " +
			write(t, "block.yaml", example)
	case strings.HasPrefix(example, "expect:\n"):
		if code, _, errs := does(t, nil, "check", "results/triple-20261120-080000", "--limits",
			write(t, "block.yaml", example)); code != exit.Threshold {
			t.Errorf("exit code %d of a check of\n%s%s", code, example, errs)
		}
		return 1
	}
	example = regexp.MustCompile(` {2,}.*`).ReplaceAllString(example, "") // what it is for
	for command := range strings.SplitSeq(example, " && ") {
		command, file, _ := strings.Cut(command, " > ")
		skip := ""
		for begins, why := range notRun {
			if strings.HasPrefix(strings.ReplaceAll(command, filepath.ToSlash(dir)+"/",
				"/Volumes/"), begins) {
				skip = why
			}
		}
		var args []string
		for _, word := range regexp.MustCompile(`[^\s"]*"[^"]*"|\S+`).FindAllString(command, -1)[1:] {
			found, _ := filepath.Glob(word)
			if found == nil {
				found = []string{strings.ReplaceAll(word, `"`, "")}
			}
			args = append(args, found...)
		}
		switch {
		case !strings.HasPrefix(command, "hubbench "):
			if skip == "" {
				t.Errorf("nothing carries out %q: give a reason in notRun, or carry it out",
					command)
			}
			continue
		case skip != "":
			if err := parse(args); err != nil {
				t.Errorf("%s: %v", command, err)
			}
			continue
		case args[0] == "init":
			must(t, os.Remove("hubbench.yaml"))
			must(t, os.Remove("limits.yaml"))
		case slices.Contains(args, "before"):
			if args[0] == "run" {
				must(t, os.RemoveAll("before"))
			}
		case slices.Contains(args, "--resume"):
			interrupted := args[slices.Index(args, "--resume")+1]
			must(t, os.CopyFS(interrupted, os.DirFS("results/triple-20261120-080000")))
			stillRunning(t, interrupted)
			events := filepath.Join(interrupted, rundir.EventsFile)
			must(t, os.WriteFile(events, read(t, events)[:2000], 0o600))
		}
		ran++
		if args[0] == "run" { // whose workers are processes
			hubbench(t, args...)
			continue
		}
		yes := true
		inv := &hardware.Inventory{}
		for i, name := range []string{"nvme1n1", "nvme2n1", "sdb"} {
			inv.Disks = append(inv.Disks, hardware.Drive{Name: name, Model: "T7", External: &yes,
				Volumes: []hardware.Volume{{Device: name + "p1", Mount: filepath.ToSlash(disks[i]),
					Filesystem: "exfat", FreeBytes: 100e9}}})
		}
		code, out, errs := does(t, func(context.Context) (*hardware.Inventory, error) {
			return inv, nil
		}, args...)
		if code != exit.OK {
			t.Errorf("%s: exit code %d: %s", command, code, errs)
		}
		if file != "" {
			write(t, file, out)
		}
		if args[0] == "init" {
			write(t, "hubbench.yaml", exampleScenario) // so that nothing is measured here
		}
	}
	return ran
}
