package stream

// camera are the rates at which cameras record H.264 and H.265, in Mb/s: the most, or what they keep to.
func camera() []Codec {
	const (
		gh5    = "Panasonic DC-GH5 specifications: Recording Format"
		rx100  = "Sony DSC-RX100M5 Help Guide: File Format (movie)"
		alpha  = "Sony ILCE-7SM3 and ILCE-7M4: record settings of XAVC HS 4K and XAVC S-I 4K"
		c300m2 = "Canon EOS C300 Mark II, announcement of April 2015: XF-AVC Intra, 4K at up to 29.97 frames per second"
	)
	var all []Codec
	for _, row := range []struct {
		kind, size string
		rate       float64
		fps        []int
		source     string
	}{
		{"h264-8bit", "uhd", 100, []int{24, 25, 30}, gh5},
		{"h264-8bit", "uhd", 150, []int{50, 60}, gh5},
		{"h264-10bit", "uhd", 150, []int{24, 25, 30}, gh5},
		{"h264-all-intra", "hd", 200, []int{24, 25, 30, 50, 60}, gh5},
		{"h264-all-intra", "uhd", 400, []int{24, 25, 30}, gh5},

		{"xavc-s", "hd", 50, []int{24, 25, 30, 50, 60}, rx100},
		{"xavc-s", "uhd", 100, []int{24, 25, 30}, rx100},
		{"xavc-hs", "uhd", 100, []int{24}, alpha},
		{"xavc-hs", "uhd", 200, []int{50, 60}, alpha},
		{"xavc-si", "uhd", 240, []int{24}, alpha},
		{"xavc-si", "uhd", 250, []int{25}, alpha},
		{"xavc-si", "uhd", 300, []int{30}, alpha},
		{"xavc-si", "uhd", 500, []int{50}, alpha},
		{"xavc-si", "uhd", 600, []int{60}, alpha},

		{"xf-avc-intra", "uhd", 410, []int{24, 25, 30}, c300m2},
		{"xf-avc-intra", "4k", 410, []int{24, 25, 30}, c300m2},
	} {
		for _, fps := range row.fps {
			all = append(all, codec(row.kind, row.size, fps, row.rate*mbps, row.source))
		}
	}
	return all
}
