package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// direction is what a job, or a group of jobs, read or wrote.
type direction struct {
	Bytes float64 `json:"io_bytes"`
	Rate  float64 `json:"bw_bytes"` // per second
}

// fioTotal is what the groups of jobs in fio's output (--output-format=json) moved, and the sum of
// their rates. Notes may stand before the report.
func fioTotal(out []byte) (all direction, groups int, err error) {
	var report struct {
		Jobs []struct{ Read, Write direction }
	}
	if err := json.Unmarshal(out[max(0, bytes.IndexByte(out, '{')):], &report); err != nil {
		return all, 0, fmt.Errorf("read fio's report: %w", err)
	}
	for _, job := range report.Jobs {
		all.Bytes += job.Read.Bytes + job.Write.Bytes
		all.Rate += job.Read.Rate + job.Write.Rate
	}
	return all, len(report.Jobs), nil
}
