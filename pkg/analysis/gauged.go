package analysis

// Temperature is how warm a disk was by its own sensor.
type Temperature struct {
	FirstC  float64 `json:"first_c"`
	MedianC float64 `json:"median_c"`
	MaxC    float64 `json:"max_c"`
	LastC   float64 `json:"last_c"`
	Stuck   bool    `json:"stuck"` // it never moves in the whole run: no evidence of anything
}

// Evidence is what a throttle's cause rests on. Temperatures are medians of a few readings, null where there were too
// few.
type Evidence struct {
	StartC      *float64 `json:"start_c"`
	AtC         *float64 `json:"at_c"`         // just before the fall
	AfterC      *float64 `json:"after_c"`      // at most after it
	Stuck       bool     `json:"stuck"`        // the temperature never moves
	Events      float64  `json:"events"`       // throttles that the device counted about the fall
	SameBudget  int      `json:"same_budget"`  // other phases in which it fell after about as many bytes
	PassedBytes float64  `json:"passed_bytes"` // at most moved in another phase at full speed, where that is clearly more; else 0
	SoonerBytes float64  `json:"sooner_bytes"` // after which it fell in an earlier phase, where that is clearly less; else 0
	CoresBusy   bool     `json:"cores_busy"`   // the host's cores were busy from about the fall on, and not before
}

// LinkChange is a disk's link that negotiated another speed, in bits per second.
type LinkChange struct {
	AtS     float64 `json:"at_s"` // when it was seen; 0 or less where it was so before the phase began
	FromBps float64 `json:"from_bps"`
	ToBps   float64 `json:"to_bps"`
}

// Freed is what a disk gained when another one fell.
type Freed struct {
	Disk     string  `json:"disk"`
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
}
