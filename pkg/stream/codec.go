package stream

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Codec is a format of video at one size and frame rate, with the rate that was published for it. A codec whose rate
// follows the picture is listed with its target rate, or with its maximum; sound is not counted.
//
// Sizes are hd (1920 x 1080), uhd (3840 x 2160), 4k (4096 x 2160) and 8k (8192 x 4320). Frame rates are
// whole numbers: 24, 30 and 60 stand for 23.976, 29.97 and 59.94 as well, as they do in most of the tables.
type Codec struct {
	Name   string        // codec, variant, size and frame rate: prores-422-hq-uhd-25
	Label  string        // the same as people write it: ProRes 422 HQ UHD 25p
	Rate   float64       // bytes per second
	Frame  time.Duration // from one frame to the next
	Source string        // where the rate was published
	Scaled bool          // it is in proportion to the rate that was published for another frame rate
}

// Units in which rates are published, in bytes per second.
const (
	mbps  = 1e6 / 8 // Mb/s
	mbyte = 1e6     // MB/s
)

// Codecs lists all of them by name.
func Codecs() []Codec {
	all := slices.Concat(prores(), dnxhr(), camera(), raw())
	slices.SortFunc(all, func(a, b Codec) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// CodecByName finds a codec.
func CodecByName(name string) (Codec, bool) {
	all := Codecs()
	i, ok := slices.BinarySearchFunc(all, name, func(c Codec, name string) int { return cmp.Compare(c.Name, name) })
	if !ok {
		return Codec{}, false
	}
	return all[i], true
}

// WholeRate puts the frame rate that codecs are listed with in place of a camera's: 30 for 29.97, 24 for 23.98. The data rates
// differ by 0.1 %.
func WholeRate(name string) string {
	for fractional, whole := range map[string]string{"-23.98": "-24", "-23.976": "-24", "-29.97": "-30", "-47.95": "-48", "-59.94": "-60", "-119.88": "-120"} {
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

// Label is how people write the name of a codec; any other text, such as a rate, is its own label.
func Label(kind string) string {
	if c, ok := CodecByName(kind); ok {
		return c.Label
	}
	return kind
}

// codec is one of a kind, which people write as label, and a size.
func codec(kind, label, size string, fps int, rate float64, source string) Codec {
	sizes := map[string]string{"hd": "HD", "uhd": "UHD", "4k": "4K DCI", "8k": "8K DCI"}
	return Codec{
		Name: fmt.Sprintf("%s-%s-%d", kind, size, fps), Label: fmt.Sprintf("%s %s %dp", label, sizes[size], fps),
		Rate: rate, Frame: time.Second / time.Duration(fps), Source: source,
	}
}
