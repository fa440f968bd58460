package work

import "slices"

// Key is one thing by which works differ, named as the scenario has it.
type Key string

// The keys that change what a rate means, the most important first. How many files there are, which ones a seed draws from a
// range, when the phase stops, how long the disks rest before it and what becomes of the files afterwards change how long
// it is measured and in which state, but not of what.
const (
	KeyOp           Key = "op"           // a disk reads and writes at different rates
	KeyMix          Key = "mix"          // and both at once at a third
	KeyStreams      Key = "streams"      // what is asked for, and how long a frame may take
	KeyProbe        Key = "probe"        // the size of a request is most of its latency, and their distance what the disk does between
	KeyPace         Key = "pace"         // the rate is what the work asks for
	KeySizes        Key = "sizes"        // each file costs time of its own, which weighs the more the smaller it is
	KeyOrder        Key = "order"        // ascending sizes are time: the window sees only the small ones
	KeyIO           Key = "io"           // past the system's cache or through it
	KeyBlock        Key = "block"        // each request costs time of its own
	KeyDepth        Key = "depth"        // a link is filled only by several requests in flight, and a hub may serve by them
	KeyAccess       Key = "access"       // at random no disk reads ahead
	KeyFlush        Key = "flush"        // how much of the writing is in the time
	KeyVerify       Key = "verify"       // what is checked between files is time in the window
	KeyPreallocate  Key = "preallocate"  // whether the file system looks for space within the time
	KeyFootprint    Key = "footprint"    // old files removed meanwhile are work, and the disk writes where it has just made room
	KeyPrecondition Key = "precondition" // a full disk has less of a fast cache
	KeyWarmUp       Key = "warm_up"      // what a start costs, and a fresh cache gives, is left out
	KeyTest         Key = "test"         // passes of another kind: their rests, their longest time, one file again and again
	KeyUnknown      Key = "unknown"      // one of the works was not written down
)

// Differs are the keys by which two works mean different rates.
func (w Work) Differs(o Work) []Key {
	var keys []Key
	add := func(k Key, same bool) {
		if !same {
			keys = append(keys, k)
		}
	}
	add(KeyOp, w.Op == o.Op)
	add(KeyMix, w.Reads == o.Reads)
	add(KeyStreams, slices.Equal(w.Streams, o.Streams))
	add(KeyProbe, w.Probe == o.Probe && (w.Every == o.Every || !w.Declared() || !o.Declared()))
	add(KeyPace, w.Pace == o.Pace)
	add(KeyTest, w.Test == o.Test && w.OneFile == o.OneFile && w.Cap == o.Cap && w.Rest == o.Rest)
	if !w.Accompanies() && !o.Accompanies() {
		same := w.sameSizes(&o)
		add(KeySizes, same)
		add(KeyOrder, !same || w.order() == o.order())
	}
	if w.Declared() != o.Declared() {
		return append(keys, KeyUnknown)
	}
	add(KeyIO, w.Mode == o.Mode)
	if w.Mode != ModeApp && o.Mode != ModeApp {
		add(KeyBlock, w.Block == o.Block)
		add(KeyDepth, w.Depth == o.Depth)
		add(KeyAccess, w.Access == o.Access)
	}
	if w.writes() && o.writes() {
		add(KeyFlush, w.Flush == o.Flush)
		add(KeyPreallocate, w.Preallocate == o.Preallocate)
	}
	add(KeyVerify, w.Verify == o.Verify)
	add(KeyFootprint, w.Footprint == o.Footprint)
	add(KeyPrecondition, w.Fill == o.Fill)
	add(KeyWarmUp, w.WarmUp == o.WarmUp)
	return keys
}
