package change_test

import (
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/pkg/change"
)

// row is a kind of phase whose times and levels are drawn.
type row struct {
	name string
	draw func(d draw) truth
}

// draw draws what differs between two phases of one kind.
type draw struct{ *rand.Rand }

func (d draw) between(low, high float64) float64 { return low + d.Float64()*(high-low) }

// rows are kinds of phases that were once told wrongly.
func rows() []row {
	return []row{
		{"a cache fills, a neighbour takes what it leaves", cacheFills},
		{"a disk speeds up, a neighbour gives", speedsUp},
		{"another disk joins in", joinsIn},
		{"a hang, the others use its share", hang},
		{"heat saw-tooth", sawTooth},
		{"three levels in turn", threeLevels},
		{"six of twelve halve", sixOfTwelve},
		{"all drift together", allDrift},
		{"a link flaps", linkFlaps},
		{"plateau, slope, plateau", plateaus},
		{"a neighbour works in bouts", bouts},
		{"a ladder of sizes", ladder},
		{"small files are slow", smallFiles},
		{"two disks end, two rises", twoEnds},
		{"two states, and a neighbour falls", twoStates},
	}
}

const (
	ownFall = change.OwnFall
	ownRise = change.OwnRise
	taken   = change.Redistribution
)

func cacheFills(d draw) truth {
	at, lag := d.between(15, 45), d.between(0, .5)
	high, low := d.between(1.6, 2.4), d.between(.5, .8)
	was := d.between(.5, .9)
	is := was + (high-low)*d.between(.5, 1)
	return truth{disks: []player{
		{name: "A", rate: steps([2]float64{0, high}, [2]float64{at, low}), end: 70},
		{name: "B", rate: steps([2]float64{0, was}, [2]float64{at + lag, is}), end: 71},
		{name: "C", rate: steady(d.between(.3, .6)), end: 72},
	}, want: []fact{{ownFall, "A", at, ""}, {taken, "B", at + lag, "A"}}}
}

func speedsUp(d draw) truth {
	at, lag := d.between(10, 30), d.between(.3, .6)
	low := d.between(.6, .9)
	high := low * d.between(1.6, 2)
	was := d.between(1.2, 1.6)
	is := was - (high-low)*d.between(.8, 1)
	return truth{disks: []player{
		{name: "A", rate: steps([2]float64{0, low}, [2]float64{at, high}), end: 60},
		{name: "B", rate: steps([2]float64{0, was}, [2]float64{at + lag, is}), end: 61},
	}, want: []fact{{ownRise, "A", at, ""}, {taken, "B", at, "A"}},
		also: []fact{{taken, "AB", at, ""}}} // nobody is named
}

func joinsIn(d draw) truth {
	at, end := d.between(15, 25), d.between(45, 55)
	share := d.between(.4, .7)
	was, also := d.between(1.2, 1.8), d.between(.7, .9)
	return truth{disks: []player{
		{name: "A", rate: steps([2]float64{0, was}, [2]float64{at, was * share},
			[2]float64{end + .5, was}), end: 80},
		{name: "B", rate: steps([2]float64{0, also}, [2]float64{at, also * share},
			[2]float64{end + .5, also}), end: 81},
		{name: "C", rate: steady((was + also) * (1 - share)), start: at, end: end, largest: 4e8},
	}, want: []fact{{change.Start, "AB", at, "C"}, {change.Recovery, "AB", end + .5, "C"}}}
}

func hang(d draw) truth {
	at, lasts := d.between(12, 40), d.between(2, 6)
	level := d.between(.7, 1)
	rate := pulses([]float64{at + .1}, lasts, level*1.5, level)
	return truth{disks: []player{
		{name: "A", rate: pulses([]float64{at}, lasts, 0, level), end: 60},
		{name: "B", rate: rate, end: 61},
		{name: "C", rate: rate, end: 62},
	}, want: []fact{{change.Stall, "A", at, ""}},
		also: []fact{{taken, "BC", at, "A"}, {taken, "BC", at + lasts, "A"}}}
}

func sawTooth(d draw) truth {
	each := d.between(7, 12)
	high, low := d.between(2, 2.4), d.between(.6, .9)
	return truth{disks: []player{
		{name: "A", rate: alternating(each, high, low), end: 80},
		{name: "B", rate: steady(d.between(.8, 1.2)), end: 81},
	}, want: []fact{{change.Swing, "A", -1, ""}}}
}

func threeLevels(d draw) truth {
	levels := [][2]float64{{0, d.between(2, 2.4)}}
	c := truth{}
	at := 0.0
	for i := range 5 {
		at += d.between(9, 14)
		level := []float64{.7, 1.25, 2.2}[i%3] * d.between(.95, 1.05)
		kind := ownFall
		if level > levels[len(levels)-1][1] {
			kind = ownRise
		}
		levels = append(levels, [2]float64{at, level})
		c.want = append(c.want, fact{kind, "A", at, ""})
	}
	c.disks = []player{
		{name: "A", rate: steps(levels...), end: at + d.between(9, 14)},
		{name: "B", rate: steady(d.between(.8, 1.2)), end: at + 14},
	}
	return c
}

