package stream

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Codec is a format of video at one size and frame rate, with the rate that was published for it. A
// codec whose rate follows the picture is listed with its target rate, or with its maximum; sound
// is not counted.
//
// Sizes are hd (1920 x 1080), uhd (3840 x 2160), 4k (4096 x 2160) and 8k (8192 x 4320). Frame rates
// are whole numbers: 24, 30 and 60 stand for 23.976, 29.97 and 59.94 as well, as they do in most of
// the tables.
type Codec struct {
	Name   string        // Name is codec, variant, size and frame rate: prores-422-hq-uhd-25.
	Label  string        // Label is the same as people write it: ProRes 422 HQ UHD 25p.
	Rate   float64       // Rate is bytes per second.
	Frame  time.Duration // Frame is from one frame to the next.
	Source string        // Source is where the rate was published.
	// Scaled says that the rate was published for another frame rate.
	Scaled bool
}

// Codecs lists all of them by name.
func Codecs() []Codec {
	all := published()
	slices.SortFunc(all, func(a, b Codec) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Matching lists the codecs that have all words in their names or labels.
func Matching(words []string) (matching []Codec) {
	for _, c := range Codecs() {
		name := strings.ToLower(c.Name + " " + c.Label)
		hasAll := true
		for _, word := range words {
			hasAll = hasAll && strings.Contains(name, strings.ToLower(word))
		}
		if hasAll {
			matching = append(matching, c)
		}
	}
	return matching
}

// CodecByName finds a codec.
func CodecByName(name string) (Codec, bool) {
	all := Codecs()
	i, ok := slices.BinarySearchFunc(all, name, func(c Codec, name string) int {
		return cmp.Compare(c.Name, name)
	})
	if !ok {
		return Codec{}, false
	}
	return all[i], true
}

// WholeRate puts the frame rate that codecs are listed with in place of a camera's: 30 for 29.97,
// 24 for 23.98. The data rates differ by 0.1 %.
func WholeRate(name string) string {
	for fractional, whole := range map[string]string{"-23.98": "-24", "-23.976": "-24",
		"-29.97": "-30",
		"-47.95": "-48", "-59.94": "-60", "-119.88": "-120"} {
		if base, ok := strings.CutSuffix(name, fractional); ok {
			return base + whole
		}
	}
	return name
}

// CodecNames lists the names of all codecs.
func CodecNames() []string {
	all := Codecs()
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	return names
}

// Label returns how people write the name of a codec; any other text, such as a rate, is its own
// label.
func Label(kind string) string {
	if c, ok := CodecByName(kind); ok {
		return c.Label
	}
	return kind
}

// Where rates were published.
const (
	prores = "Apple ProRes White Paper, April 2022: Target Data Rates"
	dnxhr  = "Avid, DNxHR Codec Bandwidth Specifications, August 2015: bytes per frame"
	gh5    = "Panasonic DC-GH5 specifications: Recording Format"
	rx100  = "Sony DSC-RX100M5 Help Guide: File Format (movie)"
	alpha  = "Sony ILCE-7SM3 and ILCE-7M4: record settings of XAVC HS 4K and XAVC S-I 4K"
	c300m2 = "Canon EOS C300 Mark II, announcement of April 2015: XF-AVC Intra, 4K at up to " +
		"29.97 frames per second"
	studio = "Blackmagic Micro Studio Camera 4K G2 manual: minutes at 30 frames per second that " +
		"1 TB lasts for"
	red = "RED Digital Cinema, Benefits of REDCODE: data rates at 24 frames per second"
)

var frameRates = [...]int{24, 25, 30, 50, 60}

type byRate [len(frameRates)]float64

// The maximum or the constant rates in Mb/s, by frame rate; 0: there is none.
var timed = [...]struct {
	label, size, source string
	rates               byRate
}{
	{"H.264 8-bit", "uhd", gh5, byRate{100, 100, 100, 150, 150}},
	{"H.264 10-bit", "uhd", gh5, byRate{150, 150, 150}},
	{"H.264 All-Intra", "hd", gh5, byRate{200, 200, 200, 200, 200}},
	{"H.264 All-Intra", "uhd", gh5, byRate{400, 400, 400}},
	{"XAVC S", "hd", rx100, byRate{50, 50, 50, 50, 50}},
	{"XAVC S", "uhd", rx100, byRate{100, 100, 100}},
	{"XAVC HS", "uhd", alpha, byRate{100, 0, 0, 200, 200}},
	{"XAVC S-I", "uhd", alpha, byRate{240, 250, 300, 500, 600}},
	{"XF-AVC Intra", "uhd", c300m2, byRate{410, 410, 410}},
	{"XF-AVC Intra", "4k", c300m2, byRate{410, 410, 410}},
}

var frameSizes = [...]string{"hd", "uhd", "4k", "8k"}

// Apple's target rates in Mb/s at 59.94 frames per second, by size: the rates that are listed for
// the other frame rates are in proportion, rounded. What is recorded is mostly 5 to 10 % less.
var targets = [...]struct {
	label string
	rates [len(frameSizes)]float64
}{
	{"ProRes 422 Proxy", [...]float64{90.9, 363.1, 387.6, 1556}},
	{"ProRes 422 LT", [...]float64{204, 820.55, 874.8, 3500}},
	{"ProRes 422", [...]float64{293.2, 1178.45, 1257.2, 5028}},
	{"ProRes 422 HQ", [...]float64{440, 1768, 1885.6, 7542}},
	{"ProRes 4444", [...]float64{660, 2652, 2828, 11313.2}},
	{"ProRes 4444 XQ", [...]float64{990, 3977.2, 4242, 16970}},
}

// exact returns the frame rate that a whole number stands for in Apple's list.
func exact(fps int) float64 {
	if fps == 25 || fps == 50 {
		return float64(fps)
	}
	return float64(fps) / 1.001
}

var variants = [...]string{"LB", "SQ", "HQ", "HQX", "444"}

type byVariant [len(variants)]float64

// The bytes of frames that are all of one size, by variant.
var framed = [...]struct {
	size  string
	bytes byVariant
}{
	{"hd", byVariant{188416, 602112, 909312, 909312, 1822720}},
	{"uhd", byVariant{749568, 2408448, 3641344, 3641344, 7286784}},
	{"4k", byVariant{798720, 2568192, 3887104, 3887104, 7770112}},
}

// Raw formats that compress every frame to one size: the rate in bytes per second, the frame rate
// that it is of, and others for which it is in proportion.
var raw = [...]struct {
	label, size, source string
	rate                float64
	fps                 []int
}{
	{"Blackmagic RAW 3:1", "uhd", studio, 1e12 / 60 / 131, []int{30, 24, 25, 50, 60}},
	{"Blackmagic RAW 5:1", "uhd", studio, 1e12 / 60 / 219, []int{30, 24, 25, 50, 60}},
	{"Blackmagic RAW 8:1", "uhd", studio, 1e12 / 60 / 349, []int{30, 24, 25, 50, 60}},
	{"Blackmagic RAW 12:1", "uhd", studio, 1e12 / 60 / 522, []int{30, 24, 25, 50, 60}},
	{"REDCODE 8:1", "8k", red, 162e6, []int{24, 25, 30}},
	{"REDCODE 6:1", "4k", red, 54e6, []int{24, 25, 30}},
}

// published returns all codecs as their makers list them.
func published() []Codec {
	kind := strings.NewReplacer("blackmagic raw", "braw", "-bit", "bit", "s-i", "si", " ", "-", ":",
		"-", ".", "")
	sizes := map[string]string{"hd": "HD", "uhd": "UHD", "4k": "4K DCI", "8k": "8K DCI"}
	var all []Codec
	add := func(label, size string, fps int, rate float64, source string, scaled bool) {
		all = append(all, Codec{
			Name:  fmt.Sprintf("%s-%s-%d", kind.Replace(strings.ToLower(label)), size, fps),
			Label: fmt.Sprintf("%s %s %dp", label, sizes[size], fps),
			Rate:  rate, Frame: time.Second / time.Duration(fps), Source: source, Scaled: scaled,
		})
	}
	for _, row := range targets {
		for i, size := range frameSizes {
			for _, fps := range frameRates {
				rate := math.Round(row.rates[i] * exact(fps) / exact(60))
				add(row.label, size, fps, rate*1e6/8, prores, false)
			}
		}
	}
	for _, row := range timed {
		for i, rate := range row.rates {
			if rate > 0 {
				add(row.label, row.size, frameRates[i], rate*1e6/8, row.source, false)
			}
		}
	}
	for _, row := range framed {
		for i, bytes := range row.bytes {
			for _, fps := range frameRates {
				add("DNxHR "+variants[i], row.size, fps, bytes*float64(fps), dnxhr, false)
			}
		}
	}
	for _, row := range raw {
		for _, fps := range row.fps {
			add(row.label, row.size, fps, row.rate*float64(fps)/float64(row.fps[0]), row.source,
				fps != row.fps[0])
		}
	}
	return all
}
