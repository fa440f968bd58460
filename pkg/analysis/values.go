package analysis

// The numbers of findings and warnings, by their codes: in analysis.json the keys of values.
type (
	// PartialValues are those of partial: of a disk that failed.
	PartialValues struct {
		AtS float64 `json:"at_s"`
		Seq float64 `json:"seq"` // Seq is that of the file.
	}
	// DropsValues are those of drops.
	DropsValues struct {
		Due           float64 `json:"due"`
		Late          float64 `json:"late"`
		LongestStallS float64 `json:"longest_stall_s"`
	}
	// SaturationValues are those of saturation.
	SaturationValues struct {
		AtBytes  float64  `json:"at_bytes"`
		FromRate float64  `json:"from_rate"`
		RestS    *float64 `json:"rest_s,omitempty"`
		ToRate   float64  `json:"to_rate"`
	}
	// LatencyValues are those of latency.
	LatencyValues struct {
		FromNS   float64 `json:"from_ns"`
		Quantile float64 `json:"quantile"`
		Times    float64 `json:"times"`
		ToNS     float64 `json:"to_ns"`
	}
	// ReferenceValues are those of hub_cost, held.
	ReferenceValues struct {
		Rate      float64 `json:"rate"`
		Reference float64 `json:"reference"`
	}
	// StealValues are those of steal: of each who lost, on average, but for rate.
	StealValues struct {
		Had     float64 `json:"had"`
		Rate    float64 `json:"rate"`
		Without float64 `json:"without"` // Without is the rate without the one who took it.
	}
	// EvenValues are those of even: Jain's index, and the lowest and the highest retention.
	EvenValues struct {
		High float64 `json:"high"`
		Jain float64 `json:"jain"`
		Low  float64 `json:"low"`
	}
	// RecoveryValues are those of recovery.
	RecoveryValues struct {
		From    float64 `json:"from"`
		LagHigh float64 `json:"lag_high"`
		LagLow  float64 `json:"lag_low"`
		To      float64 `json:"to"`
	}
	// DuplexValues are those of duplex.
	DuplexValues struct {
		Gain float64 `json:"gain"`
		Rate float64 `json:"rate"`
	}
	// BottleneckValues are those of bottleneck.
	BottleneckValues struct {
		Capacity float64 `json:"capacity"`
		Rate     float64 `json:"rate"`
	}
	// ForeignValues are those of foreign_traffic.
	ForeignValues struct {
		Bytes float64 `json:"bytes"`
		FromS float64 `json:"from_s"`
		Rate  float64 `json:"rate"`
		Share float64 `json:"share"` // Share is a part of what was counted.
		ToS   float64 `json:"to_s"`
	}
	// CachedValues are those of cached, of a finding.
	CachedValues struct {
		Bytes   float64 `json:"bytes"`
		Counted float64 `json:"counted"`
		Device  float64 `json:"device"`
		Share   float64 `json:"share"` // Share is a part of Counted.
	}
	// PercentValues are those of host_bound.
	PercentValues struct {
		Percent float64 `json:"percent"`
	}
	// TimesValues are those of failed_requests.
	TimesValues struct {
		Times float64 `json:"times"`
	}
	// StoppedValues are those of stopped.
	StoppedValues struct {
		AtS     float64 `json:"at_s"`
		Seconds float64 `json:"seconds"`
		Times   float64 `json:"times"`
	}
	// SecondsValues are those of start_skew, thin_window; no_interval of a short window.
	SecondsValues struct {
		Seconds float64 `json:"seconds"`
	}
	// FilesValues are those of unusable_files, overlapping_files, few_files and no_interval.
	FilesValues struct {
		Files float64 `json:"files"`
		Of    float64 `json:"of,omitempty"`
	}
	// MomentsValues are those of no_interval, if the progress is known at few moments.
	MomentsValues struct {
		Moments float64 `json:"moments"`
	}
	// MemoryValues are those of no_interval, if the noise lasts as long as the phase.
	MemoryValues struct {
		MemoryS float64 `json:"memory_s"`
	}
	// ShareValues are those of edges; cached, of files found in the cache.
	ShareValues struct {
		Share float64 `json:"share"`
	}
	// BlockValues are those of cached_writes.
	BlockValues struct {
		Block float64 `json:"block"`
	}
	// MostValues are those of cached, of a rate that no link carries.
	MostValues struct {
		Most float64 `json:"most"`
		Rate float64 `json:"rate"`
	}
	// HostLateValues are those of host_late.
	HostLateValues struct {
		Late    float64 `json:"late"`
		Seconds float64 `json:"seconds"`
	}
	// RequestsValues are those of left_out.
	RequestsValues struct {
		Requests float64 `json:"requests"`
	}
	// StagesValues are those of many_stages.
	StagesValues struct {
		Listed float64 `json:"listed"`
		Stages float64 `json:"stages"`
	}
	// WindowValues are those of not_steady.
	WindowValues struct {
		WindowS float64 `json:"window_s"`
	}
	// UnfallenValues are those of steady_unfallen.
	UnfallenValues struct {
		Bytes float64 `json:"bytes"`
		Rate  float64 `json:"rate"`
	}
	// SizeValues are those of size_or_time.
	SizeValues struct {
		AtBytes float64 `json:"at_bytes"`
	}
	// ModesValues are those of bimodal.
	ModesValues struct {
		High float64 `json:"high"`
		Low  float64 `json:"low"`
		Mean float64 `json:"mean"`
	}
)
