package stream

// raw are the rates of raw formats that compress every frame to one size, in MB/s. Where a rate was published for one
// frame rate, those of others are in proportion to it.
func raw() []Codec {
	const (
		pocket4k = "Blackmagic Pocket Cinema Camera 4K technical specifications: Storage Rates at 30 frames per second"
		pocket6k = "Blackmagic Pocket Cinema Camera 6K technical specifications: Storage Rates at 30 frames per second"
		red      = "RED Digital Cinema, Benefits of REDCODE: data rates at 24 frames per second"
	)
	var all []Codec
	for _, row := range []struct {
		kind, size string
		fps        int
		rate       float64
		others     []int // frame rates for which the rate is in proportion
		source     string
	}{
		{"braw-3-1", "uhd", 30, 127, []int{24, 25, 50, 60}, pocket4k},
		{"braw-5-1", "uhd", 30, 76, []int{24, 25, 50, 60}, pocket4k},
		{"braw-8-1", "uhd", 30, 48, []int{24, 25, 50, 60}, pocket4k},
		{"braw-12-1", "uhd", 30, 32, []int{24, 25, 50, 60}, pocket4k},
		{"braw-3-1", "4k", 30, 135, []int{24, 25, 50, 60}, pocket4k},
		{"braw-5-1", "4k", 30, 81, []int{24, 25, 50, 60}, pocket4k},
		{"braw-8-1", "4k", 30, 51, []int{24, 25, 50, 60}, pocket4k},
		{"braw-12-1", "4k", 30, 34, []int{24, 25, 50, 60}, pocket4k},
		{"braw-3-1", "6k", 30, 323, []int{24, 25, 50}, pocket6k},
		{"braw-5-1", "6k", 30, 194, []int{24, 25, 50}, pocket6k},
		{"braw-8-1", "6k", 30, 121, []int{24, 25, 50}, pocket6k},
		{"braw-12-1", "6k", 30, 81, []int{24, 25, 50}, pocket6k},
		{"cinemadng-lossless", "4k", 30, 272, []int{24, 25}, pocket4k},
		{"cinemadng-3-1", "4k", 30, 129, []int{24, 25}, pocket4k},
		{"cinemadng-4-1", "4k", 30, 97, []int{24, 25}, pocket4k},
		{"redcode-8-1", "8k", 24, 162, []int{25, 30}, red},
		{"redcode-6-1", "4k", 24, 54, []int{25, 30}, red},
	} {
		all = append(all, codec(row.kind, row.size, row.fps, row.rate*mbyte, row.source))
		for _, fps := range row.others {
			c := codec(row.kind, row.size, fps, row.rate*mbyte*float64(fps)/float64(row.fps), row.source)
			c.Scaled = true
			all = append(all, c)
		}
	}
	return all
}
