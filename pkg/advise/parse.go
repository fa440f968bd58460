package advise

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
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

// dataSheet describes a disk that was never measured.
const dataSheet = "by its data sheet"

// ParseDisk reads a disk by its data sheet: "X=2.8/2.5GB/s" reads 2.8 and writes 2.5 GB/s; "X=2.8GB/s" does both;
// "X=2.8/2.5GB/s,cache=24GB@0.65GB/s" writes at 0.65 GB/s once it has written 24 GB.
func ParseDisk(text string) (hub.Disk, error) {
	fail := func(why string) (hub.Disk, error) {
		return hub.Disk{}, fmt.Errorf("disk %s: %s; try X=2.8/2.5GB/s, or X=2.8/2.5GB/s,cache=24GB@0.65GB/s",
			strictyaml.Quote(text), why)
	}
	name, sheet, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		return fail("no name and rates")
	}
	sheet, cache, cached := strings.Cut(sheet, ",")
	read, write, err := rates(sheet)
	if err != nil {
		return fail(err.Error())
	}
	d := hub.Disk{Name: name, About: dataSheet, Read: hub.Side{Direct: read, Weight: 1},
		Write: hub.Side{Direct: write, Weight: 1}}
	if !cached {
		return d, nil
	}
	size, after, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(cache), "cache="), "@")
	if !ok {
		return fail("a cache has a size and a rate after it")
	}
	bytes, err := unit.ParseBytes(size)
	if err != nil {
		return fail(err.Error())
	}
	rate, err := unit.ParseRate(after)
	switch {
	case err != nil:
		return fail(err.Error())
	case bytes <= 0 || rate < minRate || rate > write:
		return fail(fmt.Sprintf("a cache of %s, then %s", unit.FormatBytes(bytes), unit.FormatRate(rate)))
	}
	d.Cache = &hub.Cache{Bytes: bytes, After: rate}
	return d, nil
}

// rates reads "2.8/2.5GB/s": the first may leave out its unit.
func rates(text string) (read, write float64, err error) {
	first, second, both := strings.Cut(strings.ReplaceAll(strings.TrimSpace(text), "/s", ""), "/")
	if !both {
		second = first
	}
	number := func(r rune) bool { return r == '.' || r >= '0' && r <= '9' || r == ' ' }
	first, second = strings.TrimSpace(first), strings.TrimSpace(second)
	if strings.TrimLeftFunc(first, number) == "" {
		first += strings.TrimLeftFunc(second, number)
	}
	for _, side := range []struct {
		text string
		to   *float64
	}{{first, &read}, {second, &write}} {
		if *side.to, err = unit.ParseRate(side.text + "/s"); err != nil {
			return 0, 0, err
		}
		if *side.to < minRate || *side.to > maxRate {
			return 0, 0, fmt.Errorf("%s cannot be a disk's rate", unit.FormatRate(*side.to))
		}
	}
	return read, write, nil
}

// WithDisk is the profile with one more disk on its hub: as fast there as its data sheet says and the hub can
// carry, and with a pull that is the geometric mean of the other disks'.
func WithDisk(p *hub.Profile, d hub.Disk) (*hub.Profile, error) {
	if p.Disk(d.Name) != nil {
		return nil, fmt.Errorf("disk %s: profile %s has one of that name; give the new one another", d.Name, p.Name)
	}
	out := *p
	for op, carries := range map[trace.Role]float64{trace.Read: p.Capacity.Read, trace.Write: p.Capacity.Write} {
		side := d.Side(op)
		side.Hub = min(side.Direct, carries)
		logs := 0.0
		for i := range p.Disks {
			logs += math.Log(p.Disks[i].Side(op).Weight)
		}
		side.Weight = math.Exp(logs / float64(max(1, len(p.Disks))))
	}
	out.Disks = append(slices.Clone(p.Disks), d)
	return &out, nil
}
