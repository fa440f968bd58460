package analysis

import (
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/size"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Analysis is analysis.json: rates in bytes per second, times in seconds since the phase's release.
// A null is a number that is not available; a warning beside it says why.
type Analysis struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	*Origin
	Order []string `json:"order"` // the disks' names as the run lists them: maps below have no order
	// Of simulated disks, where the figures of their profile are from: measured | fitted |
	// specifications; empty if that is not said.
	ProfileOrigin string      `json:"profile_origin,omitempty"`
	Phases        []Phase     `json:"phases"`
	Matrix        []MatrixRow `json:"matrix"`
	// What each disk's requests took beside others, by which they were; empty if no latency was
	// recorded.
	LatencyMatrix []LatencyRow `json:"latency_matrix,omitempty"`
	Searches      []Search     `json:"searches,omitempty"`
	Saturations   []Saturation `json:"saturations,omitempty"`
	// HubCosts has the disks that were measured alone on the hub and on their own ports.
	HubCosts []HubCost `json:"hub_costs,omitempty"`
	// Effects are what each disk loses through each neighbour, as far as that was measured.
	Effects  []Effect  `json:"effects"`
	Summary  Summary   `json:"summary"`
	Answer   Answer    `json:"answer"`
	Findings []Finding `json:"findings"`
	Warnings []Warning `json:"warnings"`

	// Scale is the unit in which its rates are written, by the fastest.
	Scale unit.Scale `json:"-"`

	modelled bool // every disk is one of a profile
}

// Origin says where a run is from: whoever loads one fills it in.
type Origin struct {
	Run       string `json:"run"`     // unique to it; of a trace without an id made from its events
	Started   string `json:"started"` // RFC 3339
	Host      string `json:"host"`
	Hub       string `json:"hub"` // that the disks share; empty if it is not known
	Simulated bool   `json:"simulated"`
	Status    string `json:"status"` // complete | partial; empty if nothing says how it ended
	// Two of its disks are one physical disk, or were not checked for it.
	SharedDisk bool     `json:"shared_disk,omitempty"`
	Skipped    []string `json:"skipped_checks,omitempty"` // the other checks that were left out, by their codes
}

// Phase is the analysis of one phase.
type Phase struct {
	Name string `json:"phase"`
	// What it is called where a person reads of it: who does what if its name is only a pattern;
	// unique in the run.
	Title string                `json:"title"`
	Roles map[string]trace.Role `json:"roles"`
	// Of disks that are connected elsewhere than in the rest of the run.
	Connections map[string]string `json:"connections,omitempty"`
	Test        string            `json:"test,omitempty"` // which of a preset's tests this is
	// Race (also if empty) | hold | time: what ended it.
	Stop       string            `json:"stop,omitempty"`
	Saturation *trace.Saturation `json:"saturation,omitempty"` // which step of the preset of that name this is
	// Latest less earliest start among the workers, by the wall clock.
	StartSkewS     *float64        `json:"start_skew_s"`
	Overlap        *Overlap        `json:"overlap"`              // null if the disks were never all busy at once
	NoOverlap      *NoOverlap      `json:"no_overlap,omitempty"` // if overlap is null
	OtherToolRates *OtherToolRates `json:"others_say"`           // null if no disk moved anything
	Contention     *Contention     `json:"contention"`           // null without an overlap of two disks or more
	// Of the disks' paths, if these and their capacity are known.
	Links        []LinkUse            `json:"links,omitempty"`
	Streams      []Stream             `json:"streams,omitempty"`
	StreamTotals []StreamTotal        `json:"stream_totals,omitempty"` // by disk, in the run's order
	Work         map[string]work.Work `json:"work,omitempty"`          // of each disk, if it was written down
	// The first phase in which the same disks do the same, if there is one before this.
	Repeats string `json:"repeats,omitempty"`
	// The disks that do not work as fast as they can, and those that read and write at once.
	Paced      work.Paced      `json:"paced,omitempty"`
	Search     *trace.Try      `json:"search,omitempty"` // which of a search's tries this is
	Stages     []Stage         `json:"stages"`
	Changes    []Change        `json:"changes"` // the ledger: by time
	Recoveries []Recovery      `json:"recoveries"`
	Disks      map[string]Disk `json:"disks"`
	// Of all cores, on average in the overlap; null if it was not read.
	CPUPercent *float64  `json:"cpu_percent"`
	Series     *Series   `json:"series"`  // null if no disk moved anything
	Verdict    string    `json:"verdict"` // the phase in one sentence
	Warnings   []Warning `json:"warnings"`
}

