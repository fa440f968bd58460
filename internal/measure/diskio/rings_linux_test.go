package diskio

// withRings adds the ways of io_uring that kernels and limits allow.
func withRings(m map[string]system) map[string]system {
	for how, newEngine := range map[string]func(ioWork) (ioEngine, error){
		"io_uring": newRing,
		// If little memory may be locked, each request pins its own.
		"io_uring without a registered buffer": func(w ioWork) (ioEngine, error) {
			r, err := openRing(w, setupSingleIssuer|setupDeferTaskrun, 0)
			if err == nil {
				r.buffers = 0
			}
			return r, err
		},
		// Before Linux 6.1.
		"io_uring of old": func(w ioWork) (ioEngine, error) { return openRing(w, 0) },
	} {
		m[how] = system{open: openTestFile, ring: newEngine}
	}
	return m
}
