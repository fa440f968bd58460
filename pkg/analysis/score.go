package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Score is what the program that a preset takes after would say of the disk: one of its passes stands for all.
type Score struct {
	Method string  `json:"method"` // median | best: of the counted passes
	Rate   float64 `json:"rate"`
	N      int     `json:"n"` // passes it was chosen from
}

// score is the original's figure for a disk's passes; nil where the phase follows no such program.
func (p *phase) score(rates []float64) *Score {
	if len(rates) == 0 {
		return nil
	}
	switch p.trace.Score {
	case scenario.ScoreMedian:
		return &Score{p.trace.Score, stats.Summarize(rates).Median, len(rates)}
	case scenario.ScoreBest:
		return &Score{p.trace.Score, slices.Max(rates), len(rates)}
	default:
		return nil
	}
}
