package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/advise"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

type fitOptions struct {
	output
	profile string // the file to write it to; not an option of its own
	name    string
	seed    uint64
}

func newFit(p program) *cobra.Command {
	var opts fitOptions
	opts.program = p
	cmd := &cobra.Command{
		Use:   "fit RUN...",
		Short: "Fit a hub profile to runs",
		Long: `Find the hub model that explains one or more runs best, and print its parameters with their 95 %
confidence intervals, and how far the model is off in each phase. --out writes a profile for simulate
and predict.`,
		Example: `  hubbench fit results/* --out my-hub.yaml`,
		Args:    takes(1, unlimited),
		RunE:    opts.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.out, "out", "",
		"the profile to write, a .yaml `FILE`, - for stdout; another ending writes the results")
	flags.StringVar(&opts.name, "name", "fitted", "the profile's name")
	flags.Uint64Var(&opts.seed, "seed", 1,
		"seed of the fit's starting points and bootstrap samples")
	opts.flags(cmd, printed())
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if ending := strings.ToLower(filepath.Ext(opts.out)); opts.out == "-" ||
			ending == ".yaml" || ending == ".yml" {
			opts.profile, opts.out = opts.out, ""
		}
		return opts.settle(cmd, args)
	}
	return cmd
}

func (o *fitOptions) run(_ *cobra.Command, paths []string) error {
	evidence, origin := &hub.Evidence{}, hub.Fitted
	for _, path := range paths {
		run, err := load(path)
		if err == nil {
			err = checkEvents(run)
		}
		if err != nil {
			return err
		}
		evidence.Add(model.Observe(run.Trace))
		// Simulated by specifications: no measurement.
		if hub.Source(run.Analysis.ProfileOrigin) == hub.Specified {
			origin = hub.Specified
		}
	}
	fitted, err := model.Fit(evidence, model.FitOptions{Name: o.name, Seed: o.seed})
	if err != nil {
		return fmt.Errorf("fit a hub: %w", err)
	}
	fitted.Profile.Source = origin
	write := func(w io.Writer) error { _, err := w.Write(fitted.YAML()); return err }
	if o.profile == "-" {
		return write(o.stdout)
	}
	if o.profile != "" {
		if err := filesystem.Write(o.profile, write); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
	}
	return o.send(report.OfFit(fitted, o.name, o.profile))
}

