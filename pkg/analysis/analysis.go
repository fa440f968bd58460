package analysis

import (
	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/size"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Analysis is analysis.json: rates in bytes per second, times in seconds since the phase's release.
// A null is a number that is not available; a warning beside it says why. A key whose value is any has
// lost its meaning: it is null in this version, and gone in the next.
type Analysis struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	*Origin
	// Order is the run's list of disks, since the maps below have none.
	Order []string `json:"order"`
	// ProfileOrigin says where the figures of simulated disks are from: measured, fitted or
	// specifications; empty if unknown.
	ProfileOrigin string          `json:"profile_origin,omitempty"`
	Phases        []PhaseResult   `json:"phases"`
	Matrix        []MatrixRow     `json:"matrix"`
	LatencyMatrix any             `json:"latency_matrix"`
	Searches      []SearchSummary `json:"searches,omitempty"`
	Saturations   []Saturation    `json:"saturations,omitempty"`
	// HubCosts has the disks that were measured alone on the hub and on their own ports.
	HubCosts []HubCost `json:"hub_costs,omitempty"`
	// Effects are what each disk loses through each neighbour, as far as that was measured.
	Effects  []effect.Effect `json:"effects"`
	Summary  Summary         `json:"summary"`
	Answer   RunAnswer       `json:"answer"`
	Findings []Finding       `json:"findings"`
	Warnings []Warning       `json:"warnings"`

	// Scale is the unit in which its rates are written, by the fastest.
	Scale unit.Scale `json:"-"`

	modelled bool // Every disk has a profile.
}

// Origin says where a run is from: whoever loads one fills it in.
type Origin struct {
	// Run is unique to it; a trace without an id has one made from its events.
	Run       string `json:"run"`
	Started   string `json:"started"` // RFC 3339
	Host      string `json:"host"`
	Hub       string `json:"hub"` // Hub is the one that the disks share; empty if unknown.
	Simulated bool   `json:"simulated"`
	Status    string `json:"status"` // Status is complete, partial, or empty if unknown.
	// SharedDisk says that two disks are one physical disk, or were not checked for it.
	SharedDisk bool `json:"shared_disk,omitempty"`
	// Skipped are the other checks that were skipped, by code.
	Skipped []string `json:"skipped_checks,omitempty"`
}

// PhaseResult is the analysis of one phase.
type PhaseResult struct {
	Name string `json:"phase"`
	// Title is its name for people, unique in the run: who does what if Name is only a pattern.
	Title string                `json:"title"`
	Roles map[string]trace.Role `json:"roles"`
	// Connections has the disks that are connected elsewhere than in the rest of the run.
	Connections map[string]string `json:"connections,omitempty"`
	Test        string            `json:"test,omitempty"` // Test is the one of a preset's tests.
	// Stop says what ended it: race (also if empty), hold or time.
	Stop string `json:"stop,omitempty"`
	// Saturation is the step of the preset of that name.
	Saturation *trace.Saturation `json:"saturation,omitempty"`
	// StartSkewS is between the workers' earliest and latest start, by the wall clock.
	StartSkewS *float64 `json:"start_skew_s"`
	// Overlap is null if the disks were never all busy at once.
	Overlap *Overlap `json:"overlap"`
	// NoOverlap is there if Overlap is null.
	NoOverlap *NoOverlap `json:"no_overlap,omitempty"`
	OthersSay any        `json:"others_say"`
	// Contention is null without an overlap of two disks or more.
	Contention *Contention `json:"contention"`
	// Links are those of the disks' paths, if these and their capacity are known.
	Links   []LinkUse       `json:"links,omitempty"`
	Streams []StreamOutcome `json:"streams,omitempty"`
	// StreamTotals are by disk, in the run's order.
	StreamTotals []StreamTotal `json:"stream_totals,omitempty"`
	// Work is each disk's, if it was recorded.
	Work map[string]work.Work `json:"work,omitempty"`
	// The first phase in which the same disks do the same, if there is one before this.
	Repeats string `json:"repeats,omitempty"`
	// The disks that do not work as fast as they can, and those that read and write at once.
	Paced      work.Paced            `json:"paced,omitempty"`
	Search     *trace.Try            `json:"search,omitempty"` // Search is the search's try that this is.
	Stages     []Stage               `json:"stages"`
	Changes    []Change              `json:"changes"` // Changes are the ledger, by time.
	Recoveries []Recovery            `json:"recoveries"`
	Disks      map[string]DiskResult `json:"disks"`
	// CPUPercent is over all cores, on average in the overlap; null if it was not read.
	CPUPercent *float64    `json:"cpu_percent"`
	Series     *RateSeries `json:"series"`  // Series is null if no disk moved anything.
	Verdict    string      `json:"verdict"` // Verdict is the phase in one sentence.
	Warnings   []Warning   `json:"warnings"`
}

