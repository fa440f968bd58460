package advise

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fileSize is the size of files moved beside streams, in bytes: about the mean of the preset
// random.
const fileSize = 1e9

// A probe's requests: it slows nothing down, so this hardly matters.
const (
	probeBlock = 4096
	probeEvery = 10 * time.Millisecond
)

// ensemble is the hubs that are simulated: the middle one, and those drawn.
type ensemble struct {
	middle    *model.Candidate
	hubs      []model.Candidate
	refused   string // why nothing is known that was not measured; empty if it is
	length    time.Duration
	fillTimes map[string]float64 // the disks whose caches fill in that time, and when
	err       error              // the first
}

type playResult struct {
	caches  cacheState
	streams []StreamResult
	clean   bool
	filled  map[string]float64 // when each disk that writes had used up its cache, in seconds
}

// lowest is the lowest level of any buffer, as a share of it; below zero by the frames that were
// late.
func (p *playResult) lowest() float64 {
	lowest := 1.0
	for _, s := range p.streams {
		lowest = min(lowest, s.LowestBufferS/s.BufferS-float64(s.Late))
	}
	return lowest
}

// play plays the parts on the middle hub, whose caches are rested or used up.
func (c *ensemble) play(parts []Part, caches cacheState, length time.Duration) (playResult, error) {
	// A hub that falls short of the profile is asked for as much more.
	off := factorsOf(c.middle, parts)
	asked := withRates(parts, func(disk string) float64 { return 1 / off[disk] })
	plan, phase := planOf(asked, length)
	profile := withCaches(c.middle.Profile, caches)
	sim := hub.NewSim(profile)
	if err := sim.JoinPhase(plan, phase); err != nil {
		return playResult{}, err
	}
	out := playResult{caches: caches, clean: true, filled: map[string]float64{}}
	specs := map[string][]stream.Spec{}
	outcomes := map[string][]stream.Totals{}
	for _, part := range asked {
		specs[part.Disk], outcomes[part.Disk] = part.Streams, make([]stream.Totals, part.streams())
		if cache := profile.Disk(part.Disk).Cache; cache != nil && part.writes() {
			if err := sim.Ask(part.Disk, cache.Bytes); err != nil {
				return playResult{}, err
			}
		}
	}
	for at := int64(stream.SampleNS); at <= length.Nanoseconds(); at += stream.SampleNS {
		for _, g := range sim.Advance(at) {
			if !g.Ended {
				out.filled[g.Disk] = float64(g.DoneNS) / 1e9
			}
		}
		for _, e := range sim.Samples(phase.Name) {
			spec, known := stream.Named(specs[e.Disk], e.Stream)
			n, err := strconv.Atoi(e.Stream)
			if err != nil || !known {
				return playResult{},
					fmt.Errorf("disk %s: the model plays a stream %q that was not asked for",
						e.Disk, e.Stream)
			}
			o := &outcomes[e.Disk][n-1]
			o.Add(e.StreamSample())
			v := o.Verdict(spec.Buffer.Nanoseconds())
			out.clean = out.clean && v != stream.Strained && v != stream.Drops
		}
	}
	out.streams = streamsOf(parts, outcomes)
	return out, nil
}

func streamsOf(parts []Part, outcomes map[string][]stream.Totals) []StreamResult {
	out := []StreamResult{}
	for _, part := range parts {
		all := outcomes[part.Disk]
		for _, spec := range part.Streams {
			s := StreamResult{
				Disk: part.Disk, Op: part.Op, Kind: spec.Kind, Count: spec.Count, Rate: spec.Rate,
				BufferS: spec.Buffer.Seconds(), LowestBufferS: spec.Buffer.Seconds(),
			}
			for _, o := range all[:spec.Count] {
				s.Due += o.Due
				s.Late += o.Late
				s.LongestStallS = max(s.LongestStallS, float64(o.StallNS)/1e9)
				s.LowestBufferS = min(s.LowestBufferS, float64(o.LowestNS)/1e9)
				s.Verdict = stream.Worst(s.Verdict, o.Verdict(spec.Buffer.Nanoseconds()))
			}
			all = all[spec.Count:]
			out = append(out, s)
		}
	}
	return out
}

