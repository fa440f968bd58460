package compare

import "slices"

// limited reports whether the disk goes no faster than its work asks in either run.
func limited(b, n part, disk string) bool {
	return b.traced.Paced[disk].Limited() || n.traced.Paced[disk].Limited()
}

// sameWork reports whether the disk is asked for the same in both runs: the rates of disks that do not go as fast as they
// can differ by what they are asked for, and those that read and write at once by how much of either.
func sameWork(b, n part, disk string) bool {
	x, y := b.traced.Paced[disk], n.traced.Paced[disk]
	return x.Rate == y.Rate && x.Probe == y.Probe && x.Reads == y.Reads && slices.Equal(x.Streams, y.Streams)
}
