package tracetest

// Class is a kind of noise that real disks show, and the sizes it comes with.
type Class struct {
	Name  string
	Noise Noise
	Sizes Sizes // Uniform if nil
	// Tuned classes may be used to choose thresholds by; the others are for tests alone.
	Tuned bool
}

// Classes are the kinds of noise that must produce no claim: steady disks, all of them.
func Classes() []Class {
	return []Class{
		{Name: "quiet", Noise: Noise{Sigma: 0.02}, Tuned: true},
		{Name: "log-normal .15", Noise: Noise{Sigma: 0.15}},
		{Name: "log-normal .3", Noise: Noise{Sigma: 0.3}, Tuned: true},
		{Name: "log-normal .6", Noise: Noise{Sigma: 0.6}},
		{Name: "Pareto 2.5", Noise: Noise{Tail: 2.5}, Tuned: true},
		{Name: "Pareto 1.5", Noise: Noise{Tail: 1.5}},
		{Name: "bursts", Noise: Noise{Sigma: 0.03, EveryS: 8, StallS: 1, Stalled: 1.5}},
		{Name: "long bursts", Noise: Noise{Sigma: 0.03, EveryS: 12, StallS: 2, Stalled: 1.3}, Tuned: true},
		{Name: "stalls 5 s/.2 s", Noise: Noise{Sigma: 0.03, EveryS: 5, StallS: 0.2, Stalled: 0.02}, Tuned: true},
		{Name: "stalls 10 s/1 s", Noise: Noise{Sigma: 0.03, EveryS: 10, StallS: 1, Stalled: 0.1}},
		{Name: "stalls 20 s/2 s", Noise: Noise{Sigma: 0.03, EveryS: 20, StallS: 2, Stalled: 0.2}, Tuned: true},
		{Name: "wave 5 %, .5 s", Noise: Noise{Wave: 0.05, MemoryS: 0.5}, Tuned: true},
		{Name: "wave 5 %, 2 s", Noise: Noise{Wave: 0.05, MemoryS: 2}},
		{Name: "wave 5 %, 5 s", Noise: Noise{Wave: 0.05, MemoryS: 5}, Tuned: true},
		{Name: "wave 10 %, .5 s", Noise: Noise{Wave: 0.1, MemoryS: 0.5}},
		{Name: "wave 10 %, 2 s", Noise: Noise{Wave: 0.1, MemoryS: 2}, Tuned: true},
		{Name: "wave 10 %, 5 s", Noise: Noise{Wave: 0.1, MemoryS: 5}},
		{Name: "wave 20 %, .5 s", Noise: Noise{Wave: 0.2, MemoryS: 0.5}, Tuned: true},
		{Name: "wave 20 %, 2 s", Noise: Noise{Wave: 0.2, MemoryS: 2}},
		{Name: "wave 20 %, 5 s", Noise: Noise{Wave: 0.2, MemoryS: 5}, Tuned: true},
		{Name: "drift 10 %", Noise: Noise{Sigma: 0.03, Drift: 0.1}},
		{Name: "flush .2 s", Noise: Noise{Sigma: 0.03, FlushS: 0.2}, Tuned: true},
		{Name: "start .05 s", Noise: Noise{Sigma: 0.05, PerFileS: 0.05}},
		{Name: "4 KB to 50 GB", Noise: Noise{Sigma: 0.05, PerFileS: 0.0002}, Sizes: LogUniform(4e3, 50e9)},
		{Name: "50 KB to 2 GB", Noise: Noise{Sigma: 0.1, PerFileS: 0.001}, Sizes: LogUniform(50e3, 2e9), Tuned: true},
	}
}
