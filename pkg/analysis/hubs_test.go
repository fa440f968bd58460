package analysis

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

var hubsTried = flag.Int("hubs", 0, "random hubs to judge; 80 for a full test, 0 for a few")

// TestCrowdsOut measures random hubs of which all is known and compares the answer with what the
// hub does when a disk is removed from the model.
//
//	go test ./pkg/analysis -run CrowdsOut -v -args -hubs 80
func TestCrowdsOut(t *testing.T) {
	var sum hubScore
	for i := range max(*hubsTried, 8) {
		rnd := rand.New(rand.NewPCG(uint64(i), 3600))
		w := randomHub(rnd, 3+max(0, i%8-4), i%4 == 3)
		before := len(sum.wrong)
		sum.judge(w, Analyze(w.study(rnd), Options{}))
		for _, what := range sum.wrong[before:] {
			t.Logf("hub %d: %s\n\t%s", i, what, w)
		}
	}
	t.Log(sum.String())
	if *hubsTried == 0 {
		return // a few hubs show that the test works
	}
	if sum.falseNames > 0 || sum.falseMoves > 0 {
		t.Errorf("want no disk named that takes nothing, and no wrong advice")
	}
	if 100*sum.given < 95*sum.worth {
		t.Errorf("advice in %d of %d hubs where a move helps, want 95 %%", sum.given, sum.worth)
	}
}

// What decides whether a claim about a hub is true. The gate was set with these limits.
const (
	helpsOther = 1.05 // Without a disk that crowds out, somebody has this factor more.
	helpsMove  = 0.10 // A move is worth advising if the others gain this much.
	moveError  = 0.02 // Gains are measured with this error.
	otherMove  = 0.05 // Advice is wrong if another move gains this much more.
	unslowed   = 0.98 // A disk that keeps this much of its speed alone is not slowed.
)

// hubWorld is a random hub with its disks.
type hubWorld struct {
	disks []hubDisk
	// The capacities are for writes, for reads and for both at once.
	writeCapacity, readCapacity, bothCapacity float64
	// Some disks share a second hub below this one, if it names any.
	bridge tracetest.Part
	noise  tracetest.Noise
	race   bool // Disks end some seconds apart.
}

// hubDisk is a disk on a random hub.
type hubDisk struct {
	name         string
	rate, weight map[trace.Role]float64
	pace         float64 // The disk asks for no more than this, if it is not 0.
}

// hubJob is a disk and what it does in a phase.
type hubJob struct {
	disk *hubDisk
	op   trace.Role
}

// randomHub makes a hub such as might be bought, with disks of very different speeds.
func randomHub(rnd *rand.Rand, disks int, bridged bool) *hubWorld {
	between := func(low, high float64) float64 { return low + (high-low)*rnd.Float64() }
	w := &hubWorld{writeCapacity: between(1.5e9, 3.6e9), readCapacity: between(1.5e9, 3.6e9)}
	w.race = rnd.IntN(2) == 0
	w.bothCapacity = between(1.1, 1.6) * (w.writeCapacity + w.readCapacity) / 2
	w.noise = tracetest.Noise{Sigma: 0.02}
	if rnd.IntN(2) == 0 {
		w.noise = tracetest.Noise{Wave: between(0.02, 0.05), MemoryS: 0.3}
	}
	paced := -1
	if rnd.IntN(5) == 0 {
		paced = rnd.IntN(disks)
	}
	for i := range disks {
		d := hubDisk{name: string(rune('A' + i))}
		d.rate, d.weight = map[trace.Role]float64{}, map[trace.Role]float64{}
		for _, op := range []trace.Role{trace.Write, trace.Read} {
			d.rate[op], d.weight[op] = between(0.3e9, 2.9e9), 1
		}
		if rnd.IntN(2) == 0 { // The faster disks pull more, or none does.
			d.weight[trace.Write] = math.Exp(0.6 * rnd.NormFloat64())
			d.weight[trace.Read] = math.Exp(0.2 * rnd.NormFloat64())
		}
		if i == paced {
			d.pace = between(0.1, 0.8) * min(d.rate[trace.Write], d.rate[trace.Read])
		}
		w.disks = append(w.disks, d)
	}
	if bridged {
		w.bridge.Capacity = between(0.4e9, 1.6e9)
		for _, i := range rnd.Perm(disks)[:2+rnd.IntN(disks-2)] {
			w.bridge.Disks = append(w.bridge.Disks, w.disks[i].name)
		}
		slices.Sort(w.bridge.Disks)
	}
	return w
}

func (w *hubWorld) String() string {
	text := fmt.Sprintf("hub: %.2f writes, %.2f reads, %.2f both;",
		w.writeCapacity/1e9, w.readCapacity/1e9, w.bothCapacity/1e9)
	for _, d := range w.disks {
		text += fmt.Sprintf(" %s W %.2f x%.2f R %.2f x%.2f", d.name, d.rate[trace.Write]/1e9,
			d.weight[trace.Write], d.rate[trace.Read]/1e9, d.weight[trace.Read])
		if d.pace > 0 {
			text += fmt.Sprintf(" paced at %.2f", d.pace/1e9)
		}
	}
	if w.bridge.Disks != nil {
		text += fmt.Sprintf("; %v share %.2f", w.bridge.Disks, w.bridge.Capacity/1e9)
	}
	return text
}

