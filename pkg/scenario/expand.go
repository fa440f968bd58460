package scenario

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Limits of a plan, far above any sensible test: they keep a typo (repeat: 10000000) from filling
// memory.
const (
	maxPlanPhases = 1000
	maxPlanFiles  = 5_000_000
	maxPlanBytes  = 1 << 60
)

// grain is what drawn sizes are multiples of, in bytes, so that they can be moved past the cache
// whole.
const grain = 4096

// Plan resolves everything. It fails only if the phases are too large, or the name of a repeat is
// another phase's; the error is like Load's.
func (s *Scenario) Plan() (*Plan, error) {
	if err := s.checkSum(); err != nil {
		return nil, err
	}
	names, err := s.phaseNames()
	if err != nil {
		return nil, err
	}
	plan := &Plan{Name: s.Name, Seed: s.Seed, Disks: slices.Clone(s.Disks)}
	if s.Hub != nil {
		plan.Hub = new(*s.Hub)
	}
	var bytes int64
	var mistakes yaml.Doc
	for _, t := range s.turns() {
		spec := s.specs[t.entry]
		variants := s.variants(spec)
		for i, variant := range variants {
			phase := s.expand(spec, names[t.entry][t.repeat*len(variants)+i], variant)
			if t.repeat > 0 || i > 0 {
				phase.Pause = "" // the one before the first holds for all
			}
			if i > 0 {
				phase.Cooldown = max(phase.Cooldown, presetByName(spec.work.Preset).between)
			}
			for _, j := range phase.Jobs {
				if bytes += j.Bytes(); bytes > maxPlanBytes {
					return nil,
						s.pos.Errorf("the phases move more than 1 EB in total; try fewer or " +
							"smaller files")
				}
				if err := spec.checkFootprint(j); err != nil {
					mistakes.Report(err)
				}
			}
			plan.Phases = append(plan.Phases, phase)
		}
	}
	if err := cmp.Or(mistakes.Err(), s.checkExpect(plan)); err != nil {
		return nil, err
	}
	return plan, nil
}

// Repeat has every phase of the scenario run that many times as often.
func (s *Scenario) Repeat(times int) {
	for i := range s.specs {
		s.specs[i].Repeat *= times
	}
}

// checkFootprint refuses a footprint that does not hold what must be on the disk at one time.
func (p phaseSpec) checkFootprint(j Job) *yaml.Error {
	need := sum(j.Needs())
	what := "reads files of %s in total"
	try := "read fewer or smaller files there"
	if len(j.Streams) > 0 {
		need, what, try = sum(p.most(j).StreamFiles()), "has streams that need at least %s",
			"use fewer streams there"
	}
	if j.IO.Footprint <= 0 || need <= j.IO.Footprint {
		return nil
	}
	return p.pos.Errorf("disk %s "+what+", more than its footprint of %s; "+try+
		", or raise the footprint",
		yaml.Quote(j.Disk), unit.FormatBytes(need), unit.FormatBytes(j.IO.Footprint))
}

type turn struct {
	entry, repeat int // from zero
}

// turns returns the order of all: entry by entry, with its repeats. The repeats of a study are
// rounds of all its phases, every other one in reverse, so that a drift over the run, such as heat,
// favours none of them.
func (s *Scenario) turns() []turn {
	var turns []turn
	rounds := 0
	for i, p := range s.specs {
		if p.study && s.interleave {
			rounds = p.Repeat // the same in all phases of the study
			continue
		}
		for repeat := range p.Repeat {
			turns = append(turns, turn{i, repeat})
		}
	}
	for repeat := range rounds {
		for i := range s.specs {
			if repeat%2 == 1 {
				i = len(s.specs) - 1 - i
			}
			if s.specs[i].study {
				turns = append(turns, turn{i, repeat})
			}
		}
	}
	return turns
}

// checkSum refuses more phases or files than any test has, before they take memory.
func (s *Scenario) checkSum() error {
	phases := 0
	files := 0
	for _, p := range s.specs {
		times := p.Repeat * len(s.variants(p))
		phases += times
		for _, d := range s.Disks {
			if p.Roles[d.Name] != trace.Idle {
				files += times * p.filesOf(d.Name)
			}
		}
		if phases > maxPlanPhases {
			return p.pos.Errorf("more than %d phases, counting repeats; use fewer repeats",
				maxPlanPhases)
		}
		if files > maxPlanFiles {
			return p.pos.Errorf("more than %d files in all phases; try fewer files or repeats",
				maxPlanFiles)
		}
	}
	return nil
}

