package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// plannedStreams are some streams of one kind on a disk in a phase.
type plannedStreams struct {
	Phase   string `json:"phase"`
	title   string
	Disk    string     `json:"disk"`
	Op      trace.Role `json:"op"`
	Kind    string     `json:"kind"` // a codec, or the rate as given
	Count   int        `json:"count"`
	Rate    float64    `json:"rate_bps"`  // of one
	Total   float64    `json:"total_bps"` // of all
	FrameS  float64    `json:"frame_s"`
	BufferS float64    `json:"buffer_s"`
	Files   int64      `json:"files_bytes"`      // of all on the disk
	Source  string     `json:"source,omitempty"` // of a codec: what published its rate
	Scaled  bool       `json:"scaled,omitempty"` // in proportion to that of another frame rate
}

// streamsIn lists the streams of all phases.
func streamsIn(plan *scenario.Plan) []plannedStreams {
	all := []plannedStreams{}
	for _, phase := range plan.Phases {
		for _, job := range phase.Jobs {
			files := job.StreamFiles()
			for _, s := range job.Streams {
				out := plannedStreams{
					Phase: phase.Name, title: phase.Title(), Disk: job.Disk, Op: pick(s.Record, trace.Write, trace.Read), Kind: s.Kind, Count: s.Count, Rate: s.Rate, Total: s.TotalRate(),
					FrameS: s.Frame.Seconds(), BufferS: s.Buffer.Seconds(),
				}
				for _, size := range files[:s.Count] {
					out.Files += size
				}
				files = files[s.Count:]
				if c, ok := stream.CodecByName(s.Kind); ok {
					out.Source, out.Scaled = c.Source, c.Scaled
				}
				all = append(all, out)
			}
		}
	}
	return all
}

func streamTable(streams []plannedStreams) *Table {
	t := &Table{Title: "Streams", Columns: []Column{{Head: "Phase"}, {Head: "Disk"}, {Head: "Streams"}, {Head: "Each"}, {Head: "Together"},
		{Head: "Frame", Drop: 1}, {Head: "Buffer"}, {Head: "On the disk", Drop: 2}}}
	for _, s := range streams {
		t.Rows = append(t.Rows, []Cell{
			{Text: s.title}, {Text: s.Disk}, {Text: fmt.Sprintf("%d × %s", s.Count, stream.Label(s.Kind))}, {Text: unit.FormatRate(s.Rate)}, {Text: unit.FormatRate(s.Total)},
			{Text: unit.FormatSeconds(s.FrameS)}, {Text: unit.FormatSeconds(s.BufferS)}, {Text: unit.FormatBytes(s.Files)},
		})
	}
	return t
}

// sources say where the rates of codecs were published.
func sources(streams []plannedStreams) []string {
	var notes []string
	for _, s := range streams {
		note := fmt.Sprintf("%s: %s, %s %s.", stream.Label(s.Kind), unit.FormatRate(s.Rate), pick(s.Scaled, "in proportion to", "from"), s.Source)
		if s.Source != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// searches say what is searched for, in how many tries, and that the cache of a disk may carry over from one to the next.
func searches(p Plan) []string {
	var notes []string
	for i, phase := range p.Phases {
		if phase.Search == nil {
			continue
		}
		s := phase.Search
		what := fmt.Sprintf("how many streams of %s stay clean, up to %.0f", s.Disk, s.Max)
		if len(phase.Jobs) > 1 {
			what += ", alone and beside the others"
		}
		if s.Kind == trace.SearchPace {
			what = "how fast " + s.Disk + " may go while all streams stay clean"
			if s.Max > 0 {
				what += ", up to " + unit.FormatBytes(int64(s.Max)) + "/s"
			}
		}
		tries := strings.Replace(unit.Plural(p.Forecasts[i].Tries, "try"), "trys", "tries", 1)
		if p.Model == "" {
			tries = "up to " + tries
		}
		note := fmt.Sprintf("%s: %s of %s to find %s.", phase.Title(), tries, unit.FormatSeconds(s.Hold.Seconds()), what)
		if phase.Cooldown == 0 && slices.ContainsFunc(phase.Jobs, func(j scenario.Job) bool { return j.Writes() > 0 }) {
			note += " There is no rest between them, so a try may begin with a disk's cache still full; cooldown: adds a rest."
		}
		notes = append(notes, note)
	}
	return notes
}

// OfCodecs lists codecs with their rates, by where these were published.
func OfCodecs(codecs []stream.Codec) *Document {
	doc := &Document{Kind: "codecs", Title: "Codecs", Unit: "MB/s"}
	type row struct {
		Name   string  `json:"name"`
		Label  string  `json:"label"`
		Rate   float64 `json:"rate_bps"`
		FrameS float64 `json:"frame_s"`
		Source string  `json:"source"`
		Scaled bool    `json:"scaled,omitempty"`
	}
	data := []row{}
	tables := map[string]*Table{}
	for _, c := range codecs {
		data = append(data, row{c.Name, c.Label, c.Rate, c.Frame.Seconds(), c.Source, c.Scaled})
		t := tables[c.Source]
		if t == nil {
			t = &Table{Columns: []Column{{Head: "Codec"}, {Head: "In scenarios"}, {Head: "Mb/s", Numbers: true}, {Head: "MB/s", Numbers: true}, {}}}
			tables[c.Source] = t
			doc.Add(Heading{Text: c.Source}, t)
		}
		t.Rows = append(t.Rows, []Cell{{Text: c.Label}, {Text: c.Name}, {Text: fmt.Sprintf("%.0f", c.Rate*8/1e6)}, {Text: fmt.Sprintf("%.1f", c.Rate/1e6)}, {Text: pick(c.Scaled, "in proportion", "")}})
	}
	doc.Data = map[string]any{"codecs": data}
	return doc
}
