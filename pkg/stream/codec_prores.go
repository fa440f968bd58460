package stream

import "time"

// prores are the targets of Apple ProRes.
func prores() []Codec {
	const source = "Apple ProRes White Paper, April 2022: Target Data Rates"
	return []Codec{
		{"prores-422-hq-hd-25", 184e6 / 8, 40 * time.Millisecond, source},
		{"prores-422-hq-uhd-25", 737e6 / 8, 40 * time.Millisecond, source},
	}
}
