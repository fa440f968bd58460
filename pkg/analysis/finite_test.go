package analysis

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestFiguresAreNumbers analyses few files of very unequal sizes and rates, without progress: no
// level that lasts no time may be made of them, since JSON holds no NaN.
func TestFiguresAreNumbers(t *testing.T) {
	for seed := range traces(t, 60, 20) {
		rnd := rand.New(rand.NewPCG(uint64(seed), 11))
		var disks []*trace.DiskRecord
		for i := range 1 + seed%3 {
			d := &trace.DiskRecord{Name: string(rune('A' + i)), Op: trace.Write}
			var at int64
			for k := range 5 + rnd.IntN(60) {
				bytes := int64(1e7 * (1 + rnd.ExpFloat64()*float64(1+rnd.IntN(400))))
				took := int64(float64(bytes) / (0.05 + 3*rnd.Float64()))
				if rnd.IntN(12) == 0 {
					at += int64(3e9 * rnd.Float64())
				}
				d.Files = append(d.Files, trace.File{Seq: k, Bytes: bytes, StartNS: at,
					EndNS: at + took})
				at += took
			}
			disks = append(disks, d)
		}
		if _, err := json.Marshal(Analyze(tracetest.Run(tracetest.Phase("all", disks...)),
			Options{})); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestFilesBetweenPauses analyses a disk whose files are short and far apart beside one that falls:
// so little time in files has no noise of its own.
func TestFilesBetweenPauses(t *testing.T) {
	a := &trace.DiskRecord{Name: "A", Op: trace.Write}
	for k := range 60 {
		took := int64(0.5e9)
		bytes := int64(0.5e9)
		if k >= 30 {
			bytes = 0.2e9
		}
		start := int64(k) * took
		a.Files = append(a.Files, trace.File{Seq: k, Bytes: bytes, StartNS: start,
			EndNS: start + took})
	}
	b := &trace.DiskRecord{Name: "B", Op: trace.Write}
	for k := range 75 {
		start := int64(k) * 0.4e9
		b.Files = append(b.Files, trace.File{Seq: k, Bytes: 4096, StartNS: start,
			EndNS: start + 0.5e6})
	}
	Analyze(tracetest.Run(tracetest.Phase("all", a, b)), Options{})
}
