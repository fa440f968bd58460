package foreign

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
)

// diskSpdXML reads DiskSpd's XML (-Rxml). With requests by interval (-D), it has a timeline, which
// is held against the totals; otherwise its rates are means.
func (in *input) diskSpdXML() error {
	var doc struct {
		Spans []struct {
			Seconds float64 `xml:"TestTimeSeconds"`
			Targets []struct {
				Path                                         string
				ReadBytes, ReadCount, WriteBytes, WriteCount int64
				Buckets                                      []struct {
					EndMS       float64 `xml:"SampleMillisecond,attr"`
					Read, Write float64 `xml:",attr"` // requests per second since the one before
				} `xml:"Iops>Bucket"`
			} `xml:"Thread>Target"`
		} `xml:"TimeSpan"`
	}
	dec := xml.NewDecoder(bytes.NewReader(in.Data))
	if err := dec.Decode(&doc); err != nil {
		in.line, _ = dec.InputPos()
		return fmt.Errorf("its XML is cut short or broken: %w", err)
	}
	for i, span := range doc.Spans {
		for _, t := range span.Targets {
			total := t.ReadBytes + t.WriteBytes
			if total <= 0 {
				continue
			}
			s := in.add("diskspd", t.Path, fmt.Sprint("timespan ", i+1))
			add := func(op int64, fromMS, toMS, bytes float64) {
				part := step{op, int64(fromMS * 1e6), int64(toMS * 1e6), int64(bytes)}
				s.steps = append(s.steps, part)
			}
			readSize := float64(t.ReadBytes) / float64(max(1, t.ReadCount))
			writeSize := float64(t.WriteBytes) / float64(max(1, t.WriteCount))
			beforeMS := 0.0
			for _, b := range t.Buckets {
				if b.EndMS <= beforeMS {
					return fmt.Errorf("%s, %s: the interval up to %g ms does not follow the one "+
						"up to %g ms; save it again as diskspd wrote it", s.phase, t.Path, b.EndMS,
						beforeMS)
				}
				seconds := (b.EndMS - beforeMS) / 1e3
				add(read, beforeMS, b.EndMS, b.Read*readSize*seconds)
				add(write, beforeMS, b.EndMS, b.Write*writeSize*seconds)
				beforeMS = b.EndMS
			}
			if s.isMean = beforeMS == 0; s.isMean {
				add(read, 0, span.Seconds*1e3, float64(t.ReadBytes))
				add(write, 0, span.Seconds*1e3, float64(t.WriteBytes))
			}
			apart := float64(s.moved())/float64(total) - 1
			if !(math.Abs(apart) <= tooFarApart) {
				return fmt.Errorf("%s, %s: the bytes of the intervals differ from the total by "+
					"%+.1f%%, so one of them is wrong; run it again", s.phase, t.Path, 100*apart)
			}
			s.scale(total)
		}
	}
	return nil
}

var (
	diskSpdRow   = regexp.MustCompile(`^\d+ \| +(\d+) \|.*\| (.+?)( \(\w+\))?$`)
	diskSpdTotal = regexp.MustCompile(`^total: +(\d+) \|`)
)

// diskSpdText reads DiskSpd's text: means of each thread and target, held against their totals.
func (in *input) diskSpdText() error {
	var phase, table string
	var seconds, rest float64
	isWhole := false
	for text := range in.lines() {
		row := diskSpdRow.FindStringSubmatch(text)
		total := diskSpdTotal.FindStringSubmatch(text)
		duration, isTime := strings.CutPrefix(text, "actual test time:")
		span, isSpan := strings.CutPrefix(text, "Results for ")
		var err error
		switch {
		case isSpan:
			phase = strings.TrimSuffix(span, ":")
		case isTime:
			seconds, err = number(strings.TrimSuffix(duration, "s"))
		case strings.HasSuffix(text, " IO"):
			table = text
			isWhole = false
		case table != "Read IO" && table != "Write IO":
		case row != nil:
			var bytes float64
			bytes, err = number(row[1])
			rest += bytes
			op, _ := direction(table)
			all := step{op, 0, int64(seconds * 1e9), int64(bytes)}
			in.add("diskspd", row[2], phase, all).isMean = true
		case total != nil:
			var bytes float64
			if bytes, err = number(total[1]); err == nil && bytes != rest {
				err = fmt.Errorf("the threads moved %.0f bytes and not %.0f; rows are missing or "+
					"wrong", rest, bytes)
			}
			isWhole = table == "Write IO"
			table = ""
			rest = 0
		case strings.Contains(text, "|") && !strings.HasPrefix(text, "thread"):
			err = fmt.Errorf("%.40q is no row of a thread", text)
		}
		if err != nil {
			return err
		}
	}
	if !isWhole {
		in.line = bytes.Count(in.Data, []byte("\n")) + 1
		return errors.New("it is cut short, before the total of Write IO")
	}
	return nil
}