// Overlap is the window in which every working disk was active.
type Overlap struct {
	StartS    float64      `json:"start_s"`
	EndS      float64      `json:"end_s"`
	DurationS float64      `json:"duration_s"`
	Spans     [][2]float64 `json:"spans"` // Spans make up the window: start_s, end_s.
	Bytes     int64        `json:"bytes"`
	// BytesLow and BytesHigh matter if files straddle the edges without samples.
	BytesLow  int64           `json:"bytes_low"`
	BytesHigh int64           `json:"bytes_high"`
	Rate      float64         `json:"rate"`
	CI95      *stats.Interval `json:"ci95"`
	Estimate  stats.Estimate  `json:"-"` // Estimate is Rate with the error behind CI95.
	ReadRate  float64         `json:"read_rate"`
	WriteRate float64         `json:"write_rate"`
	// Jain's fairness index of the rates of the disks that go as fast as they can in one direction,
	// 1/n to 1; 0 if one or none of several does.
	Jain  float64                `json:"jain"`
	Disks map[string]OverlapDisk `json:"disks"`
}

// OverlapDisk is one disk's part of the window.
type OverlapDisk struct {
	Op        trace.Role      `json:"op"`
	Bytes     int64           `json:"bytes"`
	BytesLow  int64           `json:"bytes_low"`
	BytesHigh int64           `json:"bytes_high"`
	Rate      float64         `json:"rate"`
	CI95      *stats.Interval `json:"ci95"`
	Estimate  stats.Estimate  `json:"-"`     // Estimate is Rate with the error behind CI95.
	Share     float64         `json:"share"` // Share is a part of the window's bytes.
	// ReadRate is a part of Rate if the disk reads and writes at once.
	ReadRate float64 `json:"read_rate,omitempty"`
}

// Stage is a maximal interval with an unchanged set of active disks.
type Stage struct {
	StartS float64              `json:"start_s"`
	EndS   float64              `json:"end_s"`
	Active []string             `json:"active"`
	Rate   float64              `json:"rate"`
	Disks  map[string]StageDisk `json:"disks"`
}

// StageDisk is one disk's part of a stage.
type StageDisk struct {
	Bytes int64   `json:"bytes"`
	Rate  float64 `json:"rate"`
}

// Recovery is what a disk gained after another ended, and how long it took.
type Recovery struct {
	Disk     string     `json:"disk"`
	Op       trace.Role `json:"op"`
	After    string     `json:"after"` // After is the disk that ended.
	AtS      float64    `json:"at_s"`  // AtS is when it ended.
	LagS     *float64   `json:"lag_s"` // LagS is null if the trace ends before the new level holds.
	FromRate float64    `json:"from_rate"`
	ToRate   *float64   `json:"to_rate"`
	// Cut is what was seen instead of the whole, if lag_s is null.
	Cut    *Cut   `json:"cut,omitempty"`
	Reason string `json:"reason,omitempty"` // Reason is Cut in words.

	Reached ledger.Measured `json:"-"` // Reached is ToRate with its error.
}

