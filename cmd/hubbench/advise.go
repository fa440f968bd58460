package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/advise"
)

func newAdvise(p program) *cobra.Command {
	out := p.output()
	var request advise.Request
	cmd := &cobra.Command{
		Use:   "advise PROFILE",
		Short: "Predict whether streams survive beside other disks",
		Long: `Predict from a hub profile whether all streams that disks play or record stay clean
(no dropped frame, no buffer below half) while other disks on the hub write or read as fast as they
can: yes, no, or too close to call, by what margin and, unless it is yes, what to change. Nothing
is measured. PROFILE is a .yaml that fit wrote, or built in:
` + strings.Join(configs.Hubs(), ", ") + `.

If the profile holds observations, hubs that agree with them are simulated: the answer is yes if the
streams stay clean on 95 % of them, and no if they fail on as many. If no model explains the
observations, only measured combinations are answered. Figures of other profiles, and data sheets
given by --disk, are assumed to be right to ±10 %.

The exit code is 0 whatever the answer.`,
		Example: `  hubbench advise goshen-ridge --play A=4xprores-422-hq-uhd-25 --write B
  hubbench advise my-hub.yaml --record A=92MB/s --read B --pace B=200MB/s --for 5min
  hubbench advise goshen-ridge --disk X=2.8/2.8GB/s --play X=8xprores-422-hq-uhd-25 --write C`,
		Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return ask(&out, &request, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&request.Play, "play", nil,
		"streams that a disk plays, by codec or rate: `A=4xCODEC`, A=4x92MB/s; hubbench plan --codecs lists the codecs")
	flags.StringArrayVar(&request.Record, "record", nil, "streams that a disk records: `A=2xCODEC`")
	flags.StringSliceVar(&request.Write, "write", nil, "a `DISK` that writes files as fast as it can")
	flags.StringSliceVar(&request.Read, "read", nil, "a `DISK` that reads files as fast as it can")
	flags.StringSliceVar(&request.Probe, "probe", nil, "a `DISK` that is only sent occasional single requests")
	flags.StringSliceVar(&request.Direct, "direct", nil, "a `DISK` on its own port")
	flags.StringSliceVar(&request.Pace, "pace", nil, "limit the rate at which a disk moves files: `B=200MB/s`")
	flags.StringArrayVar(&request.Disk, "disk", nil, "add a disk to the hub by its data sheet: "+
		"`X=2.8/2.5GB/s` reads 2.8 and writes 2.5; X=2.8/2.5GB/s,cache=24GB@0.65GB/s")
	flags.StringVar(&request.For, "for", "60s", "how long the streams must stay clean")
	flags.StringVar(&request.Buffer, "buffer", "1s", "how much of each stream is held ahead")
	flags.Uint64Var(&request.Seed, "seed", 1, "seed of the hubs that are simulated")
	documentFlags(cmd, &out, printed())
	return cmd
}

func ask(out *output.Output, request *advise.Request, name string) error {
	profile, err := prepare.LoadProfile(name)
	if err != nil {
		return exit.Usage(err)
	}
	question, profile, err := request.Question(profile)
	if err != nil {
		return exit.Usage(err)
	}
	answer, err := advise.Ask(profile, question)
	if err != nil {
		return fmt.Errorf("ask the model: %w", err)
	}
	doc := report.OfAnswer(answer)
	doc.Model = profile.Source
	return out.Send(doc)
}
