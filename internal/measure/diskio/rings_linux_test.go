package diskio

// withRings adds the ways of io_uring that kernels and limits allow.
func withRings(m map[string]system) map[string]system {
	for how, open := range map[string]func(ringWork) (*ring, error){
		"io_uring": func(w ringWork) (*ring, error) { return openRing(w, ringSetups()) },
		// If little memory may be locked, each request pins its own.
		"io_uring without a registered buffer": func(w ringWork) (*ring, error) {
			r, err := openRing(w, ringSetups())
			if err == nil {
				r.buffers = 0
			}
			return r, err
		},
		// Before Linux 6.1.
		"io_uring of old": func(w ringWork) (*ring, error) { return openRing(w, []uint32{0}) },
	} {
		m[how] = system{
			open: openTestFile,
			ring: func(w ringWork) (mover, error) {
				r, err := open(w)
				return &ringMover{r, newSlots(w.buf, w.scratch, w.depth)}, err
			},
			queue: func(w ringWork) (queue, error) { return open(w) },
		}
	}
	return m
}
