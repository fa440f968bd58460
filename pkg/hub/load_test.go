package hub

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

const good = `version: 1
name: small
about: two disks
source: measured
link: 4 GB/s
lane: 0.75 GB/s
noise: 0.03
capacity: {read: 3.4 GB/s, write: 3.3 GB/s, both: 4.5 GB/s, pair: 0.9, two_writers: 0.8}
weights: {read: 1.9, write: 2.6}
recovery:
  write_after_write: [4 s, 10 s]
  read_after_write: [2.5 s]
disks:
  - name: A
    about: slow
    read: {hub: 2.6 GB/s, direct: 2.7 GB/s}
    write: {hub: 1.5 GB/s, weight: 2}
  - name: B
    read: {direct: 5 GB/s}
    write: {direct: 3 GB/s}
  - name: X
    lanes: 2
    read: {}
    write: {direct: 1.4 GB/s, per_file: 2 ms, knee: {above: 550 MB, factor: 0.8}}
    cache: {bytes: 24 GB, after: 0.6 GB/s, refill: 10 MB/s}
`

func TestLoad(t *testing.T) {
	got, err := Load("small.yaml", []byte(good))
	check.Must(t, err)
	want := &Profile{
		Name: "small", About: "two disks", Source: Measured, Link: 4e9, Lane: 0.75e9, Noise: 0.03,
		Capacity: Capacity{Read: 3.4e9, Write: 3.3e9, Both: 4.5e9, ReadWeight: 1.9,
			WriteWeight: 2.6, Pair: 0.9, TwoWriters: 0.8},
		Lags: Lags{
			WriteAfterWrite: []time.Duration{4 * time.Second, 10 * time.Second},
			ReadAfterWrite:  []time.Duration{2500 * time.Millisecond},
		},
		Disks: []DiskModel{
			{Name: "A", About: "slow", Read: Side{Hub: 2.6e9, Direct: 2.7e9, Weight: 1},
				Write: Side{Hub: 1.5e9, Direct: 1.5e9, Weight: 2}},
			{Name: "B", Read: Side{Hub: 3.4e9, Direct: 5e9, Weight: 1},
				Write: Side{Hub: 3e9, Direct: 3e9, Weight: 1}},
			{
				Name: "X", Lanes: 2, Read: Side{Hub: 1.5e9, Direct: 1.5e9, Weight: 1},
				Write: Side{Hub: 1.4e9, Direct: 1.4e9, Weight: 1, PerFile: 2 * time.Millisecond,
					Knee: Knee{AboveBytes: 550e6, Factor: 0.8}},
				Cache: &Cache{Bytes: 24e9, After: 0.6e9, Refill: 1e7},
			},
		},
	}
	check.Same(t, "the profile", want, got)
}

// mistake is what makes of a good text one that is refused, and why.
type mistake struct{ what, old, new, want string }

