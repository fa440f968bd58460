package configs

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

var update = flag.Bool("update", false, "write the tables of hubs anew")

// Every figure that was published comes back within 5%, or the table says which others forbid it.
func TestGoshenRidgeNotes(t *testing.T) {
	p := load(t, "goshen-ridge")
	p.Noise = 0 // the rates themselves
	n := contended(t, p)
	overTime(t, p, n)
	overSize(t, p, n)

	met := 0
	var table strings.Builder
	table.WriteString(intro)
	var reasons strings.Builder
	for _, row := range n.rows {
		fmt.Fprintln(&table, row)
		switch far := math.Abs(row.off()) > 0.05; {
		case !far && row.why == "":
			met++
		case far && row.why == "":
			t.Errorf("%s\nis more than 5%% off: fit it, or say why it can't be", row)
		case far:
			fmt.Fprintf(&reasons, "\n- %s: %s\n", row.what, row.why)
		case row.why != "":
			t.Errorf("%s\nis not more than 5%% off: what it says against it has gone", row)
		}
	}
	evidence.Report(t, evidence.AtLeast("goshen-ridge",
		"published figures that the model gives within 5%; the others contradict these, and hubs/goshen-ridge.md says how", met, len(n.rows), len(n.rows)-2))
	table.WriteString(outro)
	table.WriteString(reasons.String())

	const file = "hubs/goshen-ridge.md"
	if *update {
		check.Must(t, os.WriteFile(file, []byte(table.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	check.Must(t, err)
	if diff := gocmp.Diff(string(want), table.String()); diff != "" {
		t.Errorf("%s is not what the model gives; -update writes it anew (-file +model):\n%s", file,
			diff)
	}
}

// contended is what the disks do alone and beside others.
func contended(t *testing.T, p *hub.Profile) *notes {
	n := &notes{}
	alone(t, p, n)
	together(t, p, n)
	mixed(t, p, n)
	return n
}

// No parameter that decides who gets how much can be changed alone for the figures to come closer,
// except for rounding.
func TestGoshenRidgeIsFitted(t *testing.T) {
	if evidence.Raced {
		t.Skip("it plays the scenarios nineteen times over")
	}
	misfit := func(p *hub.Profile) float64 {
		sum := 0.0
		for _, row := range contended(t, p).rows {
			if row.why == "" {
				sum += row.off() * row.off()
			}
		}
		return sum
	}
	p := load(t, "goshen-ridge")
	p.Noise = 0
	fitted := misfit(p)
	c := &p.Capacity
	for name, value := range map[string]*float64{
		"read": &c.Read, "write": &c.Write, "both": &c.Both, "pair": &c.Pair,
		"two_writers": &c.TwoWriters, "weights": &c.WriteWeight,
		"A": &p.Disk("A").Write.Hub, "B": &p.Disk("B").Write.Hub, "C": &p.Disk("C").Write.Weight,
	} {
		was := *value
		for _, factor := range []float64{0.98, 1.02} {
			*value = factor * was
			if got := misfit(p); got < 0.98*fitted {
				t.Errorf("%s times %g: the squares sum up to %.4f, with the profile's %.4f", name,
					factor, got, fitted)
			}
		}
		*value = was
	}
}

const intro = `# The Goshen Ridge hub: what was published, and what its model gives

The figures are from five published field reports (2021-2023) on external SSDs and Thunderbolt hubs,
timed by hand. The model, goshen-ridge.yaml, is fitted to all of them that can be met, by least
squares in relative error; a range is met anywhere within it. The column "model" is what an analysis
says of the scenario played on the model, without its noise from file to file: a disk alone by the
mean of its files (160 of 16 sizes), disks together by their rates in the overlap (files of 2 MB to
2 GB). "Off" counts from the nearer end of a range. The first letter of WRR and RWW is C's.

Some figures contradict each other unless the hub carries more or less by who is at work, so the
model lets it. Two disks move 3.0 (reads) and 3.2 GB/s (writes), three of them 3.4: "pair". One
writer and two readers move 4.8 GB/s, two writers and one reader 4.3, less in either direction:
"two_writers". That one rests on these two cases alone.

What the X5's figures over a whole run come to hangs on the order of its files, which was not
published. Of 2,000 random orders of 64 files, 295 have a mean and a trimmed mean within 5% of the
published ones, and 4 of those least squares too (over all orders it gives 0.71 to 1.41 GB/s, mostly
near 0.9): one of the 4 is in the table.

| figure | published | model | off |
|---|---|---|---|
`

const outro = `
Not in the table: what disks were sold as (2.8 GB/s), what is said of no disk in the profile
(internal disks, files under 500 KB), and the ranges over all reports (3.2 to 3.4 GB/s one way, 4.3
to 4.8 both ways), which the rows above make up.

## What can't be met
`

// alone is each disk by itself: the mean of 160 files.
func alone(t *testing.T, p *hub.Profile, n *notes) {
	var phases []string
	for _, disk := range []string{"A", "B", "C"} {
		for _, role := range []string{"read", "write"} {
			for _, where := range []string{"direct", "hub"} {
				phases = append(phases,
					fmt.Sprintf("name: %[1]s %[2]s %[3]s, roles: {%[1]s: %[2]s}, connection: %[3]s",
						disk, role, where))
			}
		}
	}
	play := simulate(t, p, simulated("A", "B", "C"), "{preset: standard}", phases...)
	for _, row := range []struct {
		disk, role, where string
		low, high         float64
	}{
		{"A", "read", "direct", 2.7, 2.7},
		{"A", "write", "direct", 2.2, 2.2},
		{"A", "read", "hub", 2.5, 2.7},
		{"A", "write", "hub", 1.5, 1.5},
		{"B", "read", "direct", 2.9, 2.9},
		{"B", "write", "direct", 2.1, 2.1},
		{"B", "read", "hub", 2.6, 2.7},
		{"B", "write", "hub", 1.5, 1.5},
		{"C", "read", "direct", 2.7, 2.7},
		{"C", "write", "direct", 2.8, 2.8},
		{"C", "read", "hub", 2.7, 2.8},
		{"C", "write", "hub", 2.8, 2.8},
	} {
		d := play.disk(row.disk+" "+row.role+" "+row.where, row.disk)
		n.rate(fmt.Sprintf("alone, %s: %s %ss", row.where, row.disk, row.role), row.low, row.high,
			*d.Mean/1e9)
	}
	n.rate("alone, hub: the slowest tenth of what A writes", 1.2, 1.2,
		*play.disk("A write hub", "A").P05/1e9,
		"1.5 alone, 1.2 for just over a tenth of the files and 1.4 to 1.5 after C had ended are all of this disk, and nothing shows what makes a "+
			"file one of the slow ones; the model's one rate is near their mean, 1.47.")
}

// together is disks that do the same at once.
func together(t *testing.T, p *hub.Profile, n *notes) {
	const ww, rr, rrr, www = "pair, writes", "pair, reads", "RRR", "WWW"
	play := simulate(t, p, simulated("A", "B", "C"), "{preset: random}",
		`name: "pair, writes", roles: {A: write, C: write}, files: {A: 40, C: 46}`,
		`name: "pair, reads", roles: {A: read, C: read}`,
		`name: RRR, pattern: RRR, files: {C: 70}`,
		`name: WWW, pattern: WWW, files: {C: 80}`)
	const window = 19 // seconds
	n.rate(ww+": C", 2.5, 2.5, play.rate(ww, "C"))
	n.rate(ww+": A", 0.75, 0.8, play.rate(ww, "A"))
	n.rate(ww+": together", 3.2, 3.2, play.rate(ww, ""))
	n.add(ww+": C in 19 s", "GB", 46.7, 46.7, window*play.rate(ww, "C"))
	n.add(ww+": A in 19 s", "GB", 14.1, 14.1, window*play.rate(ww, "A"))
	n.add(ww+": both in 19 s", "GB", 60.8, 60.8, window*play.rate(ww, ""))
	lag, to := play.recovery(t, ww, "A")
	n.add(ww+": A recovers after C in", "s", 4, 4, lag)
	n.rate(ww+": A then", 1.5, 1.5, to)

	n.rate(rr+": together", 3, 3, play.rate(rr, ""))
	n.add(rr+": C's rate over A's", "", 1, 1, play.rate(rr, "C")/play.rate(rr, "A"))

	for _, disk := range []string{"A", "B", "C"} {
		n.rate("RRR: "+disk, 1.1, 1.2, play.rate(rrr, disk))
	}
	n.rate("RRR: together", 3.4, 3.4, play.rate(rrr, ""))
	stages := play.phases[rrr].Stages
	n.rate("RRR: C alone after it", 2.6, 2.6, stages[len(stages)-1].Rate/1e9)

	n.rate("WWW: A", 0.7, 0.7, play.rate(www, "A"))
	n.rate("WWW: B", 0.7, 0.7, play.rate(www, "B"))
	n.rate("WWW: C", 2.1, 2.1, play.rate(www, "C"))
	n.rate("WWW: together", 3.4, 3.4, play.rate(www, ""))
	for _, disk := range []string{"A", "B"} {
		lag, to := play.recovery(t, www, disk)
		n.add("WWW: "+disk+" recovers after C in", "s", 10, 10, lag)
		n.rate("WWW: "+disk+" then", 1.4, 1.4, to)
	}

	play = simulate(t, p, simulated("C", "D1=A", "D2=A", "D3=A", "D4=A"), "{preset: random}",
		"name: five, pattern: WWWWW, files: {C: 150}")
	n.rate("five disks, writes: the slower ones", 0.4, 0.4, play.rate("five", "D1"),
		"in the pair and in WWW the winner wrote 3.0 to 3.3 times what a slower disk did (46.7 to 14.1 GB, 2.1 to 0.7 GB/s), "+
			"and all together 3.2 to 3.4 GB/s: that leaves 0.44 to 0.49 to each of four slower ones. Which five disks on which hub a later report saw at 0.4 was not said.")
}

// mixed is one disk against two that do the other. The first letter is C's.
func mixed(t *testing.T, p *hub.Profile, n *notes) {
	play := simulate(t, p, simulated("C", "A", "B"), "{preset: random}",
		"pattern: WRR, files: {C: 75, A: 60, B: 60}",
		"pattern: RWW, files: {C: 90, A: 40, B: 40}")
	n.rate("WRR: C", 2.8, 2.8, play.rate("WRR", "C"))
	n.rate("WRR: A", 1, 1, play.rate("WRR", "A"))
	n.rate("WRR: B", 1, 1, play.rate("WRR", "B"))
	n.rate("WRR: together", 4.8, 4.8, play.rate("WRR", ""))
	for _, disk := range []string{"A", "B"} {
		lag, _ := play.recovery(t, "WRR", disk)
		n.add("WRR: "+disk+" recovers after C in", "s", 10, math.Inf(1), lag)
	}
	n.rate("RWW: C", 1.8, 1.8, play.rate("RWW", "C"))
	n.rate("RWW: A", 1.2, 1.2, play.rate("RWW", "A"))
	n.rate("RWW: B", 1.2, 1.2, play.rate("RWW", "B"))
	n.rate("RWW: together", 4.3, 4.3, play.rate("RWW", ""))
	lag, _ := play.recovery(t, "RWW", "C")
	n.add("RWW: C recovers after A and B in", "s", 2, 2, lag)
}

// overTime is what a disk does after many bytes.
func overTime(t *testing.T, p *hub.Profile, n *notes) {
	long := simulate(t, p, simulated("X5", "Sabrent"), "{preset: endurance}",
		"name: X5, roles: {X5: write}, files: 800, connection: direct",
		"name: Sabrent, roles: {Sabrent: write}, connection: direct")
	throttle := long.disk("X5", "X5").Throttle
	if throttle == nil || throttle.Recovered != nil {
		t.Fatalf("X5: throttle %+v, want one that lasts", throttle)
	}
	n.rate("X5 writes at first", 2.3, 2.3, throttle.FromRate/1e9)
	n.add("X5 slows down after", "GB", 23.9, 23.9, throttle.AtBytes/1e9)
	n.rate("X5 writes from then on", 0.6, 0.7, throttle.ToRate/1e9)
	if d := long.disk("Sabrent", "Sabrent"); d.Throttle != nil {
		t.Errorf("Sabrent: throttle %+v, want none", d.Throttle)
	}

	few := simulate(t, p, simulated("X5"), "{preset: random, files: 64, seed: 1792}",
		"name: write, pattern: W, connection: direct", "name: read, pattern: R, connection: direct")
	n.rate("X5 reads", 2.6, 2.6, *few.disk("read", "X5").Mean/1e9)
	d := few.disk("write", "X5")
	n.rate("X5 writes, mean", 1.3, 1.3, *d.Mean/1e9)
	n.rate("X5 writes, trimmed mean", 1.3, 1.3, *d.Trimmed20/1e9)
	n.rate("X5 writes, least squares", 0.7, 0.7, *d.OLSRate/1e9)
	n.rate("X5 writes, Theil-Sen", 0.7, 0.7, *d.TheilSenRate/1e9)
}

// overSize is what the size of a file does.
func overSize(t *testing.T, p *hub.Profile, n *notes) {
	play := simulate(t, p, simulated("C", "Sabrent"), "{preset: random, files: 100}",
		"name: C, roles: {C: read}, connection: direct",
		"name: read, roles: {Sabrent: read}, connection: direct, preset: standard, files: 320",
		"name: write, roles: {Sabrent: write}, connection: direct, preset: standard, files: 320",
		"name: small, roles: {Sabrent: write}, connection: direct, sizes: {min: 1 MB, max: 200 MB}, files: 400")
	knee := play.disk("C", "C").SizeKnee
	if knee == nil {
		t.Fatal("C: no knee")
	}
	n.add("C reads, direct: slower for files above", "MB", 550, 550, knee.AtBytes/1e6)
	n.rate("C reads, direct: smaller files", 2.9, 2.9, knee.BelowRate/1e9)
	n.rate("C reads, direct: larger files", 2.5, 2.5, knee.AboveRate/1e9)

	const lowest, highest = 1.5, 1.6
	n.rate("Sabrent reads", lowest, highest, *play.disk("read", "Sabrent").Rate/1e9)
	n.rate("Sabrent writes", lowest, highest, *play.disk("write", "Sabrent").Rate/1e9)
	n.add("Sabrent moves in 85 s", "GB", 100, math.Inf(1),
		85**play.disk("write", "Sabrent").Rate/1e9)
	slow := 0.0 // the largest file that falls short
	for _, f := range play.trace["small"].Disk("Sabrent").Files {
		if float64(f.Bytes)/float64(f.EndNS-f.StartNS) < lowest {
			slow = max(slow, float64(f.Bytes))
		}
	}
	n.add("Sabrent is slower below", "MB", 60, 60, slow/1e6)
}

// played is a scenario on the hub's model: what a run would record, and what the analysis says of
// it.
type played struct {
	trace  map[string]*trace.Phase
	phases map[string]*analysis.PhaseResult

	searches []analysis.SearchSummary
}

// simulate plays phases, one a line of YAML, on disks that are called as the profile has them.
func simulate(t *testing.T, p *hub.Profile, disks, workload string, phases ...string) played {
	t.Helper()
	text := fmt.Sprintf("version: 1\nname: notes\nhub: {profile: %s}\ndisks:\n%sworkload: %s\nphases:\n", p.Name, disks, workload)
	for _, phase := range phases {
		text += "  - {" + phase + "}\n"
	}
	return play(t, p, []byte(text))
}

// play plays a scenario on the hub's model.
func play(t *testing.T, p *hub.Profile, text []byte) played {
	t.Helper()
	run := fixture.Simulated(t, string(text), func(string) (*hub.Profile, error) { return p, nil })
	out := played{trace: map[string]*trace.Phase{}, phases: map[string]*analysis.PhaseResult{}}
	for _, phase := range run.Phases {
		out.trace[phase.Name] = phase
	}
	a := analysis.Analyze(run, analysis.Options{})
	out.searches = a.Searches
	for i := range a.Phases {
		out.phases[a.Phases[i].Name] = &a.Phases[i]
	}
	return out
}

// simulated is a line of `disks` for each name, or for each NAME=PROFILE.
func simulated(names ...string) string {
	var lines string
	for _, name := range names {
		name, profile, _ := strings.Cut(name, "=")
		lines += fmt.Sprintf("  - {name: %s, connection: hub, simulate: {profile: %s}}\n", name,
			cmp.Or(profile, name))
	}
	return lines
}

// disk is a disk's summary in a phase.
func (p played) disk(phase, disk string) analysis.DiskResult { return p.phases[phase].Disks[disk] }

// rate is a disk's in the overlap, or all disks' for "", in GB/s.
func (p played) rate(phase, disk string) float64 {
	o := p.phases[phase].Overlap
	if disk == "" {
		return o.Rate / 1e9
	}
	return o.Disks[disk].Rate / 1e9
}

// recovery is what a disk did after another had ended.
func (p played) recovery(t *testing.T, phase, disk string) (lagS, to float64) {
	t.Helper()
	for _, r := range p.phases[phase].Recoveries {
		if r.Disk == disk {
			if r.LagS == nil {
				t.Fatalf("%s: %s: no lag: %s", phase, disk, r.Reason)
			}
			return *r.LagS, *r.ToRate / 1e9
		}
	}
	t.Errorf("%s: %s does not recover", phase, disk)
	return 0, 0
}

// published is one figure of the reports beside the model's.
type published struct {
	what, unit string
	low, high  float64 // as it was published; high is infinite if only a bound was
	model      float64
	why        string // it is more than 5% off
}

// off is how far the model's figure lies outside the published range, relative to its nearer end.
func (p published) off() float64 {
	switch {
	case p.model < p.low:
		return p.model/p.low - 1
	case p.model > p.high:
		return p.model/p.high - 1
	}
	return 0
}

func (p published) String() string {
	notes := fmt.Sprintf("%.4g to %.4g", p.low, p.high)
	switch {
	case p.low == p.high:
		notes = fmt.Sprintf("%.4g", p.low)
	case math.IsInf(p.high, 1):
		notes = fmt.Sprintf("over %.4g", p.low)
	}
	off := fmt.Sprintf("%+.1f%%", 100*p.off())
	if math.Abs(p.off()) < 0.0005 {
		off = "0"
	}
	return fmt.Sprintf("| %s | %s | %.3g | %s |", p.what, strings.TrimSpace(notes+" "+p.unit),
		p.model, off)
}

// notes collects the figures.
type notes struct{ rows []published }

func (n *notes) add(what, unit string, low, high, model float64, why ...string) {
	n.rows = append(n.rows, published{what, unit, low, high, model, strings.Join(why, "")})
}

// rate adds a figure in GB/s.
func (n *notes) rate(what string, low, high, model float64, why ...string) {
	n.add(what, "GB/s", low, high, model, why...)
}
