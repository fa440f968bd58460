package hub

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const good = `version: 1
name: small
about: two disks
source: measured
link: 4 GB/s
capacity: {read: 3.4 GB/s, write: 3.3 GB/s, both: 4.5 GB/s}
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
`

func TestLoad(t *testing.T) {
	got, err := Load("small.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := &Profile{
		Name: "small", About: "two disks", Source: Measured, Link: 4e9,
		Capacity: Capacity{Read: 3.4e9, Write: 3.3e9, Both: 4.5e9, ReadWeight: 1.9, WriteWeight: 2.6},
		Lags: Lags{
			WriteAfterWrite: []time.Duration{4 * time.Second, 10 * time.Second},
			ReadAfterWrite:  []time.Duration{2500 * time.Millisecond},
		},
		Disks: []Disk{
			{Name: "A", About: "slow", Read: Side{2.6e9, 2.7e9, 1}, Write: Side{1.5e9, 1.5e9, 2}},
			{Name: "B", Read: Side{3.4e9, 5e9, 1}, Write: Side{3e9, 3e9, 1}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, test := range []struct {
		what, old, new string
		want           string
	}{
		{"negative capacity", "read: 3.4 GB/s", "read: -3.4 GB/s", `hub.yaml:6:18: read: rate "-3.4 GB/s": must not be negative`},
		{"zero capacity", "write: 3.3 GB/s", "write: 0 GB/s", `hub.yaml:6:35: write is "0 GB/s"; try`},
		{"bits", "4.5 GB/s", "4.5 Gb/s", `hub.yaml:6:51: both: rate "4.5 Gb/s": "Gb" is bits`},
		{"capacity above the link", "read: 3.4 GB/s", "read: 4.4 GB/s", `hub.yaml:6:18: read is 4.40 GB/s, above the link's 4.00 GB/s`},
		{"both above the sum", "both: 4.5 GB/s", "both: 7 GB/s", `hub.yaml:6:51: both is 7.00 GB/s, above read and write together (6.70 GB/s)`},
		{"capacity missing", "write: 3.3 GB/s, ", "", `hub.yaml:6:11: the key write is missing`},
		{"weight of zero", "weights: {read: 1.9", "weights: {read: 0", `hub.yaml:7:17: read is 0; try a number from 0.001 to 1000`},
		{"disk weight of zero", "weight: 2", "weight: 0", `hub.yaml:15:36: weight is 0; try`},
		{"negative weight", "weight: 2", "weight: -2", `hub.yaml:15:36: weight is -2; try`},
		{"weight not a number", "weight: 2", "weight: .nan", `hub.yaml:15:36: weight is .nan`},
		{"disk above the hub", "hub: 2.6 GB/s", "hub: 3.6 GB/s", `hub.yaml:14:17: hub is 3.60 GB/s, above the 3.40 GB/s that the hub carries`},
		{"unknown key", "recovery:", "recovry:", `hub.yaml:8:1: unknown key "recovry"; try recovery`},
		{"unknown key of a disk", "weight: 2", "wieght: 2", `hub.yaml:15:28: unknown key "wieght"; try weight`},
		{"unknown lag", "write_after_write", "write_after_all", `hub.yaml:9:3: unknown key "write_after_all"; try write_after_`},
		{"negative lag", "[2.5 s]", "[-1 s]", `hub.yaml:10:22: item 1 of read_after_write: time "-1 s"`},
		{"lag not a list", "[2.5 s]", "2.5 s", `hub.yaml:10:21: read_after_write is "2.5 s", not a list`},
		{"endless lag", "[2.5 s]", "[2 h]", `hub.yaml:10:22: item 1 of read_after_write is "2 h"; try 0 s to 1 h`},
		{"too many lags", "[2.5 s]", "[" + strings.Repeat("1 s, ", 64) + "1 s]", `read_after_write has more than 64 entries`},
		{"twice the same disk", "name: B", "name: A", `hub.yaml:16:11: disk "A" is there twice`},
		{"disk without name", "name: B", `name: ""`, `hub.yaml:16:11: the disk's name is empty`},
		{"disk without rates", "{direct: 5 GB/s}", "{}", `hub.yaml:17:11: read needs a rate`},
		{"disk without a direction", "    write: {direct: 3 GB/s}\n", "", `hub.yaml:16:5: the key write is missing`},
		{"no disks", good[strings.Index(good, "disks:"):], "disks: []\n", `hub.yaml:11:8: disks is empty`},
		{"another version", "version: 1", "version: 2", `hub.yaml:1:10: version is 2; try`},
		{"unknown source", "source: measured", "source: measurd", `hub.yaml:4:9: source is "measurd"; try measured`},
		{"not YAML", good, "a: [1", `hub.yaml:1:`},
		{"empty", good, "", `hub.yaml:1:1: the file is empty`},
	} {
		t.Run(test.what, func(t *testing.T) {
			if !strings.Contains(good, test.old) {
				t.Fatalf("the good profile has no %q", test.old)
			}
			_, err := Load("hub.yaml", []byte(strings.Replace(good, test.old, test.new, 1)))
			switch {
			case err == nil:
				t.Fatal("taken")
			case !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n"):
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
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
			if err := s.Join(d.Name, Work{Op: write, Sizes: []int64{1e9}}, 0); err != nil {
				t.Fatal(err)
			}
		}
		s.Advance(0)
		for disk, rate := range s.Rates() {
			if !(rate > 0) {
				t.Errorf("disk %s at %v", disk, rate)
			}
		}
	})
}
