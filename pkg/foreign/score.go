package foreign

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Score is what a summary says of one test: a rate over all of it. Nothing says when the bytes moved, so it is no
// measurement of an overlap.
type Score struct {
	Disk     string  `json:"disk"`
	Test     string  `json:"test"`
	Op       string  `json:"op"`                  // read, write, mix or total
	Rate     float64 `json:"rate"`                // B/s
	IOPS     float64 `json:"iops,omitempty"`      // requests/s; 0: not given
	LatencyS float64 `json:"latency_s,omitempty"` // on average; 0: not given
}

// diskMark reads the texts of CrystalDiskMark and of those that write as it does. A test that was not run has 0 there.
func diskMark(f File) (list []Score, err error) {
	// A line is the test, its queues and threads, MB/s, and where they are given requests per second and the latency
	// in us. Patterns are compiled where they are needed, as few processes of hubbench import anything.
	diskMarkLine := regexp.MustCompile(
		`^\s*(\S.*?)\s*\((Q[^()]*)\)\s*:\s*([\d.]+) MB/s(?:\s*\[\s*([\d.]+) IOPS\])?(?:\s*<\s*([\d.]+) us>)?\s*$`)
	diskMarkComma := regexp.MustCompile(`[\d.]*,[\d.,]* MB/s`)
	diskMarkName := regexp.MustCompile(`(?m)^\s*(?:Comment|Device)\s*:[ \t]*(\S.*?)\s*$`)
	disk := nameOf(f)
	if name := diskMarkName.FindSubmatch(f.Data); name != nil {
		disk = string(name[1])
	}
	mega := 1e6
	if strings.Contains(string(f.Data), "KDiskMark (") {
		mega = 1.024e6 // it says 1,000,000, and takes fio's KiB/s for kB/s (parseResult in its benchmark.cpp), as its IOPS show
	}
	section := ""
	for text := range strings.Lines(string(f.Data)) {
		for _, op := range []string{"read", "write", "mix"} {
			if strings.HasPrefix(strings.ToLower(text), "["+op+"]") {
				section = op
			}
		}
		m := diskMarkLine.FindStringSubmatch(text)
		if rate := diskMarkComma.FindString(text); m == nil && rate != "" {
			return nil, fmt.Errorf("%q: a comma may be of decimals or of thousands; write rates with a point", rate)
		} else if m == nil {
			continue
		}
		s := Score{Disk: disk, Op: section}
		var words []string
		for word := range strings.FieldsSeq(m[1]) {
			if lower := strings.ToLower(word); section == "" && (lower == "read" || lower == "write") {
				s.Op = lower
			} else {
				words = append(words, word)
			}
		}
		queues := strings.ReplaceAll(strings.ReplaceAll(m[2], " ", ""), ",", ", ")
		s.Test = strings.Join(words, " ") + " (" + queues + ")"
		s.Rate, _ = strconv.ParseFloat(m[3], 64) // where it is no number, nothing was measured
		s.IOPS, _ = strconv.ParseFloat(m[4], 64)
		s.LatencyS, _ = strconv.ParseFloat(m[5], 64)
		s.Rate, s.LatencyS = s.Rate*mega, s.LatencyS/1e6
		list = append(list, s)
	}
	return list, nil
}

// blackmagic reads what somebody wrote down of Blackmagic's Disk Speed Test, which writes no file: "write 2814.3 MB/s".
func blackmagic(f File) (list []Score, err error) {
	line := regexp.MustCompile(`(?im)^\s*(read|write)\b[ \t:=]*(.*?)\s*$`)
	rateOf := regexp.MustCompile(`(?i)^([\d.]+)\s*MB/s$`)
	device := regexp.MustCompile(`(?im)^\s*(?:device|disk)\s*[:=]\s*(\S.*?)\s*$`)
	disk := nameOf(f)
	if name := device.FindSubmatch(f.Data); name != nil {
		disk = string(name[1])
	}
	for _, m := range line.FindAllSubmatch(f.Data, -1) {
		number := rateOf.FindSubmatch(m[2])
		if number == nil {
			return nil, fmt.Errorf("%q is not a rate; write it as in write 890.5 MB/s", m[2])
		}
		rate, err := strconv.ParseFloat(string(number[1]), 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a rate; write it as in write 890.5 MB/s", m[2])
		}
		list = append(list, Score{Disk: disk, Test: "Blackmagic Disk Speed Test", Op: strings.ToLower(string(m[1])), Rate: rate * 1e6})
	}
	return list, nil
}

func nameOf(f File) string {
	return cmp.Or(strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name)), "disk")
}

// iozoneTests are the columns of iozone's table, in its order.
var iozoneTests = [...]string{"write", "rewrite", "read", "reread", "random read", "random write", "backward read",
	"record rewrite", "stride read", "fwrite", "frewrite", "fread", "freread"}