// Overlap is the window in which every working disk was active.
type Overlap struct {
	StartS    float64         `json:"start_s"`
	EndS      float64         `json:"end_s"`
	DurationS float64         `json:"duration_s"`
	Spans     [][2]float64    `json:"spans"` // the stretches the window is made of: start_s, end_s
	Bytes     int64           `json:"bytes"`
	BytesLow  int64           `json:"bytes_low"` // bounds if files straddle the window's edges without samples
	BytesHigh int64           `json:"bytes_high"`
	Rate      float64         `json:"rate"`
	CI95      *stats.Interval `json:"ci95"`
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
	Share     float64         `json:"share"`               // of the window's bytes
	ReadRate  float64         `json:"read_rate,omitempty"` // of rate, if the disk reads and writes at once
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
	After    string     `json:"after"` // the disk that ended
	AtS      float64    `json:"at_s"`  // when it ended
	LagS     *float64   `json:"lag_s"` // null if the trace ends before the new level holds
	FromRate float64    `json:"from_rate"`
	ToRate   *float64   `json:"to_rate"`
	Cut      *Cut       `json:"cut,omitempty"`    // what was seen instead of the whole, if lag_s is null
	Reason   string     `json:"reason,omitempty"` // that in words

	Reached ledger.Measured `json:"-"` // to_rate, and how well it is known
}

// Cut is where the view of a recovery ended.
type Cut struct {
	Rose   bool    `json:"rose"`           // it had reached a new level, too short a time before; else it had not risen
	AfterS float64 `json:"s"`              // after the other disk's end: when it rose, or else when the view ended
	Why    string  `json:"why"`            // a disk ended, started or paused
	Disk   string  `json:"disk,omitempty"` // which
}

// OtherToolRates is what other tools would have shown for the phase: why the window matters.
type OtherToolRates struct {
	// fio's group bandwidth: all bytes over the longest job's own time. If some disks read and
	// others write, fio prints one for each.
	FioRate       *float64 `json:"fio_rate,omitempty"`
	FioReadRate   *float64 `json:"fio_read_rate,omitempty"`
	FioWriteRate  *float64 `json:"fio_write_rate,omitempty"`
	SoloSumRate   float64  `json:"solo_sum_rate"`   // each job's bytes over its own time, added up
	FirstDoneRate float64  `json:"first_done_rate"` // elbencho: from the first start to the first disk's end
	LastDoneRate  float64  `json:"last_done_rate"`  // elbencho: from the first start to the last disk's end
}

// Contention compares the window, or its longest stretch between changes, with what the disks do
// without the others.
type Contention struct {
	// That stretch: start_s, end_s; empty for the whole window.
	Spans  [][2]float64              `json:"spans,omitempty"`
	Even   bool                      `json:"even"` // in every stretch all have about the same
	Disks  map[string]DiskContention `json:"disks"`
	Steals []Steal                   `json:"steals"`
	// Total of reads and writes mixed over the best total one way, of the same disks.
	DuplexGain *float64        `json:"duplex_gain"`
	DuplexCI95 *stats.Interval `json:"duplex_gain_ci95"` // as wide as both totals' intervals make it
	Ceiling    *Ceiling        `json:"ceiling"`          // null if nothing shows a common limit
}

// DiskContention is one disk's rate in the window against what it could have had.
type DiskContention struct {
	Rate          float64  `json:"rate"`           // in the stretch that is compared
	Reference     string   `json:"reference"`      // solo: its rate alone; later: without others; or empty
	ReferenceFrom string   `json:"reference_from"` // the solo phase, or the disk that is missing
	Alone         bool     `json:"alone"`          // no other disk worked when the reference was measured
	ReferenceRate *float64 `json:"reference_rate"`
	// Why there is none, although the disk was measured alone: one of the causes below; empty if it
	// was not.
	NoReference string          `json:"no_reference,omitempty"`
	Retention   *float64        `json:"retention"` // rate over the reference
	RetentionCI *stats.Interval `json:"retention_ci95,omitempty"`
	Slowed      bool            `json:"held"`       // it has less than the reference, by more than noise would make of equals
	Kept        bool            `json:"kept"`       // it has about as much as the reference, within noise
	FairRate    *float64        `json:"fair_rate"`  // null: no share of a total says what a disk could have
	AboveEven   *float64        `json:"above_even"` // null, for the same reason
}

