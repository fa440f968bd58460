package analysis

// Values are the numbers of a finding or a warning. Which there are, its code says:
//
//	bimodal            low, high, mean: rates
//	bottleneck         rate, capacity
//	cached             bytes, counted and its share, device: bytes by the disk's own counters; as a warning: share of
//	                   the files, or rate and most, which no link passes
//	ceiling            rate, without the added disks, alone: what they reach one by one
//	drops              due, late, longest_stall_s
//	duplex             rate, gain
//	edges              share
//	even               jain, low and high retention
//	foreign_traffic    bytes, its share of what was counted, rate, from_s, to_s
//	hub_cost, held     rate, reference
//	host_bound         percent
//	host_late          seconds, late frames
//	latency            from_ns, to_ns, times, quantile
//	left_out           requests
//	link_changed       at_s (see LinkChange), from_bps, to_bps
//	many_stages        stages, listed
//	no_interval        seconds of a short window; or few files; or moments, at which the progress is known
//	not_steady         window_s
//	others             rate by fio's rule, overlap: the rate in it
//	partial            at_s, seq of the file at which a disk failed
//	recovery           from, to, lag_low, lag_high
//	saturation         at_bytes, from_rate, to_rate, rest_s if it is known
//	size_or_time       at_bytes
//	start_skew         seconds; of thin_window too
//	steal              rate; of each who lost, on average: had, fair
//	steady_unfallen    rate, bytes
//	stopped            at_s, seconds, times
//	uneven             rate above an even share
//	unusable_files     files, of so many; of overlapping_files too; few_files: files
type Values map[string]float64