// Cut is where the view of a recovery ended.
type Cut struct {
	Rose bool `json:"rose"` // Rose says that it had just reached a new level.
	// AfterS is from the other disk's end to the rise, or to the end of the view.
	AfterS float64 `json:"s"`
	Why    string  `json:"why"`            // Why is ended, started or paused.
	Disk   string  `json:"disk,omitempty"` // Disk is the one that did so.
}

// Contention compares the window, or its longest stretch between changes, with what the disks do
// without the others.
type Contention struct {
	// Spans are that stretch (start_s, end_s); empty for the whole window.
	Spans [][2]float64 `json:"spans,omitempty"`
	// Even says that all have about the same in every stretch.
	Even   bool                      `json:"even"`
	Disks  map[string]DiskContention `json:"disks"`
	Steals []Steal                   `json:"steals"`
	// Total of reads and writes mixed over the best total one way, of the same disks.
	DuplexGain *float64 `json:"duplex_gain"`
	// DuplexCI95 combines both totals' intervals.
	DuplexCI95 *stats.Interval `json:"duplex_gain_ci95"`
	Ceiling    any             `json:"ceiling"`
}

// DiskContention is one disk's rate in the window against what it could have had.
type DiskContention struct {
	Rate float64 `json:"rate"` // Rate is in the stretch that is compared.
	// Reference is solo for its rate alone, later for that without others, or empty.
	Reference string `json:"reference"`
	// ReferenceFrom is the solo phase, or the disk that is missing.
	ReferenceFrom string   `json:"reference_from"`
	Alone         bool     `json:"alone"` // Alone says that no other disk was busy then.
	ReferenceRate *float64 `json:"reference_rate"`
	// NoReference says why there is none although the disk was measured alone: one of NoneChanged
	// and the like; empty if it was not.
	NoReference string          `json:"no_reference,omitempty"`
	Retention   *float64        `json:"retention"` // Retention is rate over the reference.
	RetentionCI *stats.Interval `json:"retention_ci95,omitempty"`
	// Slowed says that it is slower than its baseline, beyond noise.
	Slowed bool `json:"held"`
	// Kept says that it is about as fast as its baseline, within noise.
	Kept bool `json:"kept"`
	// FairRate is null: no share of a total says what a disk could have.
	FairRate  *float64 `json:"fair_rate"`
	AboveEven *float64 `json:"above_even"` // AboveEven is null for the same reason.
}

// Steal is what one disk loses through another that crowds it out.
type Steal struct {
	From  string  `json:"from"`
	By    string  `json:"by"`
	Rate  float64 `json:"rate"`
	Share float64 `json:"share"` // Share is a part of From's rate without By.
	// Deduced says that it was not measured without By: Rate and Share are what From loses through
	// all others.
	Deduced bool `json:"deduced,omitempty"`
	// Absent are disks of the phase that did not work when this was measured.
	Absent []string `json:"absent,omitempty"`
}

// DiskResult summarises one disk's files in a phase. The statistics are over the rates of single
// files.
type DiskResult struct {
	Op trace.Role `json:"op"`
	// CachedWrites is the bytes of each request, if these were too few to go past this computer's
	// cache: the rates are the cache's.
	CachedWrites int64    `json:"cached_writes_bytes,omitempty"`
	Files        int      `json:"files"`
	Bytes        int64    `json:"bytes"`
	BusyS        float64  `json:"busy_s"` // BusyS is time with a file in transfer.
	Rate         *float64 `json:"rate"`   // Rate is Bytes over BusyS.
	Mean         *float64 `json:"mean"`
	Median       *float64 `json:"median"`
	Trimmed20    *float64 `json:"trimmed20"`
	size.Fits
	P05     *float64 `json:"p05"`
	P95     *float64 `json:"p95"`
	CV      *float64 `json:"cv"`
	Bimodal *bool    `json:"bimodal"`
	// DipP is the chance of as deep a gap between two groups of files if there is one group.
	DipP *float64 `json:"dip_p"`
	// Modes is the two rates, if bimodal, the fixed cost of a file taken out.
	Modes *[2]float64 `json:"modes"`
	Quote *Quote      `json:"quote"` // Quote is the figure to quote.
	// Score is by the rule of the program that the preset takes after.
	Score    *Score    `json:"score"`
	Throttle *Throttle `json:"throttle"`
	// Steady is for a phase that was to go on until all are steady; null if it was not at the end.
	Steady   *Steady    `json:"steady,omitempty"`
	SizeKnee *size.Knee `json:"size_knee"`
	// Sizes have the rate by file size, unless all files have one.
	Sizes []size.Bin `json:"sizes,omitempty"`
	// Latency is that of its requests in the overlap, or in all its time without one; null if it
	// was not recorded.
	Latency *LatencyResult `json:"latency"`
	// Device and Temperature are read from gauges; null without them.
	Device      *meter.Device `json:"device"`
	Temperature *Temperature  `json:"temperature"`
	// LinkChange is null if its link kept its speed or is unknown.
	LinkChange *LinkChange `json:"link_change"`
	// WorkerCPUPercent is the share of a core that its worker used, on average in the overlap, if
	// that may limit it.
	WorkerCPUPercent *float64 `json:"worker_cpu_percent,omitempty"`
}

