package analysis

import "github.com/hubbench/hubbench/pkg/scenario"

// Analysis is analysis.json: rates in bytes per second, times in seconds since the phase's release.
// A null is a number that could not be had; a warning beside it says why.
type Analysis struct {
	Version  int         `json:"version"`
	Name     string      `json:"name"`
	Order    []string    `json:"order"` // the disks' names as the run lists them: maps below have no order
	Phases   []Phase     `json:"phases"`
	Matrix   []MatrixRow `json:"matrix"`
	Findings []Finding   `json:"findings"`
	Warnings []Warning   `json:"warnings"`
}

// Phase is the analysis of one phase.
type Phase struct {
	Phase      string                   `json:"phase"`
	Roles      map[string]scenario.Role `json:"roles"`
	StartSkewS *float64                 `json:"start_skew_s"` // latest less earliest start among the workers, by the wall clock
	Overlap    *Overlap                 `json:"overlap"`
	Stages     []Stage                  `json:"stages"`
	Recoveries []Recovery               `json:"recoveries"`
	Disks      map[string]Disk          `json:"disks"`
	Verdict    string                   `json:"verdict"` // the phase in one sentence
	Warnings   []Warning                `json:"warnings"`
}

// Interval is a 95 % confidence interval: low, high.
type Interval [2]float64

// Overlap is the window in which every working disk was active.
type Overlap struct {
	StartS    float64                `json:"start_s"`
	EndS      float64                `json:"end_s"`
	DurationS float64                `json:"duration_s"`
	Bytes     int64                  `json:"bytes"`
	BytesLow  int64                  `json:"bytes_low"` // bounds where files straddle the window's edges without samples
	BytesHigh int64                  `json:"bytes_high"`
	Rate      float64                `json:"rate"`
	CI95      *Interval              `json:"ci95"`
	ReadRate  float64                `json:"read_rate"`
	WriteRate float64                `json:"write_rate"`
	Jain      float64                `json:"jain"` // Jain's fairness index of the disks' rates, 1/n to 1
	Disks     map[string]OverlapDisk `json:"disks"`
}

// OverlapDisk is one disk's part of the window.
type OverlapDisk struct {
	Op        scenario.Role `json:"op"`
	Bytes     int64         `json:"bytes"`
	BytesLow  int64         `json:"bytes_low"`
	BytesHigh int64         `json:"bytes_high"`
	Rate      float64       `json:"rate"`
	CI95      *Interval     `json:"ci95"`
	Share     float64       `json:"share"` // of the window's bytes
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
	Disk     string        `json:"disk"`
	Op       scenario.Role `json:"op"`
	After    string        `json:"after"` // the disk that ended
	AtS      float64       `json:"at_s"`  // when it ended
	LagS     *float64      `json:"lag_s"` // null where the trace ends before the new level holds
	FromRate float64       `json:"from_rate"`
	ToRate   *float64      `json:"to_rate"`
	Reason   string        `json:"reason,omitempty"` // why lag_s is null
}

// Disk summarises one disk's files in a phase. The statistics are over the rates of single files.
type Disk struct {
	Op           scenario.Role `json:"op"`
	Files        int           `json:"files"`
	Bytes        int64         `json:"bytes"`
	BusyS        float64       `json:"busy_s"` // time with a file in transfer
	Rate         *float64      `json:"rate"`   // bytes / busy_s
	Mean         *float64      `json:"mean"`
	Median       *float64      `json:"median"`
	Trimmed20    *float64      `json:"trimmed20"`
	OLSRate      *float64      `json:"ols_rate"`
	OLSLatencyS  *float64      `json:"ols_latency_s"`
	TheilSenRate *float64      `json:"theilsen_rate"`
	P05          *float64      `json:"p05"`
	P95          *float64      `json:"p95"`
	CV           *float64      `json:"cv"`
	Bimodal      *bool         `json:"bimodal"`
	Throttle     *Throttle     `json:"throttle"`
	SizeKnee     *SizeKnee     `json:"size_knee"`
}

// Throttle is a lasting drop of a disk's rate that no other disk explains.
type Throttle struct {
	AtBytes  float64 `json:"at_bytes"` // written in all when it set in
	AtS      float64 `json:"at_s"`
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
}

// SizeKnee is a file size at which the rate changes.
type SizeKnee struct {
	AtBytes   float64 `json:"at_bytes"`
	BelowRate float64 `json:"below_rate"`
	AboveRate float64 `json:"above_rate"`
}

// MatrixRow is one phase in the table of all phases.
type MatrixRow struct {
	Phase string                   `json:"phase"`
	Roles map[string]scenario.Role `json:"roles"`
	Rates map[string]float64       `json:"rates"` // per working disk, in the window
	Total float64                  `json:"total"`
}

// Finding is a plain sentence with the numbers in it.
type Finding struct {
	Code  string `json:"code"`
	Phase string `json:"phase"`
	Disk  string `json:"disk,omitempty"`
	Text  string `json:"text"`
}

// Warning is a doubt to show beside a number.
type Warning struct {
	Code string `json:"code"`
	Disk string `json:"disk,omitempty"`
	Text string `json:"text"`
}
