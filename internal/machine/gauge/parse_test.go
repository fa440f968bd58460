package gauge

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
)

func TestParseSmart(t *testing.T) {
	for text, want := range map[string]float64{
		`{"smartctl":{"exit_status":4},"temperature":{"current":41}}`: 41, `{"temperature":{"current":0}}`: 0, `{"temperature":{}}`: 0, `{"smartctl":{"exit_status":2}}`: 0, `x`: 0, ``: 0,
	} {
		if got, err := parseSmart([]byte(text)); got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestCPU(t *testing.T) {
	texts := []string{"cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3\n", "cpu  160 10 70 830 90 3 2 5 7 0\n"}
	s := cpuSource(func() (cpuTimes, error) {
		text := texts[0]
		texts = texts[1:]
		return parseStat(text)
	})
	if got, err := s.Read(t.Context()); len(got) != 0 || err != nil {
		t.Errorf("the first reading is %v, %v; want none", got, err)
	}
	// Busy: 60 user, 10 nice, 20 system, 3 and 2 interrupts, 5 stolen; then 30 idle and 40 waiting for disks.
	if got, err := s.Read(t.Context()); err != nil || len(got) != 1 || got[0] != (Reading{Name: trace.CPU, Value: 100 * 100.0 / 170}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, text := range []string{"", "cpu 1 2", "intr 1 2 3 4 5", "cpu a b c d e"} {
		if got, err := parseStat(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestParseWindows(t *testing.T) {
	answer := make([]byte, performanceBytes)
	binary.LittleEndian.PutUint64(answer, 5e12)
	binary.LittleEndian.PutUint64(answer[8:], 7)
	if got, err := parsePerformance(answer); err != nil || got != (Counters{Read: 5e12, Written: 7}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := parsePerformance(answer[:15]); err == nil {
		t.Errorf("half an answer is %v", got)
	}
	if got, err := parseDeviceNumber([]byte{7, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0}); err != nil || got != 3 {
		t.Errorf("device number %v, %v", got, err)
	}
	for _, answer := range [][]byte{nil, {7, 0, 0, 0}, {2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0}} { // 2: a CD-ROM
		if got, err := parseDeviceNumber(answer); err == nil {
			t.Errorf("%v is disk %d", answer, got)
		}
	}
}

func TestGroup(t *testing.T) {
	find := func(path string) (*meter, error) {
		if path == "" {
			return nil, errUnknown
		}
		return &meter{key: path[:1]}, nil
	}
	var got []string
	for _, m := range group([]Disk{{"A", "x1"}, {"B", ""}, {"C", "y1"}, {"D", "x2"}}, find) {
		got = append(got, fmt.Sprint(m.key, m.disks))
	}
	if want := []string{"x[A D]", "y[C]"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