func newPredict(p program) *cobra.Command {
	out := output{program: p}
	var seed uint64
	cmd := &cobra.Command{
		Use:   "predict PROFILE [DISK...]",
		Short: "Predict what disks get on a hub in every combination",
		Long: `Predict from a hub profile how best to plug in its disks (or those named), what to measure next,
and what they get in combinations of reading, writing and idle: in a dozen to look at first, or with
--all in each. PROFILE is a .yaml that fit wrote, or built in: ` + strings.Join(configs.Hubs(), ", ") + `.
hubbench advise says whether streams survive beside other disks.`,
		Example: `  hubbench predict goshen-ridge
  hubbench predict my-hub.yaml A B --all`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			profile, err := prepare.LoadProfile(args[0])
			if err != nil {
				return usage(err)
			}
			disks := args[1:]
			if len(disks) == 0 {
				disks = profile.Names()
			}
			prediction, err := model.Predict(profile, disks, seed)
			if err != nil {
				return usage(err)
			}
			doc := report.OfPrediction(prediction, profile.Name, out.All)
			doc.Model = profile.Source
			return out.send(doc)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the sampling behind the intervals")
	out.flags(cmd, printed())
	return cmd
}

type adviseOptions struct {
	output
	play, record               []string
	write, read, probe, direct []string
	pace, disks                []string
	length, buffer             string
	seed                       uint64
}

func newAdvise(p program) *cobra.Command {
	var opts adviseOptions
	opts.program = p
	cmd := &cobra.Command{
		Use:   "advise PROFILE",
		Short: "Predict whether streams survive beside other disks",
		Long: `Predict from a hub profile whether all streams that disks play or record stay clean (no dropped frame, no
buffer below half) while other disks on the hub write or read as fast as they can: yes, no, or too
close to call, by what margin and, unless it is yes, what to change. Nothing is measured. PROFILE is a
.yaml that fit wrote, or built in: ` + strings.Join(configs.Hubs(), ", ") + `.

If the profile holds observations, hubs that agree with them are simulated: the answer is yes if the
streams stay clean on 95 % of them, and no if they fail on as many. If no model explains the
observations, only measured combinations are answered. Figures of other profiles, and data sheets
given by --disk, are assumed to be right to ±10 %.

The exit code is 0 whatever the answer.`,
		Example: `  hubbench advise goshen-ridge --play A=4xprores-422-hq-uhd-25 --write B
  hubbench advise my-hub.yaml --record A=92MB/s --read B --pace B=200MB/s --for 5min
  hubbench advise goshen-ridge --disk X=2.8/2.8GB/s --play X=8xprores-422-hq-uhd-25 --write C`,
		Args: takes(1, 1),
		RunE: opts.run,
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&opts.play, "play", nil,
		"streams that a disk plays, by codec or rate: `A=4xCODEC`, A=4x92MB/s; hubbench plan --codecs lists the codecs")
	flags.StringArrayVar(&opts.record, "record", nil, "streams that a disk records: `A=2xCODEC`")
	flags.StringSliceVar(&opts.write, "write", nil, "a `DISK` that writes files as fast as it can")
	flags.StringSliceVar(&opts.read, "read", nil, "a `DISK` that reads files as fast as it can")
	flags.StringSliceVar(&opts.probe, "probe", nil, "a `DISK` that is only sent occasional single requests")
	flags.StringSliceVar(&opts.direct, "direct", nil, "a `DISK` on its own port")
	flags.StringSliceVar(&opts.pace, "pace", nil, "limit the rate at which a disk moves files: `B=200MB/s`")
	flags.StringArrayVar(&opts.disks, "disk", nil, "add a disk to the hub by its data sheet: "+
		"`X=2.8/2.5GB/s` reads 2.8 and writes 2.5; X=2.8/2.5GB/s,cache=24GB@0.65GB/s")
	flags.StringVar(&opts.length, "for", "60s", "how long the streams must stay clean")
	flags.StringVar(&opts.buffer, "buffer", "1s", "how much of each stream is held ahead")
	flags.Uint64Var(&opts.seed, "seed", 1, "seed of the hubs that are simulated")
	opts.flags(cmd, printed())
	return cmd
}

func (o *adviseOptions) run(_ *cobra.Command, args []string) error {
	profile, err := prepare.LoadProfile(args[0])
	if err != nil {
		return usage(err)
	}
	for _, text := range o.disks {
		disk, err := advise.ParseDisk(text)
		if err == nil {
			profile, err = advise.WithDisk(profile, disk)
		}
		if err != nil {
			return usagef("--disk: %w", err)
		}
	}
	question, err := o.question()
	if err == nil {
		err = question.Check(profile)
	}
	if err != nil {
		return usage(err)
	}
	answer, err := advise.Ask(profile, question)
	if err != nil {
		return fmt.Errorf("ask the model: %w", err)
	}
	doc := report.OfAnswer(answer)
	doc.Model = profile.Source
	return o.send(doc)
}

func (o *adviseOptions) question() (q advise.Question, err error) {
	q.Seed = o.seed
	if q.For, err = unit.ParseDuration(o.length); err != nil {
		return q, fmt.Errorf("--for: %w", err)
	}
	buffer, err := unit.ParseDuration(o.buffer)
	if err != nil {
		return q, fmt.Errorf("--buffer: %w", err)
	}
	if err := addStreams(&q, trace.Read, o.play, buffer); err != nil {
		return q, fmt.Errorf("--play: %w", err)
	}
	if err := addStreams(&q, trace.Write, o.record, buffer); err != nil {
		return q, fmt.Errorf("--record: %w", err)
	}
	files := func(disks []string, part advise.Part) {
		for _, disk := range disks {
			part.Disk = disk
			q.Parts = append(q.Parts, part)
		}
	}
	files(o.write, advise.Part{Op: trace.Write})
	files(o.read, advise.Part{Op: trace.Read})
	files(o.probe, advise.Part{Op: trace.Read, Probe: true})
	for _, text := range o.pace {
		disk, rate, err := advise.ParsePace(text)
		if err != nil {
			return q, fmt.Errorf("--pace: %w", err)
		}
		part := q.Part(disk)
		if part == nil || len(part.Streams) > 0 || part.Probe {
			return q,
				fmt.Errorf("--pace %s: disk %s moves no files here; add --write %s, or leave the pace out",
					text, disk, disk)
		}
		part.Pace = rate
	}
	for _, disk := range o.direct {
		part := q.Part(disk)
		if part == nil {
			return q,
				fmt.Errorf("--direct %s: disk %s does nothing here; say what it does, such as --write %s",
					disk, disk, disk)
		}
		part.OwnPort = true
	}
	return q, nil
}

// addStreams adds what disks play or record to the question.
func addStreams(q *advise.Question, op trace.Role, texts []string, buffer time.Duration) error {
	for _, text := range texts {
		disk, spec, err := advise.ParseStreams(text, op == trace.Write, buffer)
		if err != nil {
			return err
		}
		if part := q.Part(disk); part != nil && part.Op == op {
			part.Streams = append(part.Streams, spec)
			continue
		}
		q.Parts = append(q.Parts, advise.Part{Disk: disk, Op: op, Streams: []stream.Spec{spec}})
	}
	return nil
}
