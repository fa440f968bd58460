package policy

import "github.com/hubbench/hubbench/pkg/scenario"

const (
	// Stretch is the maximum number of bytes that a simulated disk asks the hub for at a time.
	Stretch = 32_000_000
	// SampleNS is the time after which a disk's progress is noted, simulated or not.
	SampleNS = 50_000_000
)

// Transfer steps one file over a simulated hub, a stretch at a time.
type Transfer struct {
	Bytes          int64 // moved so far
	StartNS, EndNS int64 // EndNS is that of the last stretch so far
	size           int64
	stretch        int64
	sampledNS      int64
}

// NewTransfer begins a file of a job. One that goes at a pace takes it in stretches so short that its progress can be
// noted as often as that of others.
func NewTransfer(job *scenario.Job, size, startNS int64) Transfer {
	stretch := int64(Stretch)
	if rate := job.Rate(); rate > 0 {
		stretch = max(1, min(stretch, int64(rate*SampleNS/2e9)))
	}
	return Transfer{StartNS: startNS, EndNS: startNS, size: size, stretch: stretch, sampledNS: startNS}
}

// Ask is the bytes to ask the hub for next; zero if the file is whole.
func (t *Transfer) Ask() int64 { return min(t.stretch, t.size-t.Bytes) }

// Granted notes that what Ask gave has moved, and reports whether this is the time to note the progress of a file that
// is not whole yet.
func (t *Transfer) Granted(doneNS int64) (sample bool) {
	t.Bytes, t.EndNS = t.Bytes+t.Ask(), doneNS
	if t.Bytes == t.size || doneNS-t.sampledNS < SampleNS {
		return false
	}
	t.sampledNS = doneNS
	return true
}
