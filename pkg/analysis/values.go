package analysis

// The numbers of findings and warnings, each type of the code that its comment names. In analysis.json they are the keys of values.
type (
	PartialValues struct { // partial: of a disk that failed
		AtS float64 `json:"at_s"`
		Seq float64 `json:"seq"` // of the file
	}
	DropsValues struct { // drops
		Due           float64 `json:"due"`
		Late          float64 `json:"late"`
		LongestStallS float64 `json:"longest_stall_s"`
	}
	SaturationValues struct { // saturation
		AtBytes  float64  `json:"at_bytes"`
		FromRate float64  `json:"from_rate"`
		RestS    *float64 `json:"rest_s,omitempty"`
		ToRate   float64  `json:"to_rate"`
	}
	LatencyValues struct { // latency
		FromNS   float64 `json:"from_ns"`
		Quantile float64 `json:"quantile"`
		Times    float64 `json:"times"`
		ToNS     float64 `json:"to_ns"`
	}
	ReferenceValues struct { // hub_cost, held
		Rate      float64 `json:"rate"`
		Reference float64 `json:"reference"`
	}
	StealValues struct { // steal: of each who lost, on average, but for rate
		Fair float64 `json:"fair"`
		Had  float64 `json:"had"`
		Rate float64 `json:"rate"`
	}
	RateValues struct { // uneven: above an even share
		Rate float64 `json:"rate"`
	}
	EvenValues struct { // even: Jain's index, and the lowest and the highest retention
		High float64 `json:"high"`
		Jain float64 `json:"jain"`
		Low  float64 `json:"low"`
	}
	RecoveryValues struct { // recovery
		From    float64 `json:"from"`
		LagHigh float64 `json:"lag_high"`
		LagLow  float64 `json:"lag_low"`
		To      float64 `json:"to"`
	}
	DuplexValues struct { // duplex
		Gain float64 `json:"gain"`
		Rate float64 `json:"rate"`
	}
	CeilingValues struct { // ceiling
		Alone   float64 `json:"alone"`
		Rate    float64 `json:"rate"`
		Without float64 `json:"without"`
	}
	BottleneckValues struct { // bottleneck
		Capacity float64 `json:"capacity"`
		Rate     float64 `json:"rate"`
	}
	OthersValues struct { // others: the rate by fio's rule, and that in the overlap
		Overlap float64 `json:"overlap"`
		Rate    float64 `json:"rate"`
	}
	ForeignValues struct { // foreign_traffic
		Bytes float64 `json:"bytes"`
		FromS float64 `json:"from_s"`
		Rate  float64 `json:"rate"`
		Share float64 `json:"share"` // of what was counted
		ToS   float64 `json:"to_s"`
	}
	CachedValues struct { // cached, of a finding
		Bytes   float64 `json:"bytes"`
		Counted float64 `json:"counted"`
		Device  float64 `json:"device"`
		Share   float64 `json:"share"` // of counted
	}
	PercentValues struct { // host_bound
		Percent float64 `json:"percent"`
	}
	StoppedValues struct { // stopped
		AtS     float64 `json:"at_s"`
		Seconds float64 `json:"seconds"`
		Times   float64 `json:"times"`
	}
	SecondsValues struct { // start_skew, thin_window; no_interval of a short window
		Seconds float64 `json:"seconds"`
	}
	FilesValues struct { // unusable_files, overlapping_files, few_files; no_interval of few files
		Files float64 `json:"files"`
		Of    float64 `json:"of,omitempty"`
	}
	MomentsValues struct { // no_interval, if the progress is known at few moments
		Moments float64 `json:"moments"`
	}
	ShareValues struct { // edges; cached, of files found in the cache
		Share float64 `json:"share"`
	}
	MostValues struct { // cached, of a rate that no link carries
		Most float64 `json:"most"`
		Rate float64 `json:"rate"`
	}
	HostLateValues struct { // host_late
		Late    float64 `json:"late"`
		Seconds float64 `json:"seconds"`
	}
	RequestsValues struct { // left_out
		Requests float64 `json:"requests"`
	}
	StagesValues struct { // many_stages
		Listed float64 `json:"listed"`
		Stages float64 `json:"stages"`
	}
	WindowValues struct { // not_steady
		WindowS float64 `json:"window_s"`
	}
	UnfallenValues struct { // steady_unfallen
		Bytes float64 `json:"bytes"`
		Rate  float64 `json:"rate"`
	}
	SizeValues struct { // size_or_time
		AtBytes float64 `json:"at_bytes"`
	}
	ModesValues struct { // bimodal
		High float64 `json:"high"`
		Low  float64 `json:"low"`
		Mean float64 `json:"mean"`
	}
)
