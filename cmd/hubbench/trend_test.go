package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trend"
)

// Of 20 benches with docks of one model, the one that fell by 8 % is found, and named but for what people
// show to others.
func TestTrendFindsTheBenchThatFell(t *testing.T) {
	const benches, runs, fell = 20, 12, 7
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(20, 8))
	args := []string{"trend", "--phase", "WW"}
	day := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for bench := range benches {
		for run := range runs {
			rate := 1e9 * (1 + 0.02*r.NormFloat64())
			if bench == fell && run >= 7 {
				rate *= 0.92
			}
			text := trace.AppendEvent(nil, &trace.Event{
				Type: trace.RunType, Version: 1, Name: "dock", Started: day.AddDate(0, 0, run).Format(time.RFC3339),
				Disks: []trace.Disk{{Name: "A"}, {Name: "B"}},
				Hardware: &hardware.Setup{
					Host: &hardware.Host{Name: fmt.Sprintf("bench%02d", bench)}, Hub: &hardware.Hub{Name: "dock"},
				},
			})
			for _, disk := range []string{"A", "B"} {
				for seq := range 10 {
					fileNS := int64(1e9 / rate * 1e9)
					text = trace.AppendEvent(text, &trace.Event{
						Type: trace.FileType, Phase: "WW", Disk: disk, Op: trace.Write, Seq: seq, Bytes: 1e9,
						StartNS: int64(seq) * fileNS, EndNS: int64(seq+1) * fileNS,
					})
				}
			}
			text = trace.AppendEvent(text, &trace.Event{Type: trace.EndType, Status: trace.Complete})
			name := fmt.Sprintf("bench%02d-%02d.jsonl", bench, run)
			args = append(args, write(t, filepath.Join(dir, name), text))
		}
	}
	said := hubbench(t, args...)
	for _, want := range []string{
		"WW on dock on bench07: 1.8", " GB/s since 2026-03-08, ", " % lower than before.\n", "19 other hosts: no change.\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
	var all []trend.Series
	must(t, json.Unmarshal([]byte(hubbench(t, append(args, "--json")...)), &all))
	for _, s := range all {
		if want := s.Host == "bench07"; want != (len(s.Stretches) > 1) || len(all) != benches {
			t.Errorf("%s has %d stretches", s.Host, len(s.Stretches))
		}
	}
	if shown := hubbench(t, append(args, "--format", "md")...); !strings.Contains(shown, "WW on dock on host 8: ") {
		t.Errorf("in what people show to others:\n%s", shown)
	}
}