func refused(t *testing.T, text string, mistakes []mistake) {
	t.Helper()
	for _, m := range mistakes {
		if !strings.Contains(text, m.old) {
			t.Fatalf("%s: there is no %q", m.what, m.old)
		}
		_, err := Load("hub.yaml", []byte(strings.Replace(text, m.old, m.new, 1)))
		check.Refused(t, m.what, err, m.want)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than a line: %q", m.what, err)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	refused(t, good, []mistake{
		{"negative capacity", "read: 3.4 GB/s", "read: -3.4 GB/s", `hub.yaml:8:18: capacity.read: rate "-3.4 GB/s": must not be negative; try a number with KB/s, MB/s or GB/s, such as 2.8 GB/s`},
		{"zero capacity", "write: 3.3 GB/s", "write: 0 GB/s", `hub.yaml:8:35: capacity.write is "0 GB/s"; try 1 KB/s to 1 TB/s`},
		{"bits", "4.5 GB/s", "4.5 Gb/s", `hub.yaml:8:51: capacity.both: rate "4.5 Gb/s": "Gb" is bits, not bytes; try a number with KB/s, MB/s or GB/s, such as 2.8 GB/s`},
		{"capacity above the link", "read: 3.4 GB/s", "read: 4.4 GB/s", `hub.yaml:8:18: read is 4.40 GB/s, above the link's 4.00 GB/s`},
		{"both above the sum", "both: 4.5 GB/s", "both: 7 GB/s", `hub.yaml:8:51: both is 7.00 GB/s, above read and write together (6.70 GB/s)`},
		{"capacity missing", "write: 3.3 GB/s, ", "", `hub.yaml:8:11: the key write is missing`},
		{"weight of zero", "weights: {read: 1.9", "weights: {read: 0", `hub.yaml:9:17: weights.read is 0; try 0.001 to 1000`},
		{"disk weight of zero", "weight: 2", "weight: 0", `hub.yaml:17:36: write.weight is 0; try 0.001 to 1000`},
		{"negative weight", "weight: 2", "weight: -2", `hub.yaml:17:36: write.weight is -2; try 0.001 to 1000`},
		{"weight not a number", "weight: 2", "weight: .nan", `hub.yaml:17:36: write.weight is .nan, not a number; try 0.001 to 1000`},
		{"disk above the hub", "hub: 2.6 GB/s", "hub: 3.6 GB/s", `hub.yaml:16:17: hub is 3.60 GB/s, above the 3.40 GB/s that the hub carries`},
		{"unknown key", "recovery:", "recovry:", `hub.yaml:10:1: unknown key "recovry"; try recovery`},
		{"unknown key of a disk", "weight: 2", "wieght: 2", `hub.yaml:17:28: unknown key "wieght"; try weight`},
		{"unknown key beside a disk's directions", "lanes: 2", "lanse: 2", `hub.yaml:22:5: unknown key "lanse"; try lanes`},
		{"unknown lag", "write_after_write", "write_after_all", `hub.yaml:11:3: unknown key "write_after_all"; try write_after_`},
		{"lag not a list", "[2.5 s]", "2.5 s", `hub.yaml:12:21: recovery.read_after_write is "2.5 s", not a list; try one "- ..." line for each item, or [..., ...]`},
		{"endless lag", "[2.5 s]", "[2 h]", `hub.yaml:12:22: item 1 of recovery.read_after_write is "2 h"; try 0 s to 1 h`},
		{"too many lags", "[2.5 s]", "[" + strings.Repeat("1 s, ", 64) + "1 s]", `hub.yaml:12:342: more than 64 recovery.read_after_write; remove some`},
		{"twice the same disk", "name: B", "name: A", `hub.yaml:18:11: disk "A" is listed twice`},
		{"disk without name", "name: B", `name: ""`, `hub.yaml:18:11: name is empty; write one`},
		{"disk named as a path", "name: B", `name: "../../outside"`, `hub.yaml:18:11: name "../../outside" contains / or \; use another character`},
		{"disk named as a folder", "name: B", `name: ".."`, `hub.yaml:18:11: name ".." means a folder; write a name`},
		{"disk without rates", "{direct: 5 GB/s}", "{}", `hub.yaml:19:11: read needs a rate`},
		{"disk without a direction", "    write: {direct: 3 GB/s}\n", "", `hub.yaml:18:5: write needs a rate; write hub: (through the hub), direct: (on a port of its own) or both`},
		{"no disks", good[strings.Index(good, "disks:"):], "disks: []\n", `hub.yaml:13:8: disks is empty`},
		{"above its lanes", "direct: 1.4 GB/s", "direct: 1.6 GB/s", `hub.yaml:24:21: direct is 1.60 GB/s, above the 1.50 GB/s of the disk's lanes`},
		{"lanes without a rate", "lane: 0.75 GB/s\n", "", `hub.yaml:21:12: lanes say nothing without a rate for each`},
		{"no lanes", "lanes: 2", "lanes: 0", `hub.yaml:22:12: lanes is 0; try`},
		{"noise in per cent", "noise: 0.03", "noise: 3", `hub.yaml:7:8: noise is 3; try 0 to 0.5`},
		{"knee upwards", "factor: 0.8", "factor: 1.2", `hub.yaml:24:77: write.knee.factor is 1.2; try 0.01 to 1`},
		{"half a knee", ", factor: 0.8", "", `hub.yaml:24:53: the key factor is missing`},
		{"cache that quickens", "after: 0.6 GB/s", "after: 1.6 GB/s", `hub.yaml:25:34: after is 1.60 GB/s, above the 1.40 GB/s that the disk writes at its best`},
		{"cache of nothing", "bytes: 24 GB", "bytes: 0 GB", `hub.yaml:25:20: cache.bytes is "0 GB"; try 1 B to 1000 TB`},
		{"another version", "version: 1", "version: 2", `hub.yaml:1:10: version is 2; try`},
		{"unknown source", "source: measured", "source: measurd", `hub.yaml:4:9: source is "measurd"; try measured`},
		{"not YAML", good, "a: [1", `hub.yaml:1:`},
		{"empty", good, "", `hub.yaml:1:1: the file is empty`},
	})
}

