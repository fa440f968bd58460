package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/pkg/draft"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

type initOptions struct {
	disks   []string
	folders []string
	demo    bool
	list    bool
	from    string
	expect  string // a run, to write the limits of
	out     string
	force   bool
}

func newInit(p program) *cobra.Command {
	var opts initOptions
	cmd := &cobra.Command{
		Use:   "init [PATH...]",
		Short: "Write a scenario for the disks that are plugged in",
		Long: `Find the external disks, ask (on a terminal) which of them to test, and write a scenario that is ready
to run: it shows what the disks do to each other and which should move to its own port. File sizes
follow from the free space. The scenario is never written over an existing file.

A PATH is a folder on a disk, such as where it is mounted. The speed of disks that are named so is
measured for two seconds each, with test files that are removed at once, so that the plan of the
scenario says how much it writes.`,
		Example: `  hubbench init && hubbench run hubbench.yaml --open
  hubbench init /Volumes/A /Volumes/B
  hubbench init --disks nvme1n1,/media/backup
  hubbench init --demo          three disks on a hub, simulated
  hubbench init --list          scenarios for the questions that people ask
  hubbench init --from backup --disks nvme1n1,nvme2n1,sdb
  hubbench init --expect RUN    the limits that a good run holds, for hubbench check`,
		Args: takes(0, unlimited),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.folders = args
			return runInit(cmd.Context(), p, opts)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&opts.disks, "disks", nil,
		"`DISK,DISK` to test: names that hubbench devices shows, names of volumes, or their mount points")
	flags.BoolVar(&opts.demo, "demo", false, "write a scenario of simulated disks")
	flags.BoolVar(&opts.list, "list", false, "list the built-in scenarios, and write nothing")
	flags.StringVar(&opts.from, "from", "",
		"start from the built-in scenario `NAME`, with the disks of --disks or, without it, simulated ones")
	flags.StringVar(&opts.expect, "expect", "", "write the limits that this `RUN` holds, with room for its noise")
	flags.StringVar(&opts.out, "out", "", "the `FILE` to write (default hubbench.yaml; with --expect limits.yaml); - for stdout")
	flags.BoolVar(&opts.force, "force", false, "overwrite an existing file")
	return cmd
}

func listScenarios(p program) error {
	names := configs.Scenarios()
	width := len(slices.MaxFunc(names, func(a, b string) int { return len(a) - len(b) }))
	for _, name := range names {
		if _, err := fmt.Fprintf(p.stdout, "%-*s  %s\n", width, name, configs.About(name)); err != nil {
			return err
		}
	}
	return nil
}

func runInit(ctx context.Context, p program, opts initOptions) error {
	given := []bool{opts.list, opts.demo, opts.from != "", opts.disks != nil && opts.from == "", opts.expect != "",
		len(opts.folders) > 0}
	if len(slices.DeleteFunc(given, func(is bool) bool { return !is })) > 1 {
		return usagef("folders, --disks, --demo, --from and --expect each say what to write; give one of them")
	}
	if opts.list {
		return listScenarios(p)
	}
	if opts.out == "" {
		opts.out = "hubbench.yaml"
		if opts.expect != "" {
			opts.out = "limits.yaml"
		}
	}
	overwrites := usagef("%s already exists; --force overwrites it, --out names another file", opts.out)
	toStdout := opts.out == "-"
	if toStdout { // what it says of itself names the usual file
		opts.out = "hubbench.yaml"
	} else if exists(opts.out) && !opts.force { // before any question
		return overwrites
	}
	content, err := draftOf(ctx, p, opts)
	if err != nil {
		return err
	}
	if toStdout {
		_, err := p.stdout.Write(content)
		return err
	}
	if err := writeScenario(opts, content); errors.Is(err, fs.ErrExist) {
		return overwrites
	} else if err != nil {
		return fmt.Errorf("write scenario: %w", err)
	}
	fmt.Fprintln(p.stdout, opts.out)
	if opts.expect != "" {
		sayf(p.stderr, "next: hubbench check RUN --limits %s\n", cells.Shell(opts.out))
		return nil
	}
	out, simulated := cells.Shell(opts.out), bytes.Contains(content, []byte("simulate:"))
	switch {
	case opts.from != "" && opts.disks != nil:
		sayf(p.stderr, "next: hubbench plan %s\n", out)
	case opts.from != "" && !simulated: // disks that are yet to be named
		sayf(p.stderr, "next: write the folders of your disks into %s, then: hubbench plan %s\n", opts.out, out)
	case opts.from != "" && !bytes.Contains(content, []byte("speedup:")): // a run takes as long as with disks
		sayf(p.stderr, "next: hubbench simulate %s --open\n", out)
	default:
		sayf(p.stderr, "next: hubbench run %s --open\n", out)
	}
	return nil
}

