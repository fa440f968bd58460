package stream

// camera are the rates at which cameras record H.264 and H.265, in Mb/s: the maximum, or the constant rate.
func camera() []Codec {
	const (
		gh5    = "Panasonic DC-GH5 specifications: Recording Format"
		rx100  = "Sony DSC-RX100M5 Help Guide: File Format (movie)"
		alpha  = "Sony ILCE-7SM3 and ILCE-7M4: record settings of XAVC HS 4K and XAVC S-I 4K"
		c300m2 = "Canon EOS C300 Mark II, announcement of April 2015: XF-AVC Intra, 4K at up to 29.97 frames per second"
	)
	var all []Codec
	for _, row := range []struct {
		kind, label, size string
		rate              float64
		fps               []int
		source            string
	}{
		{"h264-8bit", "H.264 8-bit", "uhd", 100, []int{24, 25, 30}, gh5},
		{"h264-8bit", "H.264 8-bit", "uhd", 150, []int{50, 60}, gh5},
		{"h264-10bit", "H.264 10-bit", "uhd", 150, []int{24, 25, 30}, gh5},
		{"h264-all-intra", "H.264 All-Intra", "hd", 200, []int{24, 25, 30, 50, 60}, gh5},
		{"h264-all-intra", "H.264 All-Intra", "uhd", 400, []int{24, 25, 30}, gh5},

		{"xavc-s", "XAVC S", "hd", 50, []int{24, 25, 30, 50, 60}, rx100},
		{"xavc-s", "XAVC S", "uhd", 100, []int{24, 25, 30}, rx100},
		{"xavc-hs", "XAVC HS", "uhd", 100, []int{24}, alpha},
		{"xavc-hs", "XAVC HS", "uhd", 200, []int{50, 60}, alpha},
		{"xavc-si", "XAVC S-I", "uhd", 240, []int{24}, alpha},
		{"xavc-si", "XAVC S-I", "uhd", 250, []int{25}, alpha},
		{"xavc-si", "XAVC S-I", "uhd", 300, []int{30}, alpha},
		{"xavc-si", "XAVC S-I", "uhd", 500, []int{50}, alpha},
		{"xavc-si", "XAVC S-I", "uhd", 600, []int{60}, alpha},

		{"xf-avc-intra", "XF-AVC Intra", "uhd", 410, []int{24, 25, 30}, c300m2},
		{"xf-avc-intra", "XF-AVC Intra", "4k", 410, []int{24, 25, 30}, c300m2},
	} {
		for _, fps := range row.fps {
			all = append(all, codec(row.kind, row.label, row.size, fps, row.rate*mbps, row.source))
		}
	}
	return all
}