// Steal is what one disk loses through another that crowds it out.
type Steal struct {
	From  string  `json:"from"`
	By    string  `json:"by"`
	Rate  float64 `json:"rate"`
	Share float64 `json:"share"` // of From's rate without By
	// Deduced says that it was not measured without By: Rate and Share are what From loses through
	// all others.
	Deduced bool `json:"deduced,omitempty"`
	// Absent are disks of the phase that did not work when this was measured.
	Absent []string `json:"absent,omitempty"`
}

// Ceiling is a limit that several sets of disks ran into, in one direction. Its cause is not known.
type Ceiling struct {
	Rate   float64  `json:"rate"`
	Phases []string `json:"phases"` // that reached it
	// If this phase shows it: the phase without some of its disks that moved as much, and what its
	// disks reach one by one.
	Without     string   `json:"without,omitempty"`
	WithoutRate float64  `json:"without_rate,omitempty"`
	Added       []string `json:"added,omitempty"`
	AloneRate   float64  `json:"alone_rate,omitempty"`
}

// Disk summarises one disk's files in a phase. The statistics are over the rates of single files.
type Disk struct {
	Op trace.Role `json:"op"`
	// CachedWrites is the bytes of each request, if these were too few to go past this computer's
	// cache: the rates are the cache's.
	CachedWrites int64    `json:"cached_writes_bytes,omitempty"`
	Files        int      `json:"files"`
	Bytes        int64    `json:"bytes"`
	BusyS        float64  `json:"busy_s"` // time with a file in transfer
	Rate         *float64 `json:"rate"`   // bytes / busy_s
	Mean         *float64 `json:"mean"`
	Median       *float64 `json:"median"`
	Trimmed20    *float64 `json:"trimmed20"`
	size.Fits
	P05     *float64 `json:"p05"`
	P95     *float64 `json:"p95"`
	CV      *float64 `json:"cv"`
	Bimodal *bool    `json:"bimodal"`
	// DipP is the chance of as deep a gap between two groups of files if there is one group.
	DipP     *float64    `json:"dip_p"`
	Modes    *[2]float64 `json:"modes"` // the two rates, if bimodal, the fixed cost of a file taken out
	Quote    *Quote      `json:"quote"` // the figure to quote
	Score    *Score      `json:"score"` // of the program that the preset takes after
	Throttle *Throttle   `json:"throttle"`
	// Of a phase that was to go on until all are steady; null if it was not at the end.
	Steady   *Steady    `json:"steady,omitempty"`
	SizeKnee *size.Knee `json:"size_knee"`
	Sizes    []size.Bin `json:"sizes,omitempty"` // rate by file size; absent if all are of one
	// Of its requests in the overlap, or in all its time without one; null if it was not recorded.
	Latency *Latency `json:"latency"`
	// What gauges say; null without them.
	Device      *meter.Device `json:"device"`
	Temperature *Temperature  `json:"temperature"`
	LinkChange  *LinkChange   `json:"link_change"` // null if its link, as far as it is known, kept its speed
	// How much of a core its worker used, on average in the overlap, if that may limit it.
	WorkerCPUPercent *float64 `json:"worker_cpu_percent,omitempty"`
}

// Quote is the one figure to quote for a disk: what a user will see again.
type Quote struct {
	Rate float64 `json:"rate"`
	Kind string  `json:"kind"` // overlap: beside the others; later: after a lasting fall; mean: bytes over time
	Text string  `json:"text"` // what it is, and what to say beside it
}

// Score is what the program that a preset imitates would report for the disk: one of its passes
// stands for all.
type Score struct {
	Method string  `json:"method"` // median | best: of the counted passes
	Rate   float64 `json:"rate"`
	N      int     `json:"n"` // passes it was chosen from
}

