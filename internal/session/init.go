package session

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

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/supervisor"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/recorded"
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

// Init says which scenario to write where.
type Init struct {
	output.Streams
	Disks  []string
	Demo   bool
	From   string // From is the name of a built-in scenario.
	Expect string // Expect is a run, to write the limits of.
	Out    string
	Force  bool
	Look   func(context.Context) (*hardware.Inventory, error)
}

// Run writes the scenario, or for Expect a file of limits, and says what to do next. Folders are on
// the disks to test.
func (o *Init) Run(ctx context.Context, folders []string) error {
	toStdout := o.Out == "-"
	switch {
	case o.Out != "" && !toStdout:
	case o.Expect != "":
		o.Out = "limits.yaml"
	default:
		o.Out = "hubbench.yaml" // also what it calls itself on stdout
	}
	overwrites := exit.Usagef("%s already exists; --force overwrites it, --out names another file",
		o.Out)
	if !toStdout && !o.Force && recorded.Exists(o.Out) { // before any question
		return overwrites
	}
	content, err := o.content(ctx, folders)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { _, err := w.Write(content); return err }
	switch {
	case toStdout:
		return write(o.Stdout)
	case o.Force: // what a link that is there leads to stays as it is
		err = filesystem.Replace(o.Out, write)
	default:
		var file *os.File
		if file, err = os.OpenFile(o.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			err = errors.Join(write(file), file.Close())
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return overwrites
	case err != nil:
		return fmt.Errorf("write scenario: %w", err)
	}
	fmt.Fprintln(o.Stdout, o.Out)
	o.Notef("next: %s\n", o.next(content))
	return nil
}

// next returns the command for what was written.
func (o *Init) next(content []byte) string {
	out := cells.Shell(o.Out)
	switch {
	case o.Expect != "":
		return "hubbench check RUN --limits " + out
	case o.From != "" && o.Disks != nil:
		return "hubbench plan " + out
	case o.From != "" && !bytes.Contains(content, []byte("simulate:")):
		// Its disks are yet to be named.
		return "write the folders of your disks into " + o.Out + ", then: hubbench plan " + out
	case o.From != "" && !bytes.Contains(content, []byte("speedup:")):
		// A run takes as long as with disks.
		return "hubbench simulate " + out + " --open"
	}
	return "hubbench run " + out + " --open"
}

// content returns what to write.
func (o *Init) content(ctx context.Context, folders []string) ([]byte, error) {
	switch {
	case o.Demo:
		return o.builtIn("demo")
	case o.From != "" && o.Disks == nil:
		return o.builtIn(o.From)
	case o.Expect != "":
		return limitsOf(o.Expect)
	case len(folders) > 0:
		ctx, interrupts, release := supervisor.CatchSignals(ctx)
		defer release()
		r := session{interrupts: interrupts}
		r.Streams = o.Streams
		r.Look = o.Look
		return r.draft(ctx, folders, o.Out)
	}
	inv, err := o.Look(ctx)
	if err != nil {
		return nil, err
	}
	disks, err := o.find(ctx, inv)
	if err != nil {
		return nil, err
	}
	if o.From == "" {
		return draft.Write(inv, disks, o.Out, 0), nil
	}
	content, err := o.builtIn(o.From)
	if err != nil {
		return nil, err
	}
	if content, err = draft.Fill(content, inv, disks, o.Disks); err != nil {
		return nil, exit.Usagef("--from %s: %w", o.From, err)
	}
	return content, nil
}

// find finds the disks that are asked for, or those that are plugged in, of which a person then
// chooses.
func (o *Init) find(ctx context.Context, inv *hardware.Inventory) ([]draft.Target, error) {
	for i, name := range o.Disks { // mount points are known by their full paths
		if recorded.IsFolder(name) && !filepath.IsAbs(name) && strings.ContainsAny(name, `./\`) {
			path, err := filepath.Abs(name)
			if err != nil {
				return nil, err
			}
			o.Disks[i] = path
		}
	}
	disks, refused := draft.Find(inv, o.Disks, device.WritableFolder)
	switch {
	case o.Disks != nil && len(refused) > 0:
		return nil, exit.Usagef("--disks: %s; hubbench devices shows what there is",
			strings.Join(refused, "; "))
	case len(disks) == 0:
		why := "is seen"
		if len(refused) > 0 {
			why = "can be tested: " + strings.Join(refused, "; ")
		}
		return nil, exit.Usagef("no external disk %s; plug one in, name a disk with --disks, "+
			"or try --demo", why)
	case o.Disks != nil || !o.HasTerminal():
		return disks, nil
	}
	shown := text.Options{Width: output.Columns(o.Stderr)}
	if err := text.Write(o.Stderr, report.OfDevices(inv, true), shown); err != nil {
		return nil, err
	}
	return o.choose(ctx, disks)
}

// choose asks until the answer names disks of the list.
func (o *Init) choose(ctx context.Context, disks []draft.Target) ([]draft.Target, error) {
	fmt.Fprintln(o.Stderr, "\nDisks to test:")
	for _, d := range disks {
		o.Notef("  %s  %s, %s\n", d.Name, d.Folder, d.About())
	}
	in := bufio.NewReader(o.Stdin)
	for {
		o.Notef("Which of them, such as %s? Enter for all: ", disks[0].Name)
		answer, err := supervisor.ReadLine(ctx, in)
		if err != nil {
			return nil, err
		}
		chosen, err := draft.Choose(disks, answer)
		if err == nil {
			return chosen, nil
		}
		if !strings.HasSuffix(answer, "\n") { // end of input
			return nil, exit.Usage(err)
		}
		o.Notef("%v\n", err)
	}
}

// builtIn returns a scenario that comes with hubbench.
func (o *Init) builtIn(name string) ([]byte, error) {
	source, ok := configs.Scenario(name)
	if !ok {
		return nil, exit.Usagef("--from %s: no scenario is built in by that name; try %s",
			name, strictyaml.Suggest(name, configs.Scenarios()))
	}
	return draft.Adapt(source, name, cells.Shell(o.Out)), nil
}

// limitsOf returns the limits that a run holds, as a file, with what they are in its head.
func limitsOf(path string) ([]byte, error) {
	run, err := recorded.Load(path)
	if err != nil {
		return nil, err
	}
	limits := limit.FromRun(run.Analysis)
	if len(limits) == 0 {
		return nil, exit.Usagef("%s: too little data to derive limits from: no rate has a "+
			"confidence interval; move more data", path)
	}
	head := "# What " + cells.Clean(path) + " holds, with room for its noise: " +
		"rates may be lower by 5% or by three half-widths\n" +
		"# of their interval, whichever is more; what takes time may take 55% longer.\n"
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
