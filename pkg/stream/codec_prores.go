package stream

import "strings"

// prores are the target rates of Apple ProRes, in Mb/s. What is recorded is mostly 5 to 10 % less.
func prores() []Codec {
	const source = "Apple ProRes White Paper, April 2022: Target Data Rates"
	variants := [...]string{"422 Proxy", "422 LT", "422", "422 HQ", "4444", "4444 XQ"}
	var all []Codec
	for _, row := range []struct {
		size  string
		fps   int
		rates [len(variants)]float64
	}{
		{"hd", 24, [...]float64{36, 82, 117, 176, 264, 396}},
		{"hd", 25, [...]float64{38, 85, 122, 184, 275, 413}},
		{"hd", 30, [...]float64{45, 102, 147, 220, 330, 495}},
		{"hd", 50, [...]float64{76, 170, 245, 367, 551, 826}},
		{"hd", 60, [...]float64{91, 204, 293, 440, 660, 990}},
		{"uhd", 24, [...]float64{145, 328, 471, 707, 1061, 1591}},
		{"uhd", 25, [...]float64{151, 342, 492, 737, 1106, 1659}},
		{"uhd", 30, [...]float64{182, 410, 589, 884, 1326, 1989}},
		{"uhd", 50, [...]float64{303, 684, 983, 1475, 2212, 3318}},
		{"uhd", 60, [...]float64{363, 821, 1178, 1768, 2652, 3977}},
		{"4k", 24, [...]float64{155, 350, 503, 754, 1131, 1697}},
		{"4k", 25, [...]float64{162, 365, 524, 786, 1180, 1769}},
		{"4k", 30, [...]float64{194, 437, 629, 943, 1414, 2121}},
		{"4k", 50, [...]float64{323, 730, 1049, 1573, 2359, 3539}},
		{"4k", 60, [...]float64{388, 875, 1257, 1886, 2828, 4242}},
		{"8k", 24, [...]float64{622, 1400, 2011, 3017, 4525, 6788}},
		{"8k", 25, [...]float64{649, 1460, 2097, 3146, 4719, 7078}},
		{"8k", 30, [...]float64{778, 1750, 2514, 3771, 5657, 8485}},
		{"8k", 50, [...]float64{1298, 2920, 4194, 6291, 9437, 14156}},
		{"8k", 60, [...]float64{1556, 3500, 5028, 7542, 11313, 16970}},
	} {
		for i, variant := range variants {
			kind := strings.ToLower(strings.ReplaceAll(variant, " ", "-"))
			all = append(all, codec("prores-"+kind, "ProRes "+variant, row.size, row.fps, row.rates[i]*mbps, source))
		}
	}
	return all
}