// MatrixRow is one phase in the table of all phases, which lists those of one disk first, then of
// two, and so on.
type MatrixRow struct {
	Phase   string                `json:"phase"`
	Roles   map[string]trace.Role `json:"roles"`
	Working int                   `json:"working"` // Working is the number of busy disks.
	// Rates are those in the window, by busy disk.
	Rates     map[string]float64 `json:"rates"`
	Total     float64            `json:"total"`
	ReadRate  float64            `json:"read_rate"`
	WriteRate float64            `json:"write_rate"`
	// Departures are rates over their references, if more than a tenth apart.
	Departures map[string]float64 `json:"departures"`
}

// Finding is something worth reporting. Findings come in the order of their weight.
type Finding struct {
	Code  string `json:"code"`
	Phase string `json:"phase"`
	Disk  string `json:"disk,omitempty"` // Disk is the only one that it is about.
	// Disks are all that it is about; for a steal those who lost.
	Disks  []string `json:"disks,omitempty"`
	Link   *LinkUse `json:"link,omitempty"`   // Link is the bottleneck.
	Change *Change  `json:"change,omitempty"` // Change is from the ledger.
	// Cites are the indices of the changes that it rests on.
	Cites []int `json:"cites,omitempty"`
	// Changes are all of its kind and disks, if there are several.
	Changes []Change `json:"changes,omitempty"`
	// Other is the phase, disk or error that it is compared with.
	Other      string `json:"other,omitempty"`
	Values     any    `json:"values,omitempty"`
	MorePhases int    `json:"more_phases,omitempty"` // MorePhases show it as well.
	// Weight is about the share of speed at stake: 1 is all of it.
	Weight float64 `json:"weight"`
	Text   string  `json:"text"`
	// TextWithoutPhase is the text without the phase and the full stop.
	TextWithoutPhase string `json:"-"`
}

// Warning is a doubt to show beside a number.
type Warning struct {
	Code   string `json:"code"`
	Disk   string `json:"disk,omitempty"`
	Other  string `json:"other,omitempty"`  // Other is the cause, as it was reported.
	Values any    `json:"values,omitempty"` // Values are listed in values.go.
	Text   string `json:"text"`
}

// NoOverlap says why the disks of a phase were never active together: some moved nothing, or one
// ended before another began, or, if no disks are named, pauses left no moment.
type NoOverlap struct {
	// Disks moved nothing; or one ended before the other began.
	Disks  []string `json:"disks,omitempty"`
	EndedS float64  `json:"ended_s,omitempty"`
	BeganS float64  `json:"began_s,omitempty"`
}

// RateSeries is the phase's rates over time, in steps of one length from the release on; the last
// step ends with EndS, the last byte of any disk, which is how long the phase took.
type RateSeries struct {
	StepS float64              `json:"step_s"`
	EndS  float64              `json:"end_s"`
	Total []float64            `json:"total"`
	Disks map[string][]float64 `json:"disks"`
}