func FuzzLoad(f *testing.F) {
	f.Add(good)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Load("hub.yaml", []byte(text))
		if err != nil {
			return
		}
		// What loads can be played: every disk at work gets something.
		s := NewSim(p)
		for _, d := range p.Disks {
			check.Must(t, s.Join(d.Name, Work{Op: write, Sizes: []int64{1e9}}, 0))
		}
		s.Advance(0)
		for disk, rate := range rates(s) {
			if !(rate > 0) {
				t.Errorf("disk %s at %v", disk, rate)
			}
		}
	})
}

// What is written is read back the same, to six figures.
func TestYAMLRoundTrip(t *testing.T) {
	full, err := Load("small.yaml", []byte(good))
	check.Must(t, err)
	full.Name = "odd: \"name\" #1\n\u2028"
	full.Evidence = Evidence{
		Rates: []Observation{
			{Phase: "WW: \"all\"",
				Disks: []Observed{{Disk: "A", Op: write, Rate: 0.123456e9, Error: 0.00123},
					{Disk: "B", Op: read, Rate: 2e9, Error: 0.5}}},
			{Phase: "alone", Direct: true,
				Disks: []Observed{{Disk: "B", Op: read, Rate: 5000, Error: 1}}},
		},
	}
	bare := &Profile{
		Name: "bare", Link: math.Inf(1), Lane: math.Inf(1),
		// No joint limit.
		Capacity: Capacity{Read: 1e9, Write: 1.5e9, Both: 2.5e9, ReadWeight: 1, WriteWeight: 1},
		Disks: []DiskModel{{Name: "A", Read: Side{Hub: 1e6, Direct: 1e6, Weight: 1},
			Write: Side{Hub: 1e6, Direct: 1e6, Weight: 1}}},
	}
	costly := round()
	costly.Capacity.Pair, costly.Capacity.TwoWriters = 0.9, 0.8
	for _, p := range []*Profile{full, bare, roundTripped(t, round()), roundTripped(t, costly)} {
		check.Same(t, p.Name, p, roundTripped(t, p))
	}
}

// Keys that fit wrote when hubs shared in other ways too are read.
func TestLoadWithdrawnKeys(t *testing.T) {
	want, err := Load("now.yaml", []byte(good))
	check.Must(t, err)
	old := strings.Replace(good, "\ncapacity: {",
		"\nsharing: pooled\ncapacity: {per_disk: 0.1, read_loss: 0.2, write_loss: 0.3, ", 1)
	if old == good {
		t.Fatal("nothing was added")
	}
	got, err := Load("then.yaml", []byte(old))
	check.Must(t, err)
	want.Withdrawn = true
	check.Same(t, "read", want, got)
}

// Rounded to six figures, read and write may come to less than what both is rounded to, which Load
// would refuse.
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

func TestPooledEvidence(t *testing.T) {
	seen := func(disk string, rate, err float64) Observation {
		return Observation{Phase: "alone",
			Disks: []Observed{{Disk: disk, Op: write, Rate: rate, Error: err}}}
	}
	e := &Evidence{Rates: []Observation{
		// Agree: the error shrinks by the root of 2.
		seen("W", 100, 0.02), seen("R", 7, 0.1), seen("W", 100, 0.02),
		seen("V", 100, 0.01), seen("V", 100*math.Exp(0.2), 0.01), // do not: half their distance
	}}
	got := e.Pooled().Rates
	want := []Observation{seen("W", 100, 0.02/math.Sqrt2), seen("R", 7, 0.1),
		seen("V", 100*math.Exp(0.1), 0.1)}
	check.Same(t, "pooled", want, got, near)
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
	refused(t, good+seen, []mistake{
		{"unknown disk", "disk: B", "disk: D", `hub.yaml:31:18: the profile has no disk "D"; try A, B or X`},
		{"disk twice", "disk: B", "disk: A", `hub.yaml:31:18: disk "A" is listed twice in the observation`},
		{"idle", "op: read", "op: idle", `op is "idle"; try read or write`},
		{"no error", "rate: 1 GB/s, error: 0.01}", "rate: 1 GB/s, error: 0}", `error is 0; try`},
		{"no disks", seen[strings.Index(seen, "      disks"):strings.Index(seen, "  lags")], "      disks: []\n", `disks is empty`},
		{"two direct", "phase: WW\n", "direct: true\n", `2 disks together are no direct observation`},
		{"unknown key", "  noise:", "  noises:", `unknown key "noises"; try noise`},
	})
}
