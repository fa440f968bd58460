package foreign

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// diskSpdTarget is what one thread did to one file, in DiskSpd's XML. Requests per second are those of the time up
// to EndMS.
type diskSpdTarget struct {
	Path                                         string
	ReadBytes, ReadCount, WriteBytes, WriteCount int64
	Buckets                                      []struct {
		EndMS       int64   `xml:"SampleMillisecond,attr"`
		Read, Write float64 `xml:",attr"`
	} `xml:"Iops>Bucket"`
}

// diskSpdXML reads DiskSpd's XML (-Rxml) with requests by interval (-D). What the threads of a path moved is added
// up, and held against the totals.
func diskSpdXML(f File) (list []*job, err error) {
	var doc struct {
		Spans []struct {
			Targets []diskSpdTarget `xml:"Thread>Target"`
		} `xml:"TimeSpan"`
	}
	if err := xml.NewDecoder(bytes.NewReader(f.Data)).Decode(&doc); err != nil {
		return nil, fmt.Errorf("its XML is torn: %w; save it again as diskspd wrote it", err)
	}
	for i, span := range doc.Spans {
		jobs, totals := map[string]*job{}, map[string]int64{}
		for _, t := range span.Targets {
			if t.ReadBytes+t.WriteBytes <= 0 {
				continue
			}
			steps, err := t.steps()
			if err != nil {
				return nil, fmt.Errorf("timespan %d, %s: %w", i+1, t.Path, err)
			}
			if jobs[t.Path] == nil {
				jobs[t.Path] = &job{disk: t.Path, phase: fmt.Sprintf("timespan %d", i+1), tool: "diskspd"}
				list = append(list, jobs[t.Path])
			}
			jobs[t.Path].steps = merged(jobs[t.Path].steps, steps)
			totals[t.Path] += t.ReadBytes + t.WriteBytes
		}
		for _, path := range slices.Sorted(maps.Keys(totals)) {
			j, total := jobs[path], totals[path]
			if apart := float64(moved(j.steps))/float64(total) - 1; max(apart, -apart) > tooFarApart {
				return nil, fmt.Errorf("%s, %s: the bytes of the intervals differ from the total by %+.1f %%, so one of them is wrong; run it again",
					j.phase, path, 100*apart)
			}
			scale(j.steps, total)
			j.settle()
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no thread in it moved anything")
	}
	return list, nil
}

// steps are a target's: of each interval the requests of both directions, each by its size.
func (t *diskSpdTarget) steps() (steps []step, err error) {
	if len(t.Buckets) == 0 {
		return nil, errors.New("no rates over time; run diskspd with -D beside -Rxml")
	}
	const longest = 1e10 // ms: four months
	read, write := float64(t.ReadBytes)/float64(max(1, t.ReadCount)), float64(t.WriteBytes)/float64(max(1, t.WriteCount))
	before := int64(0)
	for _, b := range t.Buckets {
		if b.EndMS <= before || b.EndMS > longest {
			return nil, fmt.Errorf("the interval up to %d ms does not follow the one up to %d ms; save it again as diskspd wrote it", b.EndMS, before)
		}
		seconds := float64(b.EndMS-before) / 1e3
		done := int64(b.Read * read * seconds)
		steps = append(steps, step{before * 1e6, b.EndMS * 1e6, done + int64(b.Write*write*seconds), done})
		before = b.EndMS
	}
	return steps, nil
}
