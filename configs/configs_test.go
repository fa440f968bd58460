package configs

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

func load(t *testing.T, name string) *hub.Profile {
	t.Helper()
	data, ok := Hub(name)
	if !ok {
		t.Fatalf("no built-in hub %s", name)
	}
	p, err := hub.Load(name+".yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every built-in hub has disks A, B and C, so one scenario can be tried on all of them.
func TestHubs(t *testing.T) {
	if diff := gocmp.Diff([]string{"goshen-ridge", "ideal", "thunderbolt-5", "usb-10g"}, Hubs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, name := range Hubs() {
		if p := load(t, name); p.Name != name {
			t.Errorf("hubs/%s.yaml calls itself %q", name, p.Name)
		} else if p.Disk("A") == nil || p.Disk("B") == nil || p.Disk("C") == nil {
			t.Errorf("hubs/%s.yaml lacks one of A, B and C", name)
		} else if measured := p.Source == hub.Measured; measured != (name == "goshen-ridge") {
			t.Errorf("hubs/%s.yaml: its source is %q", name, p.Source)
		}
	}
	if _, ok := Hub("../configs"); ok {
		t.Error("a name led out of the folder")
	}
}

// play starts the disks of a pattern together ("C:w A:r"; C moves so many GB, all others without end) and
// returns the simulation at its release.
func play(t *testing.T, p *hub.Profile, who string, gigabytes map[string]float64) *hub.Sim {
	t.Helper()
	s := hub.NewSim(p)
	for part := range strings.FieldsSeq(who) {
		disk, role, _ := strings.Cut(part, ":")
		op, direct := trace.Read, strings.HasSuffix(role, "!")
		if role[0] == 'w' {
			op = trace.Write
		}
		size, ok := gigabytes[disk]
		if !ok {
			size = 1e6
		}
		if err := s.Join(disk, hub.Work{Op: op, Sizes: []int64{int64(size * 1e9)}, Direct: direct}, 0); err != nil {
			t.Fatal(err)
		}
	}
	s.Advance(0)
	return s
}

// Every row of the field notes comes back within 10 %, or within the range they give. Run with -v for the table.
func TestGoshenRidgeFieldNotes(t *testing.T) {
	p := load(t, "goshen-ridge")
	p.Noise = 0 // the rates themselves
	var table strings.Builder
	fmt.Fprintf(&table, "%-34s %-9s %11s %8s %7s\n", "case", "what", "notes", "model", "off")
	row := func(name, what string, low, high, got float64) {
		t.Helper()
		off := max(low-got, got-high, 0) / ((low + high) / 2)
		if got < low {
			off = -off
		}
		notes := fmt.Sprintf("%.4g", low)
		if high > low {
			notes = fmt.Sprintf("%.4g-%.4g", low, high)
		}
		fmt.Fprintf(&table, "%-34s %-9s %11s %8.3f %+6.1f%%\n", name, what, notes, got, 100*off)
		if math.Abs(off) > 0.10 {
			t.Errorf("%s, %s: got %.3f, the notes say %s", name, what, got, notes)
		}
	}

	for _, test := range []struct {
		name, who string
		want      map[string][2]float64 // GB/s; + is the total
	}{
		{"A reads alone on the hub", "A:r", map[string][2]float64{"A": {2.5, 2.7}}},
		{"B reads alone on the hub", "B:r", map[string][2]float64{"B": {2.6, 2.7}}},
		{"C reads alone on the hub", "C:r", map[string][2]float64{"C": {2.7, 2.8}}},
		{"A writes alone on the hub", "A:w", map[string][2]float64{"A": {1.5, 1.5}}},
		{"B writes alone on the hub", "B:w", map[string][2]float64{"B": {1.5, 1.5}}},
		{"C writes alone on the hub", "C:w", map[string][2]float64{"C": {2.8, 2.8}}},
		{"A reads, direct", "A:r!", map[string][2]float64{"A": {2.7, 2.7}}},
		{"B reads, direct", "B:r!", map[string][2]float64{"B": {2.9, 2.9}}},
		{"C reads, direct", "C:r!", map[string][2]float64{"C": {2.7, 2.7}}},
		{"A writes, direct", "A:w!", map[string][2]float64{"A": {2.2, 2.2}}},
		{"B writes, direct", "B:w!", map[string][2]float64{"B": {2.1, 2.1}}},
		{"C writes, direct", "C:w!", map[string][2]float64{"C": {2.8, 2.8}}},
		{"pair, writes", "A:w C:w", map[string][2]float64{"C": {2.5, 2.5}, "A": {0.75, 0.8}, "+": {3.2, 3.2}}},
		{"pair, reads", "A:r C:r", map[string][2]float64{"A": {1.5, 1.5}, "C": {1.5, 1.5}, "+": {3, 3}}},
		{"RRR", "A:r B:r C:r", map[string][2]float64{"A": {1.1, 1.2}, "B": {1.1, 1.2}, "C": {1.1, 1.2}, "+": {3.4, 3.4}}},
		{"WWW", "A:w B:w C:w", map[string][2]float64{"A": {0.7, 0.7}, "B": {0.7, 0.7}, "C": {2.1, 2.1}, "+": {3.4, 3.4}}},
		{"WRR (C writes)", "C:w A:r B:r", map[string][2]float64{"A": {1, 1}, "B": {1, 1}, "C": {2.8, 2.8}, "+": {4.8, 4.8}}},
		{"RWW (C reads)", "C:r A:w B:w", map[string][2]float64{"A": {1.2, 1.2}, "B": {1.2, 1.2}, "C": {1.8, 1.8}, "+": {4.3, 4.3}}},
	} {
		rates := play(t, p, test.who, nil).Rates()
		total := 0.0
		for _, rate := range rates {
			total += rate / 1e9
		}
		for _, disk := range []string{"A", "B", "C", "+"} {
			want, ok := test.want[disk]
			switch {
			case !ok:
			case disk == "+":
				row(test.name, "total", want[0], want[1], total)
			default:
				row(test.name, disk+" GB/s", want[0], want[1], rates[disk]/1e9)
			}
		}
	}

	// 19 s of both writing: C 46.7 GB, A 14.1.
	s := play(t, p, "A:w C:w", map[string]float64{"C": 46.7})
	ends, ok := s.Next()
	if !ok {
		t.Fatal("C never ends")
	}
	row("pair, writes: C's 46.7 GB", "s", 19, 19, float64(ends)/1e9)
	row("pair, writes: A meanwhile", "GB", 14.1, 14.1, s.Rates()["A"]*float64(ends)/1e18)

	for _, test := range []struct {
		name, who, stays string
		ends             map[string]float64 // GB
		to               float64            // GB/s
		low, high        float64            // s
	}{
		{"pair, writes: A after C", "C:w A:w", "A", map[string]float64{"C": 46.7}, 1.5, 4, 4},
		{"WWW: A after C", "C:w A:w B:w", "A", map[string]float64{"C": 50}, 1.5, 10, 10},
		{"WRR: A after C", "C:w A:r B:r", "A", map[string]float64{"C": 50}, 1.6, 10, 12}, // "more than 10"
		{"RWW: C after A and B", "C:r A:w B:w", "C", map[string]float64{"A": 29, "B": 30}, 2.75, 2, 2},
	} {
		s := play(t, p, test.who, test.ends)
		var left int64 // when the last of those who leave does
		for active := len(s.Rates()); ; {
			next, ok := s.Next()
			if !ok {
				t.Fatalf("%s: %s never recovers", test.name, test.stays)
			}
			s.Advance(next)
			if now := len(s.Rates()); now < active {
				active, left = now, next
			}
			if got := s.Rates()[test.stays] / 1e9; got > test.to*0.99 {
				row(test.name, "lag s", test.low, test.high, time.Duration(next-left).Seconds())
				row(test.name, "to GB/s", test.to, test.to, got)
				break
			}
		}
	}
	t.Log("\n" + table.String())
}