func (p phaseSpec) accompanies(disk string) bool {
	_, probed := p.Probes[disk]
	return probed || len(p.Streams[disk]) > 0
}

// filesOf returns the number of files a working disk moves, warm-up included.
func (p phaseSpec) filesOf(disk string) int {
	if p.accompanies(disk) {
		return 1
	}
	files := p.Files[disk]
	if files == 0 {
		files = p.work.count()
	}
	return files + p.work.warmUp()
}

// expand makes one phase of an entry: of one repeat and one test.
func (s *Scenario) expand(spec phaseSpec, name string, variant test) Phase {
	if step := variant.saturation; step != nil && step.Disk != "" {
		spec.Roles = aloneIn(spec.Roles, step.Disk)
	}
	workload := spec.work.resolved()
	phase := spec.Phase
	phase.Name = name
	phase.Roles = maps.Clone(spec.Roles)
	phase.Connections = s.connections(spec)
	phase.Target = workload.target()
	phase.Test = variant.name
	phase.Score = presetByName(workload.Preset).score
	movers := 0
	for _, d := range s.Disks {
		role := spec.Roles[d.Name]
		if role == trace.Idle {
			continue
		}
		job := Job{Disk: d.Name, Role: role}
		job.Seed, _ = digest(workload.Seed, "data", name, d.Name)
		if spec.accompanies(d.Name) {
			phase.Jobs = append(phase.Jobs, spec.accompanying(job))
			continue
		}
		movers++
		job.Sizes = workload.draw(name, d.Name, spec.filesOf(d.Name))
		job.IO = workload.IO
		job.Source = work.Sizes(workload.Sizes)
		job.Order = workload.Order
		if list := job.Source.List; len(list) > len(job.Sizes) {
			job.Source.List = list[:len(job.Sizes)]
		}
		job.Pace = spec.Pace[d.Name]
		job.Reads = float64(spec.Mix[d.Name])
		switch {
		case job.Reads > 0:
			job.Alone = max(d.Speed.Read, d.Speed.Write)
		case role == trace.Read:
			job.Alone = d.Speed.Read
		default:
			job.Alone = d.Speed.Write
		}
		if variant.block > 0 {
			job.IO.Access = variant.access
			job.IO.Block = variant.block
			job.IO.Depth = variant.depth
		}
		phase.Jobs = append(phase.Jobs, job)
	}
	if movers > 1 {
		for i := range phase.Jobs {
			if io := &phase.Jobs[i].IO; io.Rest > 0 {
				// The fastest would otherwise soon work while the others rest.
				io.Step = io.Cap + io.Rest
			}
		}
	}
	if variant.saturation != nil {
		step := *variant.saturation
		step.Of = strings.TrimSuffix(name, " "+variant.name)
		phase.saturate(step)
	}
	return phase
}

// accompanying makes the job of a disk that has no files to move. Its requests always bypass the
// system's cache, one at a time in a frame or a probe, whatever the workload says.
func (p phaseSpec) accompanying(j Job) Job {
	io := p.work.IO
	j.IO = IO{
		Mode: ModeDirect, Block: io.Block, Depth: io.Depth, Flush: FlushNone, Verify: VerifyOff,
		Preallocate: true, Keep: io.Keep, Footprint: io.Footprint,
	}
	if probe, ok := p.Probes[j.Disk]; ok {
		j.Probe = probe.Every
		j.IO.Block = probe.Block
		j.IO.Depth = 1
		j.IO.Access = AccessRandom
		j.Sizes = []int64{probe.Block * max(1, int64(time.Second/probe.Every))}
		return j
	}
	j.Streams = slices.Clone(p.Streams[j.Disk])
	j.IO.Block = streamBlock(j.Streams, io.Block)
	j.Sizes = []int64{streamSecond(j.Streams)}
	j.Stretch = stretch(p.most(j).Streams, io.Footprint)
	return j
}

// connections returns those of a phase's working disks that are not the usual ones; nil if there is
// none.
func (s *Scenario) connections(spec phaseSpec) map[string]string {
	others := map[string]string{}
	for _, d := range s.Disks {
		label, ok := spec.Connections[d.Name]
		if ok && label != d.Connection && spec.Roles[d.Name] != trace.Idle {
			others[d.Name] = label
		}
	}
	if len(others) == 0 {
		return nil
	}
	return others
}

