package html

import (
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// row is a disk's line in the tables. They give rates as bare numbers: their heads name the unit.
type row struct {
	disk
	Op, Window, CI, Share, Alone, AloneFrom, Files, Bytes, Rate, Median, Spread string
	Quote, QuoteFrom                                                            string
	Mean, Trimmed, CV, OLS, Latency, TheilSen, Remark                           string
}

func rows(in Input, found *analysis.Phase) []row {
	scale := chart.ScaleOf(in.Analysis)
	var out []row
	for _, d := range in.Run.Disks {
		stats, ok := found.Disks[d.Name]
		if !ok {
			continue
		}
		r := row{disk: look(in.Run, d.Name), Op: string(stats.Op), Files: count(stats.Files), Bytes: unit.FormatBytes(stats.Bytes),
			Rate: rate(scale, stats.Rate), Median: rate(scale, stats.Median), Spread: span(scale, stats.P05, stats.P95), Window: none, Share: none, Alone: none, CI: none}
		r.Mean, r.Trimmed, r.OLS, r.TheilSen = rate(scale, stats.Mean), rate(scale, stats.Trimmed20), rate(scale, stats.OLSRate), rate(scale, stats.TheilSenRate)
		r.Quote = none
		if q := stats.Quote; q != nil {
			r.Quote, r.QuoteFrom = scale.Number(q.Rate), quoted(q.Kind)
		}
		r.CV, r.Latency, r.Remark = none, none, remark(stats, scale)
		if stats.CV != nil {
			r.CV = percent(*stats.CV)
		}
		if stats.OLSLatencyS != nil {
			r.Latency = unit.FormatSeconds(*stats.OLSLatencyS)
		}
		if found.Overlap != nil {
			if part, ok := found.Overlap.Disks[d.Name]; ok {
				r.Window, r.Share = scale.Number(part.Rate), percent(part.Share)
				if part.CI95 != nil {
					r.CI = span(scale, &part.CI95[0], &part.CI95[1])
				}
			}
		}
		if alone := chart.AloneRate(found, d.Name); alone != nil {
			r.Alone, r.AloneFrom = scale.Number(alone.Rate), alone.From
		}
		out = append(out, r)
	}
	return out
}

// quoted says which figure the analysis would quote for a disk.
func quoted(kind string) string {
	switch kind {
	case analysis.QuoteOverlap:
		return "in the overlap"
	case analysis.QuoteLater:
		return "after its fall"
	case analysis.QuoteMean:
		return "over time"
	default:
		return kind
	}
}

// remark says what a mean would hide.
func remark(stats analysis.Disk, scale chart.Scale) string {
	var parts []string
	if t := stats.Throttle; t != nil {
		parts = append(parts, "throttled at "+unit.FormatBytes(int64(t.AtBytes))+": "+scale.Number(t.FromRate)+" to "+scale.Number(t.ToRate))
	}
	if k := stats.SizeKnee; k != nil {
		parts = append(parts, "changes at files of "+unit.FormatBytes(int64(k.AtBytes))+": "+scale.Number(k.BelowRate)+" to "+scale.Number(k.AboveRate))
	}
	if stats.Bimodal != nil && *stats.Bimodal {
		parts = append(parts, "two speeds, so no mean tells of both")
		if stats.Modes != nil {
			parts[len(parts)-1] = "two speeds, " + scale.Number(stats.Modes[0]) + " and " + scale.Number(stats.Modes[1])
		}
	}
	if parts == nil {
		return none
	}
	return strings.Join(parts, "; ")
}

// stage is a line of the table of stages.
type stage struct {
	From, To, Rate string
	Active         []disk
}

// stages lists them but for those too short to matter, mostly the workers' different starts; short is their number.
func stages(in Input, found *analysis.Phase) (out []stage, short int) {
	scale := chart.ScaleOf(in.Analysis)
	end := 0.0
	for _, s := range found.Stages {
		end = max(end, s.EndS)
	}
	for _, s := range found.Stages {
		if s.EndS-s.StartS < end/1000 {
			short++
			continue
		}
		line := stage{From: chart.Clock(s.StartS, end), To: chart.Clock(s.EndS, end), Rate: scale.Number(s.Rate)}
		for _, name := range s.Active {
			line.Active = append(line.Active, look(in.Run, name))
		}
		out = append(out, line)
	}
	return out, short
}

// recovery is a line of the table of recoveries.
type recovery struct {
	disk
	After, At, Lag, From, To string
}

func recoveryRows(in Input, found *analysis.Phase) []recovery {
	scale := chart.ScaleOf(in.Analysis)
	var out []recovery
	for _, r := range found.Recoveries {
		lag := r.Reason
		if r.LagS != nil {
			lag = unit.FormatSeconds(*r.LagS)
		}
		out = append(out, recovery{look(in.Run, r.Disk), r.After, chart.Clock(r.AtS, r.AtS), lag, scale.Number(r.FromRate), rate(scale, r.ToRate)})
	}
	return out
}

// claim is what another tool's rule would have said of the phase.
type claim struct{ Rule, Rate string }

func claims(in Input, found *analysis.Phase) []claim {
	o := found.OthersSay
	if o == nil || found.Overlap == nil || len(found.Overlap.Disks) < 2 {
		return nil
	}
	scale := chart.ScaleOf(in.Analysis)
	fio := rate(scale, o.FioRate)
	if o.FioRate == nil {
		fio = rate(scale, o.FioReadRate) + " read, " + rate(scale, o.FioWriteRate) + " written"
	}
	return []claim{
		{"hubbench: bytes in the overlap over its length", scale.Number(found.Overlap.Rate)},
		{"fio's group: all bytes over the longest job's time", fio},
		{"each job's own rate, added up", scale.Number(o.SoloSumRate)},
		{"elbencho, first done: up to the first disk's end", scale.Number(o.FirstDoneRate)},
		{"elbencho, last done: up to the last disk's end", scale.Number(o.LastDoneRate)},
	}
}

// maxListed is how many files of a phase are listed one by one; more are to be had as CSV.
const maxListed = 500

// fileList is a disk's files in the table of all of them.
type fileList struct {
	disk
	Op   string
	Rows []fileRow
}

type fileRow struct{ Seq, Bytes, Start, End, Rate string }

// files lists the phase's files as the charts have them.
func (p *phase) files(line *chart.Timeline, run *trace.Run, scale chart.Scale) {
	total := 0
	for _, lane := range line.Disks {
		total += lane.N
	}
	if total == 0 {
		return
	}
	p.Listed = count(total)
	if total > maxListed {
		return
	}
	for _, lane := range line.Disks {
		list := fileList{disk: look(run, lane.Disk), Op: verb(lane.Op)}
		for _, file := range lane.Files {
			if file.Filler {
				continue
			}
			list.Rows = append(list.Rows, fileRow{
				strconv.Itoa(file.Seq + 1), unit.FormatBytes(file.Bytes),
				strconv.FormatFloat(file.StartS, 'f', 3, 64), strconv.FormatFloat(file.EndS, 'f', 3, 64), scale.Number(file.Rate),
			})
		}
		p.Files = append(p.Files, list)
	}
}
