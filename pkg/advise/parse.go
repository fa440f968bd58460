package advise

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Limits of a question.
const (
	maxStreams = 256
	minRate    = 1e5 // bytes per second
	maxRate    = 2e10
	givenFrame = 40 * time.Millisecond // of a stream given by its rate: 25 frames a second
)

// ParseStreams reads what a disk plays or records: "A=4xprores-422-hq-uhd-25", "A=4x92MB/s",
// "A=prores-422-hq-uhd-25".
func ParseStreams(text string, record bool, buffer time.Duration) (disk string, spec stream.Spec, err error) {
	disk, what, ok := strings.Cut(text, "=")
	disk, what = strings.TrimSpace(disk), strings.TrimSpace(what)
	if !ok || disk == "" || what == "" {
		return "", spec, fmt.Errorf("%s does not name a disk and its streams; try A=4xprores-422-hq-uhd-25 or "+
			"A=4x92MB/s", strictyaml.Quote(text))
	}
	spec = stream.Spec{Record: record, Count: 1, Buffer: buffer}
	if number, rest, ok := strings.Cut(what, "x"); ok {
		if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
			if n < 1 || n > maxStreams {
				return "", spec, fmt.Errorf("%s: %d streams; try 1 to %d", strictyaml.Quote(text), n, maxStreams)
			}
			spec.Count, what = n, strings.TrimSpace(rest)
		}
	}
	if c, ok := stream.CodecByName(what); ok {
		spec.Kind, spec.Rate, spec.Frame = c.Name, c.Rate, c.Frame
		return disk, spec, nil
	}
	if what != "" && (what[0] == '.' || what[0] >= '0' && what[0] <= '9') {
		rate, err := unit.ParseRate(what)
		switch {
		case err != nil:
			return "", spec, err
		case rate < minRate || rate > maxRate:
			return "", spec, fmt.Errorf("%s: a stream of %s; try one from %s to %s", strictyaml.Quote(text),
				unit.FormatRate(rate), unit.FormatRate(minRate), unit.FormatRate(maxRate))
		}
		spec.Kind, spec.Rate, spec.Frame = unit.FormatBytes(int64(rate))+"/s", rate, givenFrame
		return disk, spec, nil
	}
	try := "hubbench plan --codecs lists them, or give a rate such as 92MB/s"
	if near := strictyaml.Nearest(stream.WholeRate(what), stream.CodecNames()); near != "" {
		try = "try " + near
	}
	return "", spec, fmt.Errorf("%s: unknown codec %s; %s", strictyaml.Quote(text), strictyaml.Quote(what), try)
}

// ParsePace reads the limit of a disk's rate: "B=200MB/s".
func ParsePace(text string) (disk string, rate float64, err error) {
	disk, value, ok := strings.Cut(text, "=")
	if !ok || disk == "" {
		return "", 0, fmt.Errorf("%s does not say which disk's pace; try B=200MB/s", strictyaml.Quote(text))
	}
	if rate, err = unit.ParseRate(value); err == nil && rate < minRate {
		err = fmt.Errorf("%s: a pace of %s is too slow; try %s or more", strictyaml.Quote(text),
			unit.FormatRate(rate), unit.FormatRate(minRate))
	}
	return strings.TrimSpace(disk), rate, err
}
