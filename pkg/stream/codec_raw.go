package stream

// raw are the rates of raw formats that compress every frame to one size. If a rate was published for one frame rate,
// those of others are in proportion to it.
func raw() []Codec {
	const (
		studio = "Blackmagic Micro Studio Camera 4K G2 manual: minutes at 30 frames per second that 1 TB lasts for"
		red    = "RED Digital Cinema, Benefits of REDCODE: data rates at 24 frames per second"
	)
	var all []Codec
	for _, row := range []struct {
		kind, label, size string
		fps               int
		rate              float64 // bytes per second
		others            []int   // frame rates for which the rate is in proportion
		source            string
	}{
		{"braw-3-1", "Blackmagic RAW 3:1", "uhd", 30, perTB(131), []int{24, 25, 50, 60}, studio},
		{"braw-5-1", "Blackmagic RAW 5:1", "uhd", 30, perTB(219), []int{24, 25, 50, 60}, studio},
		{"braw-8-1", "Blackmagic RAW 8:1", "uhd", 30, perTB(349), []int{24, 25, 50, 60}, studio},
		{"braw-12-1", "Blackmagic RAW 12:1", "uhd", 30, perTB(522), []int{24, 25, 50, 60}, studio},
		{"redcode-8-1", "REDCODE 8:1", "8k", 24, 162 * mbyte, []int{25, 30}, red},
		{"redcode-6-1", "REDCODE 6:1", "4k", 24, 54 * mbyte, []int{25, 30}, red},
	} {
		all = append(all, codec(row.kind, row.label, row.size, row.fps, row.rate, row.source))
		for _, fps := range row.others {
			c := codec(row.kind, row.label, row.size, fps, row.rate*float64(fps)/float64(row.fps), row.source)
			c.Scaled = true
			all = append(all, c)
		}
	}
	return all
}

// perTB is the rate of what fills 1 TB in so many minutes.
func perTB(minutes float64) float64 { return 1e12 / (60 * minutes) }