// phaseNames names every phase: those of each entry, one for each repeat and test. An entry's own
// name stands; one without is named after its pattern, numbered from the second on (WWW, WWW-2);
// repeats are numbered from the first (WWW-1, WWW-2); a test comes last (WWW SEQ1M QD8).
func (s *Scenario) phaseNames() ([][]string, error) {
	taken := map[string]bool{} // by what looks the same
	all := make([][]string, len(s.specs))
	take := func(i int, base string) bool {
		var names []string
		for repeat := range s.specs[i].Repeat {
			name := base
			if s.specs[i].Repeat > 1 {
				name = fmt.Sprintf("%s-%d", base, repeat+1)
			}
			for _, variant := range s.variants(s.specs[i]) {
				names = append(names, strings.TrimSpace(name+" "+variant.name))
			}
		}
		if slices.ContainsFunc(names, func(name string) bool { return taken[folded(name)] }) {
			return false
		}
		for _, name := range names {
			taken[folded(name)] = true
		}
		all[i] = names
		return true
	}
	var mistakes yaml.Doc
	for i, p := range s.specs { // names given come first, wherever they stand
		if p.Name != "" && !take(i, p.Name) {
			mistakes.Report(p.pos.Errorf("phase %s, or one of its repeats, has the same name as "+
				"another phase; rename it",
				yaml.Quote(p.Name)))
		}
	}
	if err := mistakes.Err(); err != nil {
		return nil, err
	}
	for i, p := range s.specs {
		base := p.auto
		for n := 2; p.Name == "" && !take(i, base); n++ {
			base = fmt.Sprintf("%s-%d", p.auto, n)
		}
	}
	return all, nil
}

// draw returns the sizes of a job's files in the order of transfer, of a workload that is resolved.
//
// Drawn sizes depend on the seed and the disk alone: a disk moves the same files in every phase
// that does not override them (as many of them as the phase has), so that phases differ only by
// their pattern, and files written for one read phase serve the next. A shuffled list has an order
// of its own in each phase.
func (w workload) draw(phase, disk string, files int) []int64 {
	sizes := make([]int64, files)
	if list := w.Sizes.List; list != nil {
		for i := range sizes {
			sizes[i] = list[i%len(list)]
		}
		if w.Order == work.Random { // Fisher and Yates
			r := rand.NewPCG(digest(w.Seed, "order", phase, disk))
			for i := files - 1; i > 0; i-- {
				j := below(r, int64(i+1))
				sizes[i], sizes[j] = sizes[j], sizes[i]
			}
		}
	} else {
		r := rand.NewPCG(digest(w.Seed, "sizes", disk))
		for i := range sizes {
			sizes[i] = drawSize(w.Sizes, r)
		}
	}
	switch w.Order {
	case work.Ascending:
		slices.Sort(sizes)
	case work.Descending:
		slices.SortFunc(sizes, func(a, b int64) int { return cmp.Compare(b, a) })
	}
	return sizes
}

// drawSize takes the next size from the range: a multiple of the grain, unless it holds none.
func drawSize(s sizes, r *rand.PCG) int64 {
	unit := int64(grain)
	least := (s.Min + unit - 1) / unit
	most := s.Max / unit
	if least > most {
		unit = 1
		least = s.Min
		most = s.Max
	}
	if s.Distribution == work.LogUniform {
		// Every value between two whole numbers is rounded down, so the range is that of the
		// numbers' lower edges.
		from := math.Log(float64(least))
		to := math.Log(float64(most + 1))
		fraction := float64(r.Uint64()>>11) / (1 << 53)
		return unit * min(max(int64(math.Exp(from+fraction*(to-from))), least), most)
	}
	return unit * (least + below(r, most-least+1))
}

// digest makes of a seed and the words for one purpose what starts its random numbers: the same
// ones for the same seed and words, and unrelated ones for any other, so that what one purpose
// draws never changes another's. The words' lengths count: ("ab", "c") differs from ("a", "bc").
func digest(seed uint64, words ...string) (first, second uint64) {
	data := binary.LittleEndian.AppendUint64(nil, seed)
	for _, w := range words {
		data = binary.LittleEndian.AppendUint64(data, uint64(len(w)))
		data = append(data, w...)
	}
	sum := sha256.Sum256(data)
	return binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])
}

// below returns a number from 0 to n-1, by multiplication: biased by less than n/2^64, and (unlike
// rand.Rand's methods) fixed here, so that a plan is the same whatever Go release built the tool.
func below(r *rand.PCG, n int64) int64 {
	high, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int64(high)
}