type cacheState string

const (
	rested cacheState = "rested"
	usedUp cacheState = "used up"
)

// withCaches is the profile, or one of disks that write as they do once their caches are used up.
func withCaches(p *hub.Profile, state cacheState) *hub.Profile {
	if state == rested {
		return p
	}
	out := *p
	out.Disks = slices.Clone(p.Disks)
	for i := range out.Disks {
		d := &out.Disks[i]
		if d.Cache != nil {
			d.Write.Hub, d.Write.Direct = min(d.Write.Hub, d.Cache.After),
				min(d.Write.Direct, d.Cache.After)
			d.Cache = nil
		}
	}
	return &out
}

// factorsOf is how far each disk on the hub is off, by what all of them do together.
func factorsOf(h *model.Candidate, parts []Part) map[string]float64 {
	o := mixOf(parts)
	out := map[string]float64{}
	for i := range parts {
		out[parts[i].Disk] = 1
	}
	for i, off := range h.Factors(&o) {
		out[o.Disks[i].Disk] = off
	}
	return out
}

func mixOf(parts []Part) hub.Observation {
	var o hub.Observation
	for i := range parts {
		if part := &parts[i]; !part.OwnPort && !part.Probe {
			o.Disks = append(o.Disks, hub.Observed{Disk: part.Disk, Op: part.Op})
		}
	}
	return o
}

func withRates(parts []Part, factor func(disk string) float64) []Part {
	out := slices.Clone(parts)
	for i := range out {
		f := factor(out[i].Disk)
		out[i].Streams = slices.Clone(out[i].Streams)
		for k := range out[i].Streams {
			out[i].Streams[k].Rate *= f
		}
	}
	return out
}

// bufferFrames is the minimum number of frames in a buffer after folding.
const bufferFrames = 20

// foldStreams makes one stream of those of a kind on a disk, with frames as long as its buffer
// allows: the disk has as much to move in the same time, in fewer steps, which only shows whether
// it is clean.
func foldStreams(parts []Part) []Part {
	out := slices.Clone(parts)
	for i := range out {
		out[i].Streams = slices.Clone(out[i].Streams)
		for k := range out[i].Streams {
			s := &out[i].Streams[k]
			s.Rate = s.TotalRate()
			s.Count = 1
			if n := int(s.Buffer.Seconds() / bufferFrames / s.Frame.Seconds()); n > 1 {
				s.Frame = time.Duration(int64(n) * s.Frame.Nanoseconds())
			}
		}
	}
	return out
}

func (p *Part) writes() bool { return p.Op == trace.Write && !p.Probe }

func planOf(parts []Part, length time.Duration) (*scenario.Plan, *scenario.Phase) {
	plan := &scenario.Plan{Name: "advise"}
	phase := &scenario.Phase{Name: "advise", Stop: scenario.StopTime, Limit: length,
		Roles: map[string]trace.Role{}}
	for _, part := range parts {
		disk := scenario.Disk{Name: part.Disk, Profile: part.Disk}
		if part.OwnPort {
			disk.Connection = trace.Direct
		}
		job := scenario.Job{Disk: part.Disk, Role: part.Op, Sizes: []int64{fileSize},
			Pace:    part.Pace,
			Streams: part.Streams}
		switch {
		case part.Probe:
			job.Probe = probeEvery
			job.IO.Block = probeBlock
			job.Sizes = []int64{probeBlock}
		case len(part.Streams) > 0:
			job.Sizes = []int64{max(1, int64(part.streamRate()))}
		}
		plan.Disks = append(plan.Disks, disk)
		phase.Jobs = append(phase.Jobs, job)
		phase.Roles[part.Disk] = part.Op
	}
	plan.Phases = []scenario.Phase{*phase}
	return plan, phase
}
