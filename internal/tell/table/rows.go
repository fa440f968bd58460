package table

import (
	"cmp"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// RunColumns is what each row says of its run. The columns run, phase and disk join the tables. It
// has no pointers: parquet-go would set those of an embedded struct that are nil.
type RunColumns struct {
	ID          string            `parquet:"run,dict" about:"unique to the run; of a trace without one, made from its events"`
	Name        string            `parquet:"name,dict,optional" about:"the scenario's name"`
	Started     time.Time         `parquet:"started,optional,timestamp(microsecond)" about:"when it began, UTC"`
	Host        string            `parquet:"host,dict,optional" about:"the computer's name; hashed with --redact"`
	OS          string            `parquet:"os,dict,optional" about:"its operating system and processor architecture"`
	Hub         string            `parquet:"hub,dict,optional" about:"the hub that the disks share, by vendor and name or as the scenario calls it"`
	HubFirmware string            `parquet:"hub_firmware,dict,optional" about:"the hub's"`
	HubID       string            `parquet:"hub_id,dict,optional" about:"which one of its kind the hub is: the number that identifies it to the system; hashed with --redact"`
	HubAbout    string            `parquet:"hub_about,dict,optional" about:"what the scenario says of it, such as its cable"`
	Port        string            `parquet:"port,dict,optional" about:"of the computer, that the hub is connected to"`
	Link        int64             `parquet:"link_bps,optional" unit:"bits/s" about:"the line rate that the hub and the computer have negotiated, in the faster direction"`
	Simulated   bool              `parquet:"simulated" about:"nothing was measured: the hub's model made the rates"`
	Status      string            `parquet:"status,dict,optional" about:"complete or partial; null if nothing says how the run ended"`
	Tool        string            `parquet:"tool,dict,optional" about:"hubbench's version"`
	Source      string            `parquet:"source,dict,optional" about:"what the run's folder or file was called when this was written"`
	Labels      map[string]string `parquet:"labels" about:"what run --label said of it"`
}

// PhaseRow is a row of the table of phases.
type PhaseRow struct {
	RunColumns
	Phase        string   `parquet:"phase,dict" about:"unique in the run"`
	Pattern      string   `parquet:"pattern,dict" about:"what each disk does, in the run's order: W, R or -"`
	Repeats      string   `parquet:"repeats,dict,optional" about:"the first phase in which the same disks do the same; null if this is the first"`
	Working      int64    `parquet:"working" about:"how many disks work in it"`
	OverlapS     *float64 `parquet:"overlap_seconds,optional" unit:"s" about:"the time in which all of them were busy"`
	OverlapBytes *int64   `parquet:"overlap_bytes,optional" about:"bytes moved in that time"`
	Rate         *float64 `parquet:"rate_bps,optional" unit:"bytes/s" about:"of all disks in the overlap"`
	RateLow      *float64 `parquet:"rate_low_bps,optional" unit:"bytes/s" about:"lower end of its 95% confidence interval"`
	RateHigh     *float64 `parquet:"rate_high_bps,optional" unit:"bytes/s" about:"upper end"`
	ReadRate     *float64 `parquet:"read_rate_bps,optional" unit:"bytes/s" about:"of it, read"`
	WriteRate    *float64 `parquet:"write_rate_bps,optional" unit:"bytes/s" about:"of it, written"`
	Jain         *float64 `parquet:"jain,optional" about:"Jain's fairness index of the rates, 1/n to 1"`
	StartSkew    *float64 `parquet:"start_skew_s,optional" unit:"s" about:"between the first and the last disk's start"`
	CPU          *float64 `parquet:"cpu_percent,optional" unit:"%" about:"the load of all processor cores, on average in the overlap"`
	Verdict      string   `parquet:"verdict,zstd,optional" about:"the phase in one sentence"`
	Warnings     []string `parquet:"warnings,list" about:"codes of what makes its numbers doubtful"`
}

// DiskRow is a row of the table of disks.
type DiskRow struct {
	RunColumns
	Phase        string   `parquet:"phase,dict" about:"unique in the run"`
	Pattern      string   `parquet:"pattern,dict" about:"what each disk does, in the run's order: W, R or -"`
	Working      int64    `parquet:"working" about:"how many disks work in the phase"`
	Disk         string   `parquet:"disk,dict" about:"its name in the scenario"`
	Op           string   `parquet:"op,dict" about:"read or write; of a disk that does both, what it does more of"`
	Does         string   `parquet:"does,dict,optional" about:"its work in words"`
	Work         string   `parquet:"work,dict,optional" about:"what of its work changes rates: sizes, block, depth ...; null if not recorded"`
	Model        string   `parquet:"model,dict,optional" about:"the disk's; null if it is not known, as the next four"`
	Firmware     string   `parquet:"firmware,dict,optional" about:"the disk's"`
	Size         *int64   `parquet:"size_bytes,optional" about:"the capacity in bytes"`
	Bus          string   `parquet:"bus,dict,optional" about:"what connects it: nvme, usb, thunderbolt ..."`
	Connection   string   `parquet:"connection,dict,optional" about:"how it is connected, as the scenario calls it"`
	OverlapBytes *int64   `parquet:"overlap_bytes,optional" about:"bytes moved while all disks of the phase were busy"`
	OverlapS     *float64 `parquet:"overlap_seconds,optional" unit:"s" about:"that time"`
	Rate         *float64 `parquet:"rate_bps,optional" unit:"bytes/s" about:"in the overlap; null without one"`
	RateLow      *float64 `parquet:"rate_low_bps,optional" unit:"bytes/s" about:"lower end of its 95% confidence interval"`
	RateHigh     *float64 `parquet:"rate_high_bps,optional" unit:"bytes/s" about:"upper end"`
	Share        *float64 `parquet:"share,optional" about:"of the overlap's bytes, 0 to 1"`
	SoloRate     *float64 `parquet:"solo_rate_bps,optional" unit:"bytes/s" about:"without the other disks or with fewer, at the same work"`
	Reference    string   `parquet:"reference,dict" about:"whose rate that is: of the disk alone, alone on a port of its own (direct), or without X, beside the rest; none if it is not known"`
	Retention    *float64 `parquet:"retention,optional" about:"rate over solo_rate_bps, in the longest stretch of the overlap between changes"`
	KeptLow      *float64 `parquet:"retention_low,optional" about:"lower end of its 95% confidence interval"`
	KeptHigh     *float64 `parquet:"retention_high,optional" about:"upper end"`
	Recovery     *float64 `parquet:"recovery_s,optional" unit:"s" about:"until the disk had its new rate after another ended, at most"`
	Files        int64    `parquet:"files" about:"how many were moved in the whole phase"`
	Bytes        int64    `parquet:"bytes" about:"bytes moved in the whole phase"`
	BusyRate     *float64 `parquet:"busy_rate_bps,optional" unit:"bytes/s" about:"of the whole phase, while a file was in transfer"`
	Requests     *int64   `parquet:"requests,optional" about:"how many were timed"`
	P50          *int64   `parquet:"p50_ns,optional" unit:"ns" about:"half of the requests took no longer"`
	P99          *int64   `parquet:"p99_ns,optional" unit:"ns" about:"99% took no longer"`
	P999         *int64   `parquet:"p999_ns,optional" unit:"ns" about:"99.9% took no longer"`
	ThrottleAt   *float64 `parquet:"throttle_at_bytes,optional" about:"bytes moved when the rate fell by itself; null if it did not"`
	ThrottleFrom *float64 `parquet:"throttle_from_bps,optional" unit:"bytes/s" about:"before"`
	ThrottleTo   *float64 `parquet:"throttle_to_bps,optional" unit:"bytes/s" about:"after"`
	Cause        string   `parquet:"throttle_cause,dict,optional" about:"heat, cache_full or unknown; null if it did not fall"`
	FirstC       *float64 `parquet:"temperature_first_c,optional" unit:"°C" about:"at the beginning"`
	MaxC         *float64 `parquet:"temperature_max_c,optional" unit:"°C" about:"at most"`
	Streams      int64    `parquet:"streams" about:"how many it plays or records"`
	Frames       *int64   `parquet:"frames,optional" about:"how many were due"`
	LateFrames   *int64   `parquet:"late_frames,optional" about:"of these, late"`
	Warnings     []string `parquet:"warnings,list" about:"codes of what makes its numbers doubtful"`
}

// FileRow is a row of the table of files.
type FileRow struct {
	RunColumns
	Phase  string   `parquet:"phase,dict" about:"unique in the run"`
	Disk   string   `parquet:"disk,dict" about:"its name in the scenario"`
	Op     string   `parquet:"op,dict" about:"read or write"`
	Seq    int64    `parquet:"seq" about:"the file's number, from 0"`
	Bytes  int64    `parquet:"bytes" about:"its size in bytes"`
	StartS float64  `parquet:"start_s" unit:"s" about:"since the phase's start"`
	EndS   float64  `parquet:"end_s" unit:"s" about:"since the phase's start"`
	Rate   *float64 `parquet:"rate_bps,optional" unit:"bytes/s" about:"empty for a file that cannot be counted"`
	Filler bool     `parquet:"filler" about:"it only kept the disk busy for the others' sake"`
}

// SecondRow is a row of the table of seconds.
type SecondRow struct {
	RunColumns
	Phase       string   `parquet:"phase,dict" about:"unique in the run"`
	Disk        string   `parquet:"disk,dict" about:"its name in the scenario"`
	Op          string   `parquet:"op,dict" about:"read or write"`
	Second      int64    `parquet:"second" unit:"s" about:"since the phase's start; the row is of the time from there to the next"`
	Bytes       int64    `parquet:"bytes" about:"bytes moved in it"`
	Rate        float64  `parquet:"rate_bps" unit:"bytes/s" about:"in it, or in as much of it as the disk's work took"`
	Temperature *float64 `parquet:"temperature_c,optional" unit:"°C" about:"the last that was read in it"`
}

// FindingRow is a row of the table of findings.
type FindingRow struct {
	RunColumns
	Phase  string   `parquet:"phase,dict,optional" about:"that shows it; null if it is of the run"`
	Code   string   `parquet:"code,dict" about:"what is found: steal, throttle, recovery ..."`
	Disk   string   `parquet:"disk,dict,optional" about:"whom it is about, if that is one"`
	Disks  []string `parquet:"disks,list" about:"whom it is about"`
	Other  string   `parquet:"other,dict,optional" about:"what it is compared with, or who caused it"`
	Weight float64  `parquet:"weight" about:"about the share of speed at stake: 1 is all of it"`
	Text   string   `parquet:"text,zstd" about:"in words"`
}

// source is a run, what all of its rows say, and its phases as far as their events are at hand.
type source struct {
	*recorded.Run
	run    RunColumns
	phases []*trace.Phase
}

func newSource(r *recorded.Run) *source {
	s := &source{Run: r, run: RunColumns{Name: r.Analysis.Name, Labels: map[string]string{}}}
	if full, err := filepath.Abs(r.Path); err == nil {
		s.run.Source = filepath.Base(full)
	}
	if o := r.Analysis.Origin; o != nil {
		s.run.ID = o.Run
		s.run.Host = o.Host
		s.run.Hub = o.Hub
		s.run.Simulated = o.Simulated
		s.run.Status = o.Status
		if at, err := time.Parse(time.RFC3339, o.Started); err == nil {
			s.run.Started = at.UTC()
		}
	}
	if i := r.Info; i != nil {
		s.run.Tool = i.Tool
		s.run.OS = strings.TrimSpace(i.Host.OS + " " + i.Host.Arch)
		maps.Copy(s.run.Labels, i.Labels)
	}
	if r.Trace == nil {
		return s
	}
	s.phases = r.Trace.Phases
	setup := r.Trace.Hardware
	if setup == nil {
		return s
	}
	s.run.HubAbout = setup.About
	s.run.Port = setup.Port
	if setup.Host != nil {
		s.run.OS = cmp.Or(strings.TrimSpace(setup.Host.OS+" "+setup.Host.Arch), s.run.OS)
	}
	if hub := setup.Hub; hub != nil {
		s.run.HubFirmware = hub.Firmware
		s.run.HubID = hub.ID
		if hub.Link != nil {
			s.run.Link = max(hub.Link.RxBps, hub.Link.TxBps)
		}
	}
	return s
}

// pattern is what each disk of the run does in the phase, a letter each.
func (s *source) pattern(p *analysis.PhaseResult) string {
	var letters []byte
	for _, name := range s.Analysis.Order {
		role, ok := p.Roles[name]
		if !ok {
			role = trace.Idle
		}
		letters = append(letters, role.Letter())
	}
	return string(letters)
}

// codes are those of the warnings about a disk, or about the phase if it is empty. That a phase is
// incomplete is said of its disks too.
func codes(warnings []analysis.Warning, disk string) []string {
	list := []string{}
	for _, w := range warnings {
		if (w.Disk == disk || w.Code == "partial") && !slices.Contains(list, w.Code) {
			list = append(list, w.Code)
		}
	}
	return list
}

func bounds(ci *stats.Interval) (low, high *float64) {
	if ci == nil {
		return nil, nil
	}
	return &ci[0], &ci[1]
}

func (s *source) phaseRows(add func(any)) {
	for i := range s.Analysis.Phases {
		p := &s.Analysis.Phases[i]
		row := PhaseRow{
			RunColumns: s.run, Phase: p.Name, Pattern: s.pattern(p), Repeats: p.Repeats,
			Working:   int64(len(p.Disks)),
			StartSkew: p.StartSkewS, CPU: p.CPUPercent, Verdict: p.Verdict,
			Warnings: codes(p.Warnings, ""),
		}
		if o := p.Overlap; o != nil {
			row.OverlapS = &o.DurationS
			row.OverlapBytes = &o.Bytes
			row.Rate = &o.Rate
			row.ReadRate = &o.ReadRate
			row.WriteRate = &o.WriteRate
			row.RateLow, row.RateHigh = bounds(o.CI95)
			if o.Jain > 0 {
				row.Jain = &o.Jain
			}
		}
		add(row)
	}
}

func (s *source) diskRows(add func(any)) {
	for _, row := range s.disks() {
		add(row)
	}
}

func (s *source) disks() (rows []DiskRow) {
	for i := range s.Analysis.Phases {
		p := &s.Analysis.Phases[i]
		for _, name := range s.Analysis.Order {
			d, ok := p.Disks[name]
			if !ok {
				continue
			}
			w := p.Work[name]
			w.Op = d.Op
			row := DiskRow{
				RunColumns: s.run, Phase: p.Name, Pattern: s.pattern(p),
				Working: int64(len(p.Disks)),
				Disk:    name, Op: string(d.Op),
				Does: w.Listed(), Work: w.Text(), Reference: "none", Files: int64(d.Files),
				Bytes:    d.Bytes,
				BusyRate: d.Rate, Warnings: codes(p.Warnings, name),
			}
			s.describe(&row, p)
			row.measure(p, &d)
			rows = append(rows, row)
		}
	}
	return rows
}

// measure fills in what was measured of the disk in the phase.
func (row *DiskRow) measure(p *analysis.PhaseResult, d *analysis.DiskResult) {
	if o := p.Overlap; o != nil {
		part := o.Disks[row.Disk]
		row.OverlapBytes = &part.Bytes
		row.OverlapS = &o.DurationS
		row.Rate = &part.Rate
		row.Share = &part.Share
		row.RateLow, row.RateHigh = bounds(part.CI95)
	}
	if c := p.Contention; c != nil {
		kept := c.Disks[row.Disk]
		row.SoloRate = kept.ReferenceRate
		row.Retention = kept.Retention
		switch {
		case kept.Alone && row.Connection == trace.Direct:
			row.Reference = trace.Direct
		case kept.Alone:
			row.Reference = "alone"
		case kept.Reference != "":
			row.Reference = "without " + kept.ReferenceFrom
		}
		row.KeptLow, row.KeptHigh = bounds(kept.RetentionCI)
	}
	for _, r := range p.Recoveries {
		if r.Disk == row.Disk && r.LagS != nil && (row.Recovery == nil || *r.LagS > *row.Recovery) {
			row.Recovery = r.LagS
		}
	}
	if l := d.Latency; l != nil {
		row.Requests, row.P50, row.P99, row.P999 = &l.Requests, l.P50NS, l.P99NS, l.P999NS
	}
	if t := d.Throttle; t != nil {
		row.ThrottleAt = &t.AtBytes
		row.ThrottleFrom = &t.FromRate
		row.ThrottleTo = &t.ToRate
		row.Cause = t.Cause
	}
	if t := d.Temperature; t != nil {
		row.FirstC = &t.FirstC
		row.MaxC = &t.MaxC
	}
	for _, t := range p.StreamTotals {
		if t.Disk == row.Disk {
			due, late := int64(t.Due), int64(t.Late)
			row.Streams = int64(t.Streams)
			row.Frames = &due
			row.LateFrames = &late
		}
	}
}

// describe says what the row's disk is and how it is connected.
func (s *source) describe(row *DiskRow, p *analysis.PhaseResult) {
	if s.Trace == nil {
		return
	}
	for _, d := range s.Trace.Disks {
		if d.Name == row.Disk {
			row.Connection = d.Connection
			if d.Profile != "" {
				row.Model = d.Profile
			}
		}
	}
	row.Connection = cmp.Or(p.Connections[row.Disk], row.Connection)
	if h := s.Trace.Hardware; h != nil {
		if unit, ok := h.Disks[row.Disk]; ok {
			row.Model, row.Firmware, row.Bus = cmp.Or(unit.Model, row.Model), unit.Firmware,
				string(unit.Bus)
			if unit.SizeBytes > 0 {
				row.Size = &unit.SizeBytes
			}
		}
	}
}

func (s *source) fileRows(add func(any)) {
	for _, p := range s.phases {
		for _, d := range p.Disks {
			for i := range d.Files {
				f := &d.Files[i]
				row := FileRow{
					RunColumns: s.run, Phase: p.Name, Disk: d.Name, Op: string(d.Op),
					Seq:    int64(f.Seq),
					Bytes:  f.Bytes,
					StartS: float64(f.StartNS) / 1e9, EndS: float64(f.EndNS) / 1e9,
					Filler: f.Filler,
				}
				if f.Usable() {
					rate := float64(f.Bytes) / (row.EndS - row.StartS)
					row.Rate = &rate
				}
				add(row)
			}
		}
	}
}

func (s *source) secondRows(add func(any)) {
	for _, p := range s.phases {
		for _, d := range p.Disks {
			s.seconds(p, d, add)
		}
	}
}

func (s *source) seconds(p *trace.Phase, d *trace.DiskRecord, add func(any)) {
	active := overlap.Active(d, math.MaxInt64)
	if len(active) == 0 {
		return
	}
	curve := overlap.NewCurve(d)
	begin := active[0].StartNS
	end := active[len(active)-1].EndNS
	warmth := map[int64]*float64{}
	for _, g := range p.Gauges {
		if g.Disk == d.Name && g.Name == trace.Temperature {
			warmth[g.TNS/1e9] = &g.Value
		}
	}
	for second := max(begin, 0) / 1e9; second*1e9 < end; second++ {
		span := overlap.Span{StartNS: max(begin, second*1e9), EndNS: min(end, (second+1)*1e9)}
		bytes := curve.Between(span).Bytes
		add(SecondRow{
			RunColumns: s.run, Phase: p.Name, Disk: d.Name, Op: string(d.Op), Second: second,
			Bytes: bytes,
			Rate:  float64(bytes) / span.Seconds(), Temperature: warmth[second],
		})
	}
}

func (s *source) findingRows(add func(any)) {
	for _, f := range s.Analysis.Findings {
		row := FindingRow{
			RunColumns: s.run, Phase: f.Phase, Code: f.Code, Disk: f.Disk,
			Disks: slices.Clone(f.Disks),
			Other: f.Other, Weight: f.Weight, Text: f.Text,
		}
		if len(row.Disks) == 0 && f.Disk != "" {
			row.Disks = []string{f.Disk}
		}
		add(row)
	}
}
