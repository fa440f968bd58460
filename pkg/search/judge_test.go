package search

import (
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestJudge(t *testing.T) {
	try, _ := New(phase(scenario.Search{Kind: trace.SearchPace, Disk: "B", Max: 5e8})).Next()
	try.Jobs[0].Streams[0].Count = 2
	sample := func(name string, due, late int, buffer time.Duration) trace.Event {
		return trace.Event{Type: trace.StreamType, Phase: try.Name, Disk: "A", Stream: name,
			Due: due, Late: late, BufferNS: buffer.Nanoseconds()}
	}
	file := func(phase, disk string, bytes int64) trace.Event {
		return trace.Event{Type: trace.FileType, Phase: phase, Disk: disk, Bytes: bytes}
	}
	progress := func(bytes int64) trace.Event {
		return trace.Event{Type: trace.ProgressType, Phase: try.Name, Disk: "B", Bytes: bytes}
	}
	playing := func(bytes int64) trace.Event {
		return trace.Event{Type: trace.ProgressType, Phase: try.Name, Disk: "A", Bytes: bytes}
	}
	stopped := trace.Event{Type: trace.GaugeType, Phase: try.Name, Name: trace.Stopped, Value: 3}
	at := func(e trace.Event, end time.Duration) trace.Event {
		if e.Type == trace.FileType {
			e.EndNS = end.Nanoseconds()
		} else {
			e.TNS = end.Nanoseconds()
		}
		return e
	}
	var plays []trace.Event
	for i := range int64(15) {
		plays = append(plays, at(playing((i+1)*1e6), time.Duration(i+1)*2*time.Second))
	}
	alone := []trace.Event{sample("1", 10, 0, time.Second), sample("2", 10, 0, time.Second)}
	alone = append(alone, at(file(try.Name, "C", 0), 30*time.Second))
	clean := append(alone[:3:3], at(file(try.Name, "B", 0), 30*time.Second))
	for name, tt := range map[string]struct {
		events []trace.Event
		want   TryOutcome
		fails  string
	}{
		"clean": {clean, TryOutcome{Verdict: stream.Clean}, ""},
		"one is strained": {append(append(clean[:4:4], plays...),
			sample("2", 20, 0, 499*time.Millisecond)), TryOutcome{Verdict: stream.Strained}, ""},
		"one drops, one is not": {append(append(clean[:4:4], plays...), sample("1", 20, 1, 0),
			sample("2", 20, 0, time.Millisecond)), TryOutcome{Verdict: stream.Drops}, ""},
		"nothing is known of one": {alone[:1], TryOutcome{},
			"disk A: no frame of stream 2 was due within 30s"},
		"no frame was due yet": {[]trace.Event{clean[0], sample("2", 0, 0, time.Second)},
			TryOutcome{}, "no frame of stream 2"},
		"B goes on almost to the end": {append(alone[:3:3], at(progress(0), 27*time.Second)),
			TryOutcome{Verdict: stream.Clean}, ""},
		"B stops early": {append(alone[:3:3],
			at(file(try.Name, "B", 0), 9*time.Second), at(file("other", "B", 0), 30*time.Second)),
			TryOutcome{}, "disk B: it was at work for only 9s of the 30s of a try"},
		"B never begins": {alone, TryOutcome{}, "disk B: it was at work for only 0s"},
		"A hangs, and drops": {append(clean[:4:4], at(playing(1e6), 2*time.Second),
			at(playing(2e6), 14*time.Second), at(playing(3e6), 30*time.Second),
			sample("1", 20, 1, 0)), TryOutcome{Verdict: stream.Drops},
			"disk A: it moved nothing for 16s of the try"},
		"A never moves": {append(clean[:4:4], sample("1", 20, 1, 0)), TryOutcome{},
			"disk A: it moved nothing for 30s of the try"},
		"A hangs to the end": {append(clean[:4:4], at(playing(1e6), 2*time.Second),
			at(playing(1e6), 30*time.Second), sample("1", 20, 1, 0)),
			TryOutcome{Verdict: stream.Drops}, "disk A: it moved nothing for 28s of the try"},
		"A is slow, and drops": {append(append(clean[:4:4], plays...),
			sample("1", 20, 1, 0)), TryOutcome{Verdict: stream.Drops}, ""},
		"A hangs, its buffer lasts": {append(clean[:4:4], at(playing(1e6), 2*time.Second),
			at(playing(1e6), 14*time.Second), at(playing(2e6), 29*time.Second)),
			TryOutcome{Verdict: stream.Clean}, ""},
		"B hangs in a file": {append(alone[:3:3], at(progress(1e6), 5*time.Second),
			at(progress(2e6), 15*time.Second), at(progress(3e6), 30*time.Second)), TryOutcome{},
			"disk B: it moved nothing for 15s of the try"},
		"stopped, and drops": {append(clean[:4:4], sample("1", 20, 1, 0), stopped),
			TryOutcome{}, "this machine slept, or hubbench was stopped, for 3s of the try"},
		"stopped, its buffer lasts": {append(clean[:4:4], stopped),
			TryOutcome{Verdict: stream.Clean}, ""},
		"the disk's rate": {append(clean[:4:4], progress(2e9), file(try.Name, "B", 3e9),
			progress(1e9), progress(3e9), file(try.Name, "C", 9e9), file("other", "B", 9e9)),
			TryOutcome{Verdict: stream.Clean, Rate: 2e8}, ""},
	} {
		j := NewJudge(&try)
		for i := range tt.events {
			j.Add(&tt.events[i])
		}
		got, err := j.Outcome()
		switch {
		case tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)):
			t.Errorf("%s: got error %v, want %q", name, err, tt.fails)
		case tt.fails == "" && (err != nil || got != tt.want):
			t.Errorf("%s: got %+v, %v; want %+v", name, got, err, tt.want)
		}
	}
}
