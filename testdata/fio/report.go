// Package fio reads what fio reports.
package fio

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Report is what fio prints with --output-format=json, as far as it is compared with.
type Report struct {
	Jobs []struct {
		Read  Direction `json:"read"`
		Write Direction `json:"write"`
	} `json:"jobs"`
}

// Direction is what a job, or a group of jobs, read or wrote.
type Direction struct {
	Bytes float64 `json:"io_bytes"`
	Rate  float64 `json:"bw_bytes"` // per second
}

// ReadReport reads the report in what fio printed, if notes may stand before it.
func ReadReport(out []byte) (*Report, error) {
	r := &Report{}
	if err := json.Unmarshal(out[max(0, bytes.IndexByte(out, '{')):], r); err != nil {
		return nil, fmt.Errorf("read fio's report: %w", err)
	}
	return r, nil
}

// Total is what all jobs read and wrote. The rate is the sum of their rates.
func (r *Report) Total() Direction {
	var all Direction
	for _, job := range r.Jobs {
		all.Bytes += job.Read.Bytes + job.Write.Bytes
		all.Rate += job.Read.Rate + job.Write.Rate
	}
	return all
}