func sixOfTwelve(d draw) truth {
	at := d.between(15, 40)
	c := truth{want: []fact{{change.SharedFall, "GHIJKL", at, ""}}}
	for _, name := range "ABCDEFGHIJKL" {
		level := d.between(.3, .5)
		p := player{name: string(name), rate: steady(level), end: d.between(58, 60)}
		if name > 'F' {
			p.rate = steps([2]float64{0, level}, [2]float64{at, level / 2})
		}
		c.disks = append(c.disks, p)
	}
	return c
}

func allDrift(d draw) truth {
	falls := d.between(.55, .75)
	c := truth{want: []fact{{change.Drift, "ABC", -1, ""}}}
	for _, name := range []string{"A", "B", "C"} {
		level := d.between(.6, 1.4)
		c.disks = append(c.disks, player{name: name, end: 80,
			rate: lines([2]float64{0, level}, [2]float64{80, level * falls},
				[2]float64{200, level * falls})})
	}
	return c
}

func linkFlaps(d draw) truth {
	each, factor := d.between(6, 10), d.between(.45, .6)
	c := truth{want: []fact{{change.Swing, "ABC", -1, ""}}}
	for _, name := range []string{"A", "B", "C"} {
		level := d.between(.6, 1.4)
		c.disks = append(c.disks, player{name: name, end: 80,
			rate: alternating(each, level, level*factor)})
	}
	return c
}

func plateaus(d draw) truth {
	from, to := d.between(15, 25), d.between(45, 60)
	high := d.between(2, 2.4)
	low := high * d.between(.4, .6)
	return truth{disks: []player{
		{name: "A", rate: lines([2]float64{0, high}, [2]float64{from, high},
			[2]float64{to, low}, [2]float64{200, low}), end: 80},
		{name: "B", rate: steady(d.between(.6, 1)), end: 81},
	}, want: []fact{{change.Drift, "A", -1, ""}},
		levels: map[string][2]float64{"A": {high, low}}}
}

func bouts(d draw) truth {
	works, rests := d.between(6, 9), d.between(7, 12)
	factor := d.between(.5, .7)
	c := truth{want: []fact{{change.Swing, "AB", -1, "C"}}}
	var spans [][2]float64
	for at := rests; at+works < 90; at += works + rests {
		spans = append(spans, [2]float64{at, at + works})
	}
	within := func(s float64) bool {
		for _, v := range spans {
			if v[0] <= s && s < v[1] {
				return true
			}
		}
		return false
	}
	lost := 0.0
	for i, name := range []string{"A", "B"} {
		level := d.between(.8, 1.4)
		lost += level * (1 - factor)
		c.disks = append(c.disks, player{name: name, end: 95 + float64(i),
			rate: func(s float64) float64 {
				if within(s) {
					return level * factor
				}
				return level
			}})
	}
	c.disks = append(c.disks, player{name: "C", rate: steady(lost), bouts: spans, largest: 2e8})
	return c
}

func ladder(d draw) truth {
	perFile := d.between(.005, .02)
	return truth{disks: []player{
		{name: "A", rate: steady(d.between(.8, 1.2)), end: 60, perFile: perFile,
			sizes: func(_ *rand.Rand, s float64) float64 { return 4e5 * math.Exp(s/10) }},
		{name: "B", rate: steady(d.between(.8, 1.2)), end: 61},
	}}
}

func smallFiles(d draw) truth {
	perFile := d.between(.01, .03)
	return truth{disks: []player{
		{name: "A", rate: steady(d.between(.8, 1.2)), end: 60, perFile: perFile,
			sizes: func(rnd *rand.Rand, _ float64) float64 {
				return 1e5 * math.Exp(rnd.Float64()*math.Log(1e4))
			}},
		{name: "B", rate: steady(d.between(.8, 1.2)), end: 61},
	}}
}

func twoEnds(d draw) truth {
	first, lag := d.between(18, 25), d.between(.5, 3)
	second := first + d.between(6, 15)
	level := d.between(.4, .6)
	return truth{disks: []player{
		{name: "A", rate: steps([2]float64{0, level}, [2]float64{first + lag, level * 1.6},
			[2]float64{second + lag, level * 2.6}), end: second + 25},
		{name: "B", rate: steady(level), end: first, largest: 4e8},
		{name: "C", rate: steady(level * 1.2), end: second, largest: 4e8},
	}, want: []fact{{change.Recovery, "A", first + lag, "B"},
		{change.Recovery, "A", second + lag, "BC"}}}
}

func twoStates(d draw) truth {
	first, second := d.between(15, 25), d.between(35, 50)
	return truth{disks: []player{
		{name: "A", rate: steps([2]float64{0, d.between(1.6, 2)}, [2]float64{first,
			d.between(.8, 1.1)}), end: 70},
		{name: "B", rate: steps([2]float64{0, 1}, [2]float64{second, d.between(.4, .6)}), end: 71},
		{name: "C", rate: steady(.7), end: 72},
		{name: "D", rate: steady(.9), end: 73},
	}, want: []fact{{ownFall, "A", first, ""}, {ownFall, "B", second, ""}}}
}
