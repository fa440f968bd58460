package advise

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
)

// evenHub has disks with even pulls that read 2.5 GB/s alone and 2.8 on ports of their own;
// together they read 3 GB/s.
func evenHub() *hub.Profile {
	p := &hub.Profile{Name: "even", Link: math.Inf(1), Lane: math.Inf(1),
		Capacity: hub.Capacity{Read: 3 * gb, Write: 3 * gb, Both: 6 * gb, ReadWeight: 1,
			WriteWeight: 1}}
	for _, name := range []string{"A", "B"} {
		side := hub.Side{Hub: 2.5 * gb, Direct: 2.8 * gb, Weight: 1}
		p.Disks = append(p.Disks, hub.DiskModel{Name: name, Read: side, Write: side})
	}
	return p
}

// playing is four streams that need so much together.
func playing(rate float64) Part {
	return Part{Disk: "A", Op: "read",
		Streams: []stream.Spec{{Kind: "x", Rate: rate / 4, Frame: 40 * time.Millisecond, Count: 4,
			Buffer: time.Second}}}
}

func answerTo(t *testing.T, p *hub.Profile, q Question) *Reply {
	t.Helper()
	a, err := Ask(p, q)
	check.Must(t, err)
	return a
}

// Everything advised is a yes when it is asked, and a little more of it is none.
func TestAdvice(t *testing.T) {
	p := evenHub()
	p.Disks = append(p.Disks, hub.DiskModel{Name: "slow",
		Read:  hub.Side{Hub: 0.5 * gb, Direct: 0.5 * gb, Weight: 1},
		Write: hub.Side{Hub: 0.5 * gb, Direct: 0.5 * gb, Weight: 1}})
	q := Question{Parts: []Part{playing(1.8 * gb), {Disk: "B", Op: "read"}}, For: time.Minute}
	a := answerTo(t, p, q)
	if a.Verdict != No {
		t.Fatalf("%s, want no: %+v", a.Verdict, a)
	}
	ask := func(parts []Part) Judgement {
		return answerTo(t, p, Question{Parts: parts, For: q.For}).Verdict
	}
	var kinds []RemedyKind
	for _, c := range a.Advice {
		kinds = append(kinds, c.Kind)
		parts, beyond := slices.Clone(q.Parts), slices.Clone(q.Parts)
		switch c.Kind {
		case OtherPort:
			i := slices.IndexFunc(parts, func(p Part) bool { return p.Disk == c.Disk })
			parts[i].OwnPort = true
		case Slower:
			parts[1].Pace, beyond[1].Pace = c.Pace, c.Pace*1.1
			// Of 3 GB/s 1.8 and a tenth more must be left.
			if want := 1.02 * gb; c.Pace < 0.95*want || c.Pace > 1.02*want ||
				c.Text != "throttle B to 1 GB/s" {
				t.Errorf("%s, want about %g", c.Text, want)
			}
		case FewStreams:
			parts[0].Streams = slices.Clone(parts[0].Streams)
			beyond[0].Streams = slices.Clone(parts[0].Streams)
			parts[0].Streams[0].Count, beyond[0].Streams[0].Count = c.Count, c.Count+1
		case OtherDisk:
			t.Errorf("no other disk is faster: %+v", c)
		}
		check.Same(t, c.Text, Yes, ask(parts))
		if c.Kind != OtherPort && ask(beyond) == Yes {
			t.Errorf("%s: a little more is a yes as well", c.Text)
		}
	}
	check.Same(t, "advice", []RemedyKind{Slower, OtherPort, OtherPort, FewStreams}, kinds)
}

// A disk that falls behind once its cache is full is judged after that too, and one whose cache
// lasts is not.
func TestCaches(t *testing.T) {
	p := evenHub()
	p.Disks[0].Cache = &hub.Cache{Bytes: 20 * gb, After: 0.5 * gb}
	record := playing(1 * gb)
	record.Op = "write"
	for i := range record.Streams {
		record.Streams[i].Record = true
	}
	for _, test := range []struct {
		length  time.Duration
		want    Judgement
		regimes int
		says    string
	}{
		{10 * time.Second, Yes, 0,
			"A's fast cache of 20 GB lasts for longer than the 10 s asked for"},
		{time.Minute, No, 2,
			"A's fast cache of 20 GB is full after 20 s, and then it writes at 500 MB/s at most"},
	} {
		a := answerTo(t, p, Question{Parts: []Part{record, {Disk: "B", Op: "read"}},
			For: test.length})
		if a.Verdict != test.want || len(a.Regimes) != test.regimes ||
			!strings.Contains(strings.Join(a.Texts.Assumptions, "\n"), test.says) {
			t.Errorf("for %s: %s, regimes %v, %q; want %s, %q", test.length, a.Verdict, a.Regimes,
				a.Texts.Assumptions, test.want, test.says)
		}
	}

	// Of a backup, the time before its cache is full decides.
	p.Disks[0].Cache.After = 0.1 * gb
	other := withRates([]Part{record}, func(string) float64 { return 1.8 })[0]
	other.Disk = "B"
	a := answerTo(t, p, Question{Parts: []Part{{Disk: "A", Op: "write"}, other}, For: time.Minute})
	if a.Verdict != No || a.Margin > 1.5/1.8*1.06 || len(a.Regimes) != 2 || a.Regimes[0].Clean ||
		!a.Regimes[1].Clean {
		t.Errorf("%s, margin %.3f, regimes %+v", a.Verdict, a.Margin, a.Regimes)
	}
}

