package chart

import (
	"math"

	"github.com/hubbench/hubbench/pkg/trace"
)

// maxSteps is how many steps the total has at most: more than a screen shows of it.
const maxSteps = 400

// total is the sum of all disks' rates in steps of one width, by the bytes that moved in each.
func total(phase *trace.Phase, end float64) []Step {
	if end <= 0 {
		return nil
	}
	width := nice(end / maxSteps)
	moved := make([]float64, int(math.Ceil(end/width)))
	for _, disk := range phase.Disks {
		for _, file := range disk.Files {
			from, done := file.StartNS, int64(0)
			for _, sample := range file.Samples {
				spread(moved, width, from, sample.TNS, sample.Bytes-done)
				from, done = sample.TNS, sample.Bytes
			}
			spread(moved, width, from, file.EndNS, file.Bytes-done)
		}
	}
	steps := make([]Step, len(moved))
	for i, bytes := range moved {
		span := Span{float64(i) * width, min(float64(i+1)*width, end)}
		steps[i] = Step{Span: span, Rate: bytes / (span.EndS - span.StartS)}
	}
	return steps
}

// spread adds bytes moved evenly between two instants to the steps that they fall into.
func spread(moved []float64, width float64, fromNS, toNS, bytes int64) {
	if toNS <= fromNS || bytes <= 0 {
		return
	}
	from, to := float64(fromNS)/1e9, float64(toNS)/1e9
	rate := float64(bytes) / (to - from)
	for i := max(0, int(from/width)); i < len(moved); i++ {
		start, end := max(from, float64(i)*width), min(to, float64(i+1)*width)
		if end <= start {
			if float64(i)*width >= to {
				return
			}
			continue
		}
		moved[i] += rate * (end - start)
	}
}

// nice rounds up to 1, 2 or 5 times a power of ten.
func nice(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= x {
			return factor * power
		}
	}
	return 10 * power
}

// Round125 widens an interval of positive numbers to ends that are 1, 2 or 5 times a power of ten.
func Round125(low, high float64) (float64, float64) {
	power := math.Pow(10, math.Floor(math.Log10(low)))
	below := power
	for _, factor := range []float64{2, 5} {
		if factor*power <= low {
			below = factor * power
		}
	}
	return below, nice(high)
}

// Steps are round numbers from low to high, at most so many of them.
func Steps(low, high float64, most int) []float64 {
	if high <= low || most < 1 {
		return nil
	}
	step := nice((high - low) / float64(most))
	var out []float64
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
		out = append(out, i*step+0) // +0: never -0
	}
	return out
}
