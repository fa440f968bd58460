package diskio

// withRings adds the ways of io_uring that kernels and limits allow.
func withRings(m map[string]system) map[string]system {
	m["io_uring"] = system{open: openTestFile, ring: newRingMover}
	// If little memory may be locked, each request pins its own.
	m["io_uring without a registered buffer"] = system{open: openTestFile, ring: func(buf, scratch []byte, depth int) (mover, error) {
		m, err := makeRingMover(buf, scratch, depth, ringSetups())
		if err == nil {
			m.ring.buffers = 0
		}
		return m, err
	}}
	// Before Linux 6.1.
	m["io_uring of old"] = system{open: openTestFile, ring: func(buf, scratch []byte, depth int) (mover, error) {
		return makeRingMover(buf, scratch, depth, []uint32{0})
	}}
	return m
}