// iozone reads iozone's table: a row is of one size of file and record, its rates are in KiB/s, and of tests that
// were not run the place is empty.
func iozone(f File) (list []Score, err error) {
	iozoneUnit, word := regexp.MustCompile(`(?m)^\s*Output is in (.*?)\s*$`), regexp.MustCompile(`\S+`)
	if in := iozoneUnit.FindSubmatch(f.Data); in != nil && !strings.EqualFold(string(in[1]), "kBytes/sec") {
		return nil, fmt.Errorf("its output is in %s, which is no rate of bytes; run iozone without -N and -O", in[1])
	}
	var ends []int // of the heads of columns
	number := 0
	for text := range strings.Lines(string(f.Data)) {
		number++
		places := word.FindAllStringIndex(text, -1)
		cells := strings.Fields(text)
		switch {
		case len(cells) == 2+len(iozoneTests) && strings.EqualFold(cells[0], "kB") && cells[1] == "reclen":
			for _, at := range places {
				ends = append(ends, at[1])
			}
			continue
		case ends == nil || len(cells) < 3:
			continue
		}
		if _, err := strconv.ParseUint(cells[0], 10, 64); err != nil {
			continue
		}
		for i, at := range places[2:] {
			kib, err := strconv.ParseFloat(cells[2+i], 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %q is no rate in kBytes/sec", number, cells[2+i])
			}
			column, _ := slices.BinarySearch(ends[2:], at[1]-1) // some heads end a little before or after their cells
			if len(cells) == len(ends) {
				column = i
			}
			test := iozoneTests[min(column, len(iozoneTests)-1)]
			s := Score{Disk: nameOf(f), Test: fmt.Sprintf("%s (file %s KiB, record %s KiB)", test, cells[0], cells[1]), Op: "write", Rate: kib * 1024}
			if strings.Contains(test, "read") {
				s.Op = "read"
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// elbenchoResult reads elbencho's results: of a phase that moves bytes, the rate until the first worker was done,
// and the rate until the last one was.
func elbenchoResult(f File) (list []Score, err error) {
	_, all, err := rows(f.Data)
	if err != nil {
		return nil, err
	}
	for i, row := range all {
		for _, done := range []string{"first", "last"} {
			rate := row["MiB/s ["+done+"]"]
			if rate == "" {
				continue // it makes or removes entries
			}
			mib, err := strconv.ParseFloat(rate, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: MiB/s %q is no number", i+2, rate)
			}
			s := Score{Disk: cmp.Or(row["label"], nameOf(f)), Test: row["operation"] + ", " + done + " done", Op: "write", Rate: mib * (1 << 20)}
			if strings.Contains(strings.ToUpper(row["operation"]), "READ") {
				s.Op = "read"
			}
			s.IOPS, _ = strconv.ParseFloat(row["IOPS ["+done+"]"], 64)
			list = append(list, s)
		}
	}
	return list, nil
}

// diskSpd reads DiskSpd's text: the totals of its tables, in MiB/s. A direction that was not asked for has no score.
func diskSpd(f File) (list []Score, err error) {
	diskSpdPath, diskSpdSpan := regexp.MustCompile(`^\s*path: '(.*)'\s*$`), regexp.MustCompile(`^Results for (timespan \d+):`)
	diskSpdTable := regexp.MustCompile(`^(Total|Read|Write) IO\s*$`)
	var paths, heads []string
	var test, op string
	number := 0
	for text := range strings.Lines(string(f.Data)) {
		number++
		cells := strings.Split(text, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if m := diskSpdPath.FindStringSubmatch(text); m != nil {
			paths = append(paths, m[1])
		} else if m := diskSpdSpan.FindStringSubmatch(text); m != nil {
			test, op = m[1], ""
		} else if m := diskSpdTable.FindStringSubmatch(text); m != nil {
			op = strings.ToLower(m[1])
		}
		if op != "" && cells[0] == "thread" {
			heads = cells
		}
		total, of := strings.CutPrefix(cells[0], "total:")
		if op == "" || !of || len(cells) < 4 || len(cells) > len(heads) {
			continue
		}
		cells[0] = total
		// The first column is the thread's, and a total has its bytes there.
		column := map[string]float64{}
		for i, head := range heads[1:len(cells)] {
			cell := strings.TrimSpace(cells[i])
			if column[head], err = strconv.ParseFloat(cell, 64); err != nil && cell != "N/A" {
				return nil, fmt.Errorf("line %d: %s %q is no number", number, head, cell)
			}
		}
		list = append(list, Score{
			Disk: cmp.Or(unit.List(paths), nameOf(f)), Test: test, Op: op,
			Rate: column["MiB/s"] * (1 << 20), IOPS: column["I/O per s"], LatencyS: column["AvgLat"] / 1e3,
		})
		op = "" // what follows are other totals
	}
	return list, nil
}
