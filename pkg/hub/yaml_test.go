package hub

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is written is read back the same, to six figures.
func TestYAMLRoundTrip(t *testing.T) {
	full, err := Load("small.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	full.Name = "odd: \"name\" #1\n\u2028"
	full.Evidence = Evidence{
		Rates: []Observation{
			{Phase: "WW: \"all\"", Disks: []Observed{{Disk: "A", Op: write, Rate: 0.123456e9, Error: 0.00123}, {Disk: "B", Op: read, Rate: 2e9, Error: 0.5}}},
			{Phase: "alone", Direct: true, Disks: []Observed{{Disk: "B", Op: read, Rate: 5000, Error: 1}}},
		},
		Lags:  []ObservedLag{{Phase: "WW", Stays: write, Left: read, Staying: 2, Seconds: 10.25, Error: 0.03}},
		Noise: ObservedNoise{Squares: 0.125, Freedom: 140},
	}
	bare := &Profile{
		Name: "bare", Link: math.Inf(1), Lane: math.Inf(1),
		Capacity: Capacity{Read: 1e9, Write: 1.5e9, Both: 2.5e9, ReadWeight: 1, WriteWeight: 1}, // no joint limit
		Disks:    []Disk{{Name: "A", Read: Side{Hub: 1e6, Direct: 1e6, Weight: 1}, Write: Side{Hub: 1e6, Direct: 1e6, Weight: 1}}},
	}
	costly := round()
	costly.Capacity.Proportional, costly.Capacity.PerDisk = true, 0.07
	costly.Capacity.ReadLoss, costly.Capacity.WriteLoss = 0.3, 0.125
	together := round()
	together.Capacity.Pooled = true
	if got := roundTripped(t, together).Capacity; !got.Pooled {
		t.Errorf("got %+v, want it pooled", got)
	}
	for _, p := range []*Profile{full, bare, roundTripped(t, round()), roundTripped(t, costly)} {
		if diff := cmp.Diff(p, roundTripped(t, p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p.Name, diff)
		}
	}
}

// Rounded to six figures, read and write may come to less than what both is rounded to, which Load would refuse.
func TestYAMLOfNoJointLimit(t *testing.T) {
	p := round()
	p.Capacity.Read, p.Capacity.Write = 3.000004e9, 3.000004e9
	p.Capacity.Both = 6.000008e9
	if got := roundTripped(t, p).Capacity; got.Both != got.Read+got.Write {
		t.Errorf("got %+v", got)
	}
}

func roundTripped(t *testing.T, p *Profile) *Profile {
	t.Helper()
	if p.Link == 0 {
		p.Link, p.Lane = math.Inf(1), math.Inf(1)
	}
	got, err := Load("written.yaml", p.YAML(nil))
	if err != nil {
		t.Fatalf("%v in\n%s", err, p.YAML(nil))
	}
	return got
}

func TestPooled(t *testing.T) {
	seen := func(phase string, rate, err float64) Observation {
		return Observation{Phase: phase, Disks: []Observed{{Disk: "A", Op: write, Rate: rate, Error: err}}}
	}
	e := &Evidence{Rates: []Observation{
		seen("W", 100, 0.02), seen("R", 7, 0.1), seen("W", 100, 0.02), // agree: the error shrinks by the root of 2
		seen("V", 100, 0.01), seen("V", 100*math.Exp(0.2), 0.01), // do not: half their distance
	}}
	got := e.Pooled().Rates
	want := []Observation{seen("W", 100, 0.02/math.Sqrt2), seen("R", 7, 0.1), seen("V", 100*math.Exp(0.1), 0.1)}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoadEvidenceRefuses(t *testing.T) {
	const seen = `observed:
  rates:
    - phase: WW
      disks:
        - {disk: A, op: write, rate: 1 GB/s, error: 0.01}
        - {disk: B, op: read, rate: 1 GB/s, error: 0.01}
  lags:
    - {phase: WW, stays: write, left: read, staying: 1, seconds: 4, error: 0.1}
  noise: {squares: 0.1, freedom: 100}
`
	if _, err := Load("hub.yaml", []byte(good+seen)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ what, old, new, want string }{
		{"unknown disk", "disk: B", "disk: D", `hub.yaml:31:18: the profile has no disk "D"; try A, B or X`},
		{"disk twice", "disk: B", "disk: A", `hub.yaml:31:18: disk "A" is listed twice in the observation`},
		{"idle", "op: read", "op: idle", `op is "idle"; try read or write`},
		{"no error", "rate: 1 GB/s, error: 0.01}", "rate: 1 GB/s, error: 0}", `error is 0; try`},
		{"no disks", seen[strings.Index(seen, "      disks"):strings.Index(seen, "  lags")], "      disks: []\n", `disks is empty`},
		{"two direct", "phase: WW\n", "direct: true\n", `2 disks together are no direct observation`},
		{"negative lag", "seconds: 4", "seconds: -4", `seconds is -4; try`},
		{"nobody stays", "staying: 1", "staying: 0", `staying is 0; try`},
		{"unknown key", "noise: {squares", "noise: {square", `unknown key "square"; try squares`},
	} {
		if !strings.Contains(seen, test.old) {
			t.Fatalf("%s: no %q", test.what, test.old)
		}
		_, err := Load("hub.yaml", []byte(good+strings.Replace(seen, test.old, test.new, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.what, err, test.want)
		}
	}
}