// Steady is a disk's steady state, by its rates in windows (see stats.Steady): after the rule of
// SNIA's Solid State Storage Performance Test Specification, whose own windows are rounds of a
// minute.
type Steady struct {
	WindowS float64         `json:"window_s"`
	SinceS  float64         `json:"since_s"` // to the end
	Rate    float64         `json:"rate"`
	CI95    *stats.Interval `json:"ci95"`
}

// Throttle is a lasting drop of a disk's rate that no other disk explains.
type Throttle struct {
	ledger.Step                  // the deepest
	Recovered      *Rebound      `json:"recovered"` // null if the rate stayed low to the end
	Steps          []ledger.Step `json:"steps"`     // the whole fall
	Cause          string        `json:"cause"`     // heat | cache_full | unknown
	Evidence       Evidence      `json:"evidence"`
	NeighbourGains []Shift       `json:"freed,omitempty"` // what other disks gained by it
	FirstLevelS    float64       `json:"held_s"`          // how long the first level was seen
	LastLevelS     float64       `json:"lasts_s"`         // how long the last level was seen
}

// Rebound is a throttle that was over after a pause.
type Rebound struct {
	AtS    float64 `json:"at_s"`
	PauseS float64 `json:"pause_s"`
	Rate   float64 `json:"rate"`
}

// MatrixRow is one phase in the table of all phases, which lists those of one disk first, then of
// two, and so on.
type MatrixRow struct {
	Phase      string                `json:"phase"`
	Roles      map[string]trace.Role `json:"roles"`
	Working    int                   `json:"working"` // how many disks
	Rates      map[string]float64    `json:"rates"`   // per working disk, in the window
	Total      float64               `json:"total"`
	ReadRate   float64               `json:"read_rate"`
	WriteRate  float64               `json:"write_rate"`
	Departures map[string]float64    `json:"departures"` // rate over the reference, if more than a tenth apart
}

// Finding is something worth reporting. Findings come in the order of their weight.
type Finding struct {
	Code       string   `json:"code"`
	Phase      string   `json:"phase"`
	Disk       string   `json:"disk,omitempty"`    // whom it is about, if it is one
	Disks      []string `json:"disks,omitempty"`   // all whom it is about; of a steal: who lost
	Added      []string `json:"added,omitempty"`   // of a ceiling: the disks that were added without more being moved
	Link       *LinkUse `json:"link,omitempty"`    // of a bottleneck
	Change     *Change  `json:"change,omitempty"`  // of the ledger
	Cites      []int    `json:"cites,omitempty"`   // the phase's changes that it rests on, by index
	Changes    []Change `json:"changes,omitempty"` // of its kind and disks, if they are several
	Other      string   `json:"other,omitempty"`   // what it is held against: a phase, a disk, an error
	Values     any      `json:"values,omitempty"`
	MorePhases int      `json:"more_phases,omitempty"` // that show it as well
	Weight     float64  `json:"weight"`                // about the share of speed at stake: 1 is all of it
	Text       string   `json:"text"`
	// TextWithoutPhase is the text without the phase and the full stop.
	TextWithoutPhase string `json:"-"`
}

// Warning is a doubt to show beside a number.
type Warning struct {
	Code   string `json:"code"`
	Disk   string `json:"disk,omitempty"`
	Other  string `json:"other,omitempty"`  // what caused it, in the words of who said so
	Values any    `json:"values,omitempty"` // see values.go
	Text   string `json:"text"`
}

// NoOverlap says why the disks of a phase were never active together: some moved nothing, or one
// ended before another began, or, if no disks are named, pauses left no moment.
type NoOverlap struct {
	Disks  []string `json:"disks,omitempty"` // that moved nothing; or who ended first, and who began after that
	EndedS float64  `json:"ended_s,omitempty"`
	BeganS float64  `json:"began_s,omitempty"`
}

// Series is the phase's rates over time, in steps of one length from the release on; the last step
// ends with EndS, the last byte of any disk, which is how long the phase took.
type Series struct {
	StepS float64              `json:"step_s"`
	EndS  float64              `json:"end_s"`
	Total []float64            `json:"total"`
	Disks map[string][]float64 `json:"disks"`
}