func TestCheck(t *testing.T) {
	q := Question{Parts: []Part{playing(gb)}, For: time.Second}
	check.Refused(t, "for 1 s", q.Check(evenHub()), "try 2s or longer")
	if q.For = 2 * time.Second; q.Check(evenHub()) != nil {
		t.Errorf("for 2 s: %v", q.Check(evenHub()))
	}
}

func TestWords(t *testing.T) {
	writes := func(disk string, pace float64) Part {
		return Part{Disk: disk, Op: "write", Pace: pace}
	}
	answer := func(v Judgement, margin float64, late int, advice ...string) *Reply {
		a := &Reply{Verdict: v, Margin: margin,
			Streams: []StreamResult{{Disk: "A", Due: 6000, Late: late, LowestBufferS: 0.3,
				BufferS: 1,
				Verdict: stream.Strained}}}
		if late > 0 {
			a.Streams[0].Verdict, a.Streams[0].LowestBufferS = stream.Drops, 0
		}
		for _, text := range advice {
			a.Advice = append(a.Advice, Remedy{Text: text})
		}
		return a
	}
	for _, test := range []struct {
		answer *Reply
		parts  []Part
		caches cacheState
		want   string
	}{
		{answer(Yes, 1.6789, 0), []Part{playing(gb), writes("B", 0)}, rested,
			"Yes: A plays 4 streams without a dropped frame while B writes. The hub could carry 1.6 times the rate."},
		{answer(Yes, 12.9, 0), []Part{playing(gb), writes("B", 0), writes("C", 0)}, rested,
			"Yes: A plays 4 streams without a dropped frame while B and C write. The hub could carry 12 times the rate."},
		{
			answer(No, 0.519, 311, "throttle B to 210 MB/s", "move A to its own port",
				"let A play 3 streams"), []Part{playing(gb), writes("B", 0)}, rested,
			"No: A drops 311 of 6,000 frames while B writes. The hub can carry only 51 % of what you need. Throttle B to 210 MB/s, or move A to its own port.",
		},
		{
			answer(No, 0.002, 0), []Part{playing(gb), writes("B", 2e8)}, usedUp,
			"No: the buffer of A falls to 300 ms of 1 s while B writes at up to 200 MB/s, once B's cache is used up. The hub can carry only less than 1 % of what you need. No other port or disk, slower neighbour or smaller number of streams helps.",
		},
		{
			answer(Unsure, 1.029, 0, "move A to its own port"), []Part{playing(gb)}, rested,
			"Too close to call whether A plays 4 streams without a dropped frame: the hub can carry 102 % of what you need. Move A to its own port.",
		},
	} {
		c := &ensemble{fillTimes: map[string]float64{"B": 12}}
		check.Same(t, "sentence", test.want,
			test.answer.sentence(test.parts, playResult{caches: test.caches}, c))
	}
}

// Of two disks that move files the one is throttled that matters; both only if one is not enough.
func TestThrottle(t *testing.T) {
	p := evenHub()
	for _, name := range []string{"C", "D"} {
		d := p.Disks[1]
		d.Name = name
		p.Disks = append(p.Disks, d)
	}
	reads := func(disk string) Part { return Part{Disk: disk, Op: "read"} }
	for _, test := range []struct {
		rate float64
		want []string
	}{
		// A yes takes a tenth more than is needed, and a minute may take half a buffer of a second:
		// 1.2 GB/s in place of 1.1, and 1.745 of 1.6. Each of three has 1 GB/s of 3; with one at x
		// the other two have (3-x)/2 each.
		{1.1 * gb, []string{"throttle C to 590 MB/s", "throttle D to 590 MB/s"}},
		// With one standing still there are 1.5 GB/s; with both at x there are 3-2x.
		{1.6 * gb, []string{"throttle C and D to 620 MB/s each"}},
	} {
		a := answerTo(t, p, Question{Parts: []Part{playing(test.rate), reads("C"), reads("D")},
			For: time.Minute})
		var got []string
		for _, c := range a.Advice {
			if c.Kind == Slower {
				got = append(got, c.Text)
			}
		}
		check.Same(t, fmt.Sprint(test.rate), test.want, got)
	}
}

