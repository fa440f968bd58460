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
	"text/tabwriter"

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
	program
	disks  []string
	demo   bool
	list   bool
	from   string
	expect string // a run, to write the limits of
	out    string
	force  bool
}

func newInit(p program) *cobra.Command {
	var opts initOptions
	opts.program = p
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
		RunE: opts.run,
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

func (o *initOptions) listScenarios() error {
	list := tabwriter.NewWriter(o.stdout, 0, 0, 2, ' ', 0)
	for _, name := range configs.Scenarios() {
		fmt.Fprintf(list, "%s\t%s\n", name, configs.About(name))
	}
	return list.Flush()
}

func (o *initOptions) run(cmd *cobra.Command, folders []string) error {
	given := 0
	for _, is := range []bool{
		o.list, o.demo, o.from != "", o.disks != nil && o.from == "", o.expect != "",
		len(folders) > 0,
	} {
		if is {
			given++
		}
	}
	if given > 1 {
		return usagef("folders, --disks, --demo, --from and --expect each say what to write; " +
			"give one of them")
	}
	if o.list {
		return o.listScenarios()
	}
	toStdout := o.out == "-"
	switch {
	case o.out != "" && !toStdout:
	case o.expect != "":
		o.out = "limits.yaml"
	default:
		o.out = "hubbench.yaml" // also what it calls itself on stdout
	}
	overwrites := usagef("%s already exists; --force overwrites it, --out names another file",
		o.out)
	if !toStdout && !o.force && exists(o.out) { // before any question
		return overwrites
	}
	content, err := o.draft(cmd.Context(), folders)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { _, err := w.Write(content); return err }
	switch {
	case toStdout:
		return write(o.stdout)
	case o.force: // what a link that is there leads to stays as it is
		err = filesystem.Replace(o.out, write)
	default:
		var file *os.File
		if file, err = os.OpenFile(o.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			err = errors.Join(write(file), file.Close())
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return overwrites
	case err != nil:
		return fmt.Errorf("write scenario: %w", err)
	}
	fmt.Fprintln(o.stdout, o.out)
	out := cells.Shell(o.out)
	next := "hubbench run " + out + " --open"
	switch {
	case o.expect != "":
		next = "hubbench check RUN --limits " + out
	case o.from != "" && o.disks != nil:
		next = "hubbench plan " + out
	case o.from != "" && !bytes.Contains(content, []byte("simulate:")):
		// Its disks are yet to be named.
		next = "write the folders of your disks into " + o.out + ", then: hubbench plan " + out
	case o.from != "" && !bytes.Contains(content, []byte("speedup:")):
		// A run takes as long as with disks.
		next = "hubbench simulate " + out + " --open"
	}
	o.sayf("next: %s\n", next)
	return nil
}

// limitsOf are the limits that a run holds, as a file, with what they are in its head.
func limitsOf(path string) ([]byte, error) {
	run, err := load(path)
	if err != nil {
		return nil, err
	}
	limits := limit.FromRun(run.Analysis)
	if len(limits) == 0 {
		return nil, usagef("%s: too little data to derive limits from: no rate has a confidence "+
			"interval; move more data", path)
	}
	head := "# What " + cells.Clean(path) + " holds, with room for its noise: " +
		"rates may be lower by 5 % or by three half-widths\n" +
		"# of their interval, whichever is more; what takes time may take 55 % longer.\n"
	var short []string
	for _, p := range run.Analysis.Phases {
		if name := trace.Unnumbered(p.Name); p.Overlap != nil && p.Overlap.CI95 == nil &&
			!slices.Contains(short, name) {
			short = append(short, name)
		}
	}
	if short != nil {
		head += "# No rate limits for " + cells.Clean(unit.List(short)) +
			": too little data for a confidence interval.\n"
	}
	return []byte(head + scenario.WriteLimits(limits)), nil
}

// draft is what to write.
func (o *initOptions) draft(ctx context.Context, folders []string) ([]byte, error) {
	switch {
	case o.demo:
		return builtIn("demo", o.out)
	case o.from != "" && o.disks == nil:
		return builtIn(o.from, o.out)
	case o.expect != "":
		return limitsOf(o.expect)
	case len(folders) > 0:
		ctx, asked, release := catchSignals(ctx)
		defer release()
		r := session{asked: asked}
		r.program = o.program
		return r.draft(ctx, folders, o.out)
	}
	inv, err := o.lookAround(ctx)
	if err != nil {
		return nil, err
	}
	for i, name := range o.disks { // mount points are known by their full paths
		if isFolder(name) && !filepath.IsAbs(name) && strings.ContainsAny(name, `./\`) {
			if o.disks[i], err = filepath.Abs(name); err != nil {
				return nil, err
			}
		}
	}
	disks, refused := draft.Find(inv, o.disks, writableFolder)
	switch {
	case o.disks != nil && len(refused) > 0:
		return nil, usagef("--disks: %s; hubbench devices shows what there is",
			strings.Join(refused, "; "))
	case len(disks) == 0:
		why := "is seen"
		if len(refused) > 0 {
			why = "can be tested: " + strings.Join(refused, "; ")
		}
		return nil, usagef("no external disk %s; plug one in, name a disk with --disks, "+
			"or try --demo", why)
	case o.disks == nil && isTerminal(o.stdin):
		shown := text.Options{Width: columns(o.stderr)}
		if err := text.Write(o.stderr, report.OfDevices(inv, true), shown); err != nil {
			return nil, err
		}
		if disks, err = choose(ctx, o.program, disks); err != nil {
			return nil, err
		}
	}
	if o.from == "" {
		return draft.Write(inv, disks, o.out, 0), nil
	}
	content, err := builtIn(o.from, o.out)
	if err != nil {
		return nil, err
	}
	if content, err = draft.Fill(content, inv, disks, o.disks); err != nil {
		return nil, usagef("--from %s: %w", o.from, err)
	}
	return content, nil
}

func choose(ctx context.Context, p program, disks []draft.Disk) ([]draft.Disk, error) {
	fmt.Fprintln(p.stderr, "\nDisks to test:")
	for _, d := range disks {
		p.sayf("  %s  %s, %s\n", d.Name, d.Folder, d.About())
	}
	in := bufio.NewReader(p.stdin)
	for {
		p.sayf("Which of them, such as %s? Enter for all: ", disks[0].Name)
		answer, err := readLine(ctx, in)
		if err != nil {
			return nil, err
		}
		unknown := strings.Fields(strings.ToUpper(strings.ReplaceAll(answer, ",", " ")))
		if len(unknown) == 0 {
			return disks, nil
		}
		var picked []draft.Disk
		for _, d := range disks {
			if slices.Contains(unknown, d.Name) {
				picked = append(picked, d)
				unknown = slices.DeleteFunc(unknown, func(name string) bool {
					return name == d.Name
				})
			}
		}
		if len(unknown) == 0 {
			return picked, nil
		}
		err = usagef("disk %s is not in the list; try %s",
			strictyaml.Quote(unknown[0]), disks[0].Name)
		if !strings.HasSuffix(answer, "\n") { // end of input
			return nil, err
		}
		p.sayf("%v\n", err)
	}
}

// builtIn is a scenario that comes with hubbench, adapted to the folder that it is written to.
func builtIn(name, out string) ([]byte, error) {
	data, ok := configs.Scenario(name)
	if !ok {
		return nil, usagef("--from %s: no scenario is built in by that name; try %s",
			name, strictyaml.Suggest(name, configs.Scenarios()))
	}
	schema := "$schema=" + scenario.SchemaURL
	adapt := strings.NewReplacer(
		"$schema=scenario.schema.json", schema,
		"$schema=../scenario.schema.json", schema,
		"configs/"+name+".yaml", cells.Shell(out),
	)
	return []byte(adapt.Replace(string(data))), nil
}

// writableFolder is the folder of a volume that this user may write to: its own, or the first in
// it.
func writableFolder(mount string) string {
	if canWrite(mount) {
		return mount
	}
	entries, _ := os.ReadDir(mount)
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