// writeScenario writes a new file, or one in the place of another: what a link that is there leads to stays as it is.
func writeScenario(opts initOptions, content []byte) error {
	write := func(w io.Writer) error { _, err := w.Write(content); return err }
	if opts.force {
		return filesystem.Replace(opts.out, write)
	}
	file, err := os.OpenFile(opts.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// limitsOf are the limits that a run holds, as a file, with what they are in its head.
func limitsOf(path string) ([]byte, error) {
	run, err := load(path)
	if err != nil {
		return nil, err
	}
	limits := limit.FromRun(run.Analysis)
	if len(limits) == 0 {
		return nil, usagef("%s: too little data to derive limits from: no rate has a confidence interval; move more data", path)
	}
	head := "# What " + cells.Clean(path) + " holds, with room for its noise: rates may be lower by 5 % or by three half-widths\n" +
		"# of their interval, whichever is more; what takes time may take 55 % longer.\n"
	var short []string
	for _, p := range run.Analysis.Phases {
		if name := trace.Unnumbered(p.Name); p.Overlap != nil && p.Overlap.CI95 == nil && !slices.Contains(short, name) {
			short = append(short, name)
		}
	}
	if len(short) > 0 {
		head += "# No rate limits for " + cells.Clean(unit.List(short)) + ": too little data for a confidence interval.\n"
	}
	return []byte(head + scenario.WriteLimits(limits)), nil
}

func draftOf(ctx context.Context, p program, opts initOptions) ([]byte, error) {
	if opts.demo {
		opts.from = "demo"
	}
	if opts.from != "" && opts.disks == nil {
		return builtIn(opts.from, opts.out)
	}
	if opts.expect != "" {
		return limitsOf(opts.expect)
	}
	if len(opts.folders) > 0 {
		ctx, asked, release := catchSignals(ctx)
		defer release()
		r := session{program: p, runOptions: runOptions{asked: asked}}
		return r.draft(ctx, opts.folders, opts.out)
	}
	inv, err := p.lookAround(ctx)
	if err != nil {
		return nil, err
	}
	asked := opts.disks
	for i, name := range asked { // mount points are known by their full paths
		if isFolder(name) && !filepath.IsAbs(name) && strings.ContainsAny(name, `./\`) {
			if asked[i], err = filepath.Abs(name); err != nil {
				return nil, err
			}
		}
	}
	disks, refused := draft.Find(inv, opts.disks, writableFolder)
	switch {
	case opts.disks != nil && len(refused) > 0:
		return nil, usagef("--disks: %s; hubbench devices shows what there is", strings.Join(refused, "; "))
	case len(disks) == 0:
		why := "is seen"
		if len(refused) > 0 {
			why = "can be tested: " + strings.Join(refused, "; ")
		}
		return nil, usagef("no external disk %s; plug one in, name a disk with --disks, or try --demo", why)
	case opts.disks == nil && isTerminal(p.stdin):
		if err := text.Write(p.stderr, report.OfDevices(inv, true), text.Options{Width: columns(p.stderr)}); err != nil {
			return nil, err
		}
		if disks, err = choose(ctx, p, disks); err != nil {
			return nil, err
		}
	}
	if opts.from == "" {
		return draft.Write(inv, disks, opts.out, 0), nil
	}
	text, err := builtIn(opts.from, opts.out)
	if err != nil {
		return nil, err
	}
	if text, err = draft.Fill(text, inv, disks, asked); err != nil {
		return nil, usagef("--from %s: %w", opts.from, err)
	}
	return text, nil
}

func choose(ctx context.Context, p program, disks []draft.Disk) ([]draft.Disk, error) {
	fmt.Fprintln(p.stderr, "\nDisks to test:")
	for _, d := range disks {
		sayf(p.stderr, "  %s  %s, %s\n", d.Name, d.Folder, d.About())
	}
	in := bufio.NewReader(p.stdin)
	for {
		sayf(p.stderr, "Which of them, such as %s? Enter for all: ", disks[0].Name)
		answer, err := readLine(ctx, in)
		if err != nil {
			return nil, err
		}
		picked, err := pick(disks, answer)
		if err == nil || !strings.HasSuffix(answer, "\n") { // end of input
			return picked, err
		}
		sayf(p.stderr, "%v\n", err)
	}
}

// pick is the disks that an answer names by their letters; all if it is empty.
func pick(disks []draft.Disk, answer string) ([]draft.Disk, error) {
	names := strings.Fields(strings.ToUpper(strings.ReplaceAll(answer, ",", " ")))
	if len(names) == 0 {
		return disks, nil
	}
	for _, name := range names {
		if !slices.ContainsFunc(disks, func(d draft.Disk) bool { return d.Name == name }) {
			return nil, usagef("disk %s is not in the list; try %s", strictyaml.Quote(name), disks[0].Name)
		}
	}
	return slices.DeleteFunc(slices.Clone(disks), func(d draft.Disk) bool { return !slices.Contains(names, d.Name) }), nil
}

// builtIn is a scenario that comes with hubbench, adapted to the folder that it is written to.
func builtIn(name, out string) ([]byte, error) {
	data, ok := configs.Scenario(name)
	if !ok {
		return nil, usagef("--from %s: no scenario is built in by that name; try %s",
			name, strictyaml.Suggest(name, configs.Scenarios()))
	}
	for _, folder := range []string{"", "../"} {
		data = bytes.Replace(data, []byte("$schema="+folder+"scenario.schema.json"), []byte("$schema="+scenario.SchemaURL), 1)
	}
	return bytes.ReplaceAll(data, []byte("configs/"+name+".yaml"), []byte(cells.Shell(out))), nil
}

// writableFolder is the folder of a volume that this user may write to: its own, or the first in it.
func writableFolder(mount string) string {
	if canWrite(mount) {
		return mount
	}
	entries, err := os.ReadDir(mount)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		inside := filepath.Join(mount, e.Name())
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && canWrite(inside) {
			return inside
		}
	}
	return ""
}

func canWrite(folder string) bool {
	place, err := device.Inspect(folder)
	return err == nil && place.Writable == nil
}

func (p program) lookAround(ctx context.Context) (*hardware.Inventory, error) {
	if p.look != nil {
		return p.look(ctx)
	}
	return device.Look(ctx, false)
}
