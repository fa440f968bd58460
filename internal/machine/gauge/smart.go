package gauge

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"

	"github.com/hubbench/hubbench/pkg/trace"
)

// parseSmart reads the temperature out of what smartctl --json says: https://www.smartmontools.org. Without one, or with
// 0, which stands for none, there is an error.
func parseSmart(text []byte) (celsius float64, err error) {
	var answer struct {
		Temperature struct {
			Current *float64 `json:"current"`
		} `json:"temperature"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return 0, fmt.Errorf("smartctl: %w", err)
	}
	if t := answer.Temperature.Current; t != nil && *t > 0 {
		return *t, nil
	}
	return 0, fmt.Errorf("smartctl: no temperature: %w", errUnknown)
}

// thermometer is the source of a device's temperature by SMART, if smartctl is installed and finds one. However short
// the phases are, the disk is asked no more often than slowEvery.
func (f *Finder) thermometer(m *meter) (Source, bool) {
	tool, err := exec.LookPath("smartctl")
	if err != nil || m.smart == "" {
		return Source{}, false
	}
	return Source{Name: "temperature of " + m.key, Every: slowEvery, Read: func(ctx context.Context) ([]Reading, error) {
		if !f.may(m.smart) {
			return nil, nil
		}
		// Bits of its exit status are about the disk's health; the answer is complete anyway.
		text, runErr := exec.CommandContext(ctx, tool, "--json", "-A", m.smart).Output()
		celsius, err := parseSmart(text)
		if err != nil {
			return nil, fmt.Errorf("%w (%v)", err, runErr) //nolint:errorlint // the cause is the answer; the status goes with it
		}
		return m.each(trace.Temperature, celsius), nil
	}}, true
}
