package stream

import (
	"slices"
	"strings"
	"time"
)

// Codec is a format of video with the rate that its maker has published for it. Where a codec's rate follows the picture,
// that is the rate it aims at.
type Codec struct {
	Name   string        // codec, variant, resolution and frame rate: prores-422-hq-uhd-25
	Rate   float64       // bytes per second
	Frame  time.Duration // from one frame to the next
	Source string        // where the rate was published
}

// CodecByName finds a codec.
func CodecByName(name string) (Codec, bool) {
	all := Codecs()
	i, ok := slices.BinarySearchFunc(all, name, func(c Codec, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		return Codec{}, false
	}
	return all[i], true
}

// Codecs lists all of them by name.
func Codecs() []Codec {
	return prores()
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
