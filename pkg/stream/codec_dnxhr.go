package stream

import "strings"

// dnxhr are the rates of Avid DNxHR, whose frames are all of one size.
func dnxhr() []Codec {
	const source = "Avid, DNxHR Codec Bandwidth Specifications, August 2015: bytes per frame"
	var all []Codec
	for _, row := range []struct {
		size, variant string
		bytes         float64 // per frame
	}{
		{"hd", "lb", 188416}, {"hd", "sq", 602112}, {"hd", "hq", 909312}, {"hd", "hqx", 909312}, {"hd", "444", 1822720},
		{"uhd", "lb", 749568}, {"uhd", "sq", 2408448}, {"uhd", "hq", 3641344}, {"uhd", "hqx", 3641344}, {"uhd", "444", 7286784},
		{"4k", "lb", 798720}, {"4k", "sq", 2568192}, {"4k", "hq", 3887104}, {"4k", "hqx", 3887104}, {"4k", "444", 7770112},
	} {
		for _, fps := range []int{24, 25, 30, 50, 60} {
			all = append(all, codec("dnxhr-"+row.variant, "DNxHR "+strings.ToUpper(row.variant), row.size, fps, row.bytes*float64(fps), source))
		}
	}
	return all
}