func TestParseStreams(t *testing.T) {
	codec, ok := stream.CodecByName("prores-422-hq-uhd-25")
	if !ok {
		t.Fatal("no such codec")
	}
	of := func(count int) stream.Spec {
		return stream.Spec{Kind: codec.Name, Rate: codec.Rate, Frame: codec.Frame, Count: count,
			Buffer: time.Second}
	}
	byRate := stream.Spec{Kind: "92 MB/s", Rate: 92e6, Frame: 40 * time.Millisecond, Count: 4,
		Buffer: time.Second}
	for text, want := range map[string]stream.Spec{
		"A=4xprores-422-hq-uhd-25":    of(4),
		"A=4x prores-422-hq-uhd-25":   of(4),
		"A = 4x prores-422-hq-uhd-25": of(4),
		"A=prores-422-hq-uhd-25":      of(1),
		"A=4x92MB/s":                  byRate,
		"A=4 x 92 MB/s":               byRate,
	} {
		disk, got, err := ParseStreams(text, false, time.Second)
		if err != nil || disk != "A" {
			t.Errorf("%s: disk %q, %v", text, disk, err)
		}
		check.Same(t, text, want, got)
	}
	for text, want := range map[string]string{
		"A":                        "does not name a disk and its streams; try A=4x",
		"=4x92MB/s":                "does not name a disk and its streams",
		"A=":                       "unknown codec",
		"A=4x":                     "unknown codec",
		"A=0x92MB/s":               "0 streams; try 1 to 256",
		"A=999x92MB/s":             "999 streams",
		"A=4x92Mb/s":               "rate",
		"A=4x92":                   "a stream of 92 B/s; try one from 100 KB/s",
		"A=4xprores-422-hq-uhd25":  "try prores-422-hq-uhd-25",
		"A=4xnone-of-these-at-all": "hubbench plan --codecs lists",
	} {
		_, _, err := ParseStreams(text, false, time.Second)
		check.Refused(t, text, err, want)
	}
}

func TestParseDisk(t *testing.T) {
	disk := func(read, write float64, cache *hub.Cache) hub.DiskModel {
		return hub.DiskModel{Name: "X", About: dataSheet, Read: hub.Side{Direct: read, Weight: 1},
			Write: hub.Side{Direct: write, Weight: 1}, Cache: cache}
	}
	for text, want := range map[string]hub.DiskModel{
		"X=2.8/2.5GB/s":      disk(2.8e9, 2.5e9, nil),
		"X=2.8GB/s/2.5GB/s":  disk(2.8e9, 2.5e9, nil),
		"X = 2.8 / 2.5 GB/s": disk(2.8e9, 2.5e9, nil),
		"X=1GB/s/500MB/s":    disk(1e9, 0.5e9, nil),
		"X=540/500MB/s":      disk(0.54e9, 0.5e9, nil),
		"X=2.8GB/s":          disk(2.8e9, 2.8e9, nil),
		"X=2.8/2.5GB/s,cache=24GB@0.65GB/s": disk(2.8e9, 2.5e9,
			&hub.Cache{Bytes: 24e9, After: 0.65e9}),
		"X=2.8/2.5GB/s, cache=24 GB@650 MB/s": disk(2.8e9, 2.5e9,
			&hub.Cache{Bytes: 24e9, After: 0.65e9}),
	} {
		got, err := ParseDisk(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		check.Same(t, text, want, got)
	}
	for _, text := range []string{"X", "=2GB/s", "X=", "X=fast", "X=2.8/GB/s", "X=2.8/2.5",
		"X=2/2Gb/s", "X=2/2GB/s,cache=24GB", "X=2/2GB/s,cache=24GB@3GB/s",
		"X=2/2GB/s,cache=much@1GB/s"} {
		if d, err := ParseDisk(text); err == nil ||
			!strings.Contains(err.Error(), "try X=2.8/2.5GB/s") {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
	}
}

func TestParsePace(t *testing.T) {
	if disk, rate, err := ParsePace("B=200MB/s"); disk != "B" || rate != 200e6 || err != nil {
		t.Errorf("%s %g %v", disk, rate, err)
	}
	for _, text := range []string{"B", "=200MB/s", "B=slow", "B=1KB/s"} {
		if _, _, err := ParsePace(text); err == nil {
			t.Errorf("%s passes", text)
		}
	}
}

// A disk by its data sheet is as fast as it says, as far as the hub carries that, and pulls as the
// others do.
func TestWithDisk(t *testing.T) {
	p := evenHub()
	p.Disks[0].Read.Weight, p.Disks[1].Read.Weight = 2, 8
	d, err := ParseDisk("X=5/1GB/s")
	check.Must(t, err)
	got, err := WithDisk(p, d)
	check.Must(t, err)
	want := hub.DiskModel{
		Name: "X", About: dataSheet,
		Read:  hub.Side{Hub: 3e9, Direct: 5e9, Weight: 4},
		Write: hub.Side{Hub: 1e9, Direct: 1e9, Weight: 1},
	}
	x := got.Disk("X")
	x.Read.Weight = roundDown(x.Read.Weight * (1 + 1e-9))
	if diff := cmp.Diff(want, *x); diff != "" || len(p.Disks) != 2 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := WithDisk(got, d); err == nil {
		t.Error("two disks of one name")
	}
}
