package policy

const (
	// Stretch is the bytes that a simulated disk asks the hub for at a time.
	Stretch = 32_000_000
	// SampleNS is the time after which a disk's progress is noted, simulated or not.
	SampleNS = 50_000_000
)

// Transfer steps one file over a simulated hub, a stretch at a time.
type Transfer struct {
	Bytes          int64 // moved so far
	StartNS, EndNS int64 // EndNS is that of the last stretch so far
	size           int64
	sampledNS      int64
}

// NewTransfer begins a file.
func NewTransfer(size, startNS int64) Transfer {
	return Transfer{StartNS: startNS, EndNS: startNS, size: size, sampledNS: startNS}
}

// Ask is the bytes to ask the hub for next; zero where the file is whole.
func (t *Transfer) Ask() int64 { return min(Stretch, t.size-t.Bytes) }

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