// play has some disks work together, each until its end.
func (w *hubWorld) play(
	rnd *rand.Rand, noise tracetest.Noise, endS func() float64, jobs []hubJob,
) []*trace.DiskRecord {
	h := tracetest.Hub{Capacity: w.bothCapacity, Weights: map[string]float64{}, Outside: true}
	writers := tracetest.Part{Capacity: w.writeCapacity, Disks: []string{}}
	readers := tracetest.Part{Capacity: w.readCapacity, Disks: []string{}}
	var disks []tracetest.Disk
	for _, j := range jobs {
		rate := j.disk.rate[j.op]
		if j.disk.pace > 0 {
			rate = j.disk.pace
		}
		h.Weights[j.disk.name] = j.disk.weight[j.op]
		if j.op == trace.Write {
			writers.Disks = append(writers.Disks, j.disk.name)
		} else {
			readers.Disks = append(readers.Disks, j.disk.name)
		}
		disks = append(disks, tracetest.Disk{
			Name: j.disk.name, Op: j.op, Levels: []tracetest.Level{{UntilS: endS(), Rate: rate}},
			Sizes: tracetest.Between(50e6, 500e6), Noise: noise,
		})
	}
	h.Parts = []tracetest.Part{writers, readers}
	if w.bridge.Disks != nil {
		h.Parts = append(h.Parts, w.bridge)
	}
	return h.Play(rnd, disks...)
}

// rates returns what the disks get together by the model.
func (w *hubWorld) rates(jobs []hubJob) map[string]float64 {
	const seconds = 0.1
	rates := map[string]float64{}
	quiet, endS := rand.New(rand.NewPCG(1, 1)), func() float64 { return seconds }
	for _, d := range w.play(quiet, tracetest.Noise{}, endS, jobs) {
		for _, f := range d.Files {
			rates[d.Name] += float64(f.Bytes) / seconds
		}
	}
	return rates
}

// phase measures some disks together.
func (w *hubWorld) phase(rnd *rand.Rand, jobs []hubJob) *trace.Phase {
	p := tracetest.Phase(phaseName(jobs), w.play(rnd, w.noise, func() float64 {
		if w.race {
			return 14 + 4*rnd.Float64()
		}
		return 14
	}, jobs)...)
	for _, j := range jobs {
		if j.disk.pace > 0 {
			p.Work = map[string]work.Work{j.disk.name: {Pace: j.disk.pace}}
		}
	}
	return p
}

func phaseName(jobs []hubJob) string {
	var parts []string
	for _, j := range jobs {
		parts = append(parts, fmt.Sprintf("%s %s", j.disk.name, j.op))
	}
	return strings.Join(parts, ", ")
}

// study measures the full matrix of three disks. More disks are measured alone, all together and
// without each one.
func (w *hubWorld) study(rnd *rand.Rand) *trace.Run {
	var phases []*trace.Phase
	for _, jobs := range w.mixes() {
		phases = append(phases, w.phase(rnd, jobs))
	}
	return tracetest.Run(phases...)
}

// mixes lists the study's phases, the fewest disks first.
func (w *hubWorld) mixes() [][]hubJob {
	var all [][]hubJob
	n := len(w.disks)
	for code := range int(math.Pow(3, float64(n))) { // digits in base 3: idle, write, read
		jobs, writes, reads := []hubJob{}, 0, 0
		for i := range w.disks {
			switch code / int(math.Pow(3, float64(i))) % 3 {
			case 1:
				jobs, writes = append(jobs, hubJob{&w.disks[i], trace.Write}), writes+1
			case 2:
				jobs, reads = append(jobs, hubJob{&w.disks[i], trace.Read}), reads+1
			}
		}
		full := n == 3 || len(jobs) == 1
		if len(jobs) == 0 || !full && (len(jobs) < n-1 || writes > 0 && reads > 0) {
			continue // Of many disks no mixed traffic is measured.
		}
		all = append(all, jobs)
	}
	slices.SortStableFunc(all, func(a, b []hubJob) int { return len(a) - len(b) })
	return all
}

// without returns the others.
func without(jobs []hubJob, disk string) []hubJob {
	return slices.DeleteFunc(slices.Clone(jobs), func(j hubJob) bool { return j.disk.name == disk })
}

// takes reports whether somebody has more without the disk.
func (w *hubWorld) takes(disk string, jobs []hubJob, from ...string) bool {
	with, freed := w.rates(jobs), w.rates(without(jobs, disk))
	for name, rate := range freed {
		if rate >= helpsOther*with[name] && (len(from) == 0 || slices.Contains(from, name)) {
			return true
		}
	}
	return false
}

// isModest reports whether the disk clearly has less than its even share.
func (w *hubWorld) isModest(disk string, jobs []hubJob) bool {
	rates, total := w.rates(jobs), 0.0
	for _, rate := range rates {
		total += rate
	}
	return rates[disk] < 0.95*total/float64(len(jobs))
}

// gains returns what the others gain when a disk is moved to its own port: the mean over the
// phases of all disks, and the gain of the phases' totals.
func (w *hubWorld) gains(disk string) (mean, total float64) {
	n, with, freed := 0.0, 0.0, 0.0
	for _, jobs := range w.mixes() {
		if len(jobs) < len(w.disks) {
			continue
		}
		before, after := 0.0, 0.0
		both := w.rates(jobs)
		for name, rate := range w.rates(without(jobs, disk)) {
			before, after = before+both[name], after+rate
		}
		mean += after/before - 1
		n++
		with, freed = with+before, freed+after
	}
	return mean / n, freed/with - 1
}

// hubScore counts over random hubs.
type hubScore struct {
	hubs, named, falseNames int // disks that are named to crowd out
	modest                  int // of these, disks that have less than their even share
	steals, falseSteals     int // findings that name who takes and who loses
	slowed, falseSlowed     int
	kept, tooMuch           int // retentions, and those above 105 %
	moves, falseMoves       int
	worth, given            int // hubs on which a move helps, and those of them with advice to move
	wrong                   []string
}

func (s *hubScore) String() string {
	return fmt.Sprintf("%d hubs: crowds out: %d of %d named falsely, %d below an even share; "+
		"steals: %d of %d false; slowed: %d of %d false; retention above 105 %%: %d of %d; "+
		"advice: %d of %d wrong; given in %d of %d where a move helps",
		s.hubs, s.falseNames, s.named, s.modest, s.falseSteals, s.steals, s.falseSlowed, s.slowed,
		s.tooMuch, s.kept, s.falseMoves, s.moves, s.given, s.worth)
}

func (s *hubScore) note(format string, values ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf(format, values...))
}

// judge compares an analysis with the model.
func (s *hubScore) judge(w *hubWorld, a *Analysis) {
	s.hubs++
	mixes := map[string][]hubJob{}
	for _, jobs := range w.mixes() {
		mixes[phaseName(jobs)] = jobs
	}
	for _, o := range a.Answer.Wins {
		s.named++
		if !w.takes(o.Disk, mixes[o.Phases[0]]) {
			s.falseNames++
			s.note("%s is said to crowd out in %q", o.Disk, o.Phases)
		}
		if w.isModest(o.Disk, mixes[o.Phases[0]]) {
			s.modest++
			s.note("%s is said to crowd out in %q with less than its even share", o.Disk, o.Phases)
		}
	}
	for _, o := range a.Answer.Loses {
		s.slowed++
		jobs := mixes[o.Phases[0]]
		alone := w.rates(jobs[jobOf(jobs, o.Disk):][:1])
		if w.rates(jobs)[o.Disk] >= unslowed*alone[o.Disk] {
			s.falseSlowed++
			s.note("%s is said to be slowed in %q", o.Disk, o.Phases)
		}
	}
	for _, f := range a.Findings {
		if f.Code != "steal" {
			continue
		}
		s.steals++
		if !w.takes(f.Disk, mixes[f.Phase], f.Disks...) {
			s.falseSteals++
			s.note("a finding has %s take from %v in %q", f.Disk, f.Disks, f.Phase)
		}
	}
	for i := range a.Phases {
		p := &a.Phases[i]
		if p.Contention == nil {
			continue
		}
		for name, d := range p.Contention.Disks {
			if d.Retention == nil {
				continue
			}
			if s.kept++; *d.Retention > 1.05 {
				s.tooMuch++
				s.note("%s kept %.2f in %q", name, *d.Retention, p.Name)
			}
		}
	}
	s.advice(w, a)
}

func jobOf(jobs []hubJob, disk string) int {
	return slices.IndexFunc(jobs, func(j hubJob) bool { return j.disk.name == disk })
}

// advice compares the advice with all moves.
func (s *hubScore) advice(w *hubWorld, a *Analysis) {
	// Each move has two gains. These are the highest by the lesser and by the greater of both.
	var surest, best float64
	least, most := map[string]float64{}, map[string]float64{}
	for _, d := range w.disks {
		mean, total := w.gains(d.name)
		least[d.name], most[d.name] = min(mean, total), max(mean, total)
		surest, best = max(surest, least[d.name]), max(best, most[d.name])
	}
	worth, moved := surest >= helpsMove+moveError, false
	for _, advice := range a.Answer.Advice {
		if advice.Kind != AdviceOwnPort && advice.Kind != AdviceAnyOwnPort {
			if worth {
				s.note("advice is %q where a move helps by %.0f %%", advice.Kind, 100*surest)
			}
			continue
		}
		s.moves++
		moved = true
		for _, disk := range advice.Disks {
			if most[disk] < helpsMove-moveError || surest > most[disk]+otherMove+moveError {
				s.falseMoves++
				s.note("%s is to move, which gains %.2f, where the best gains %.2f", disk,
					most[disk], best)
				break
			}
		}
	}
	if worth {
		s.worth++
		if moved {
			s.given++
		}
	}
}
