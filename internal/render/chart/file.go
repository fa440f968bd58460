package chart

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Files is a phase file by file, without regard to time: speed against size, speed against all bytes so
// far, and how the speeds spread.
type Files struct {
	Disks    []FileLane
	MinBytes float64 // of a file
	MaxBytes float64
	SumBytes float64 // the most that a disk moved
	MaxRate  float64
}

// FileLane is one disk's files. Where a phase has more than MaxFiles, Cells, Bands and Bins stand for them.
type FileLane struct {
	Disk  string
	Index int
	Op    trace.Role
	Stats analysis.Disk
	Sizes []Dot  // in order of transfer
	Cells []Cell // of speed against size
	So    []Band // along the bytes so far; each file one band where they are few
	Bins  []Bin  // of the distribution
	OLS   []Dot  // the line of time against size, as speeds
}

// Dot is a file: its size and its rate.
type Dot struct{ Bytes, Rate float64 }

// Cell is a rectangle of the plane of sizes and rates, and how many files lie in it.
type Cell struct {
	FromBytes, ToBytes, FromRate, ToRate float64
	N                                    int
}

// Bin is a stretch of rates, and how many files lie in it.
type Bin struct {
	From, To float64
	N        int
}

// NewFiles lays out a phase's files, filler left out.
func NewFiles(run *trace.Run, phase *trace.Phase, found *analysis.Phase) *Files {
	out := &Files{MinBytes: math.Inf(1)}
	count := 0
	for _, disk := range phase.Disks {
		lane := FileLane{Disk: disk.Name, Index: Index(run, disk.Name), Op: disk.Op}
		if found != nil {
			lane.Stats = found.Disks[disk.Name]
		}
		sum := 0.0
		for _, file := range segments(disk) {
			if file.Filler {
				continue
			}
			size := float64(file.Bytes)
			lane.Sizes = append(lane.Sizes, Dot{size, file.Rate})
			lane.So = append(lane.So, Band{From: sum, To: sum + size, Mean: file.Rate, P05: file.Rate, P95: file.Rate})
			sum += size
			out.MinBytes, out.MaxBytes = min(out.MinBytes, size), max(out.MaxBytes, size)
			out.MaxRate = max(out.MaxRate, file.Rate)
		}
		out.SumBytes = max(out.SumBytes, sum)
		count += len(lane.Sizes)
		out.Disks = append(out.Disks, lane)
	}
	if count == 0 {
		out.MinBytes = 0
	}
	for i := range out.Disks {
		lane := &out.Disks[i]
		lane.OLS = curve(lane.Stats, out)
		lane.Bins = bins(lane.Sizes, out.MaxRate)
		if count > MaxFiles {
			lane.Cells = cells(lane.Sizes, out)
			stretches := make([]stretch, len(lane.So))
			for j, band := range lane.So {
				stretches[j] = stretch{band.From, band.To, band.Mean}
			}
			lane.So = bands(stretches, out.SumBytes)
			lane.Sizes = nil
		}
	}
	return out
}

// curve is the speed that a regression of time on size gives: size / (latency + size/rate). Its latency is
// often negative; sizes for which it would give no time at all, or a speed never seen, are left out.
func curve(stats analysis.Disk, all *Files) []Dot {
	const points = 48
	if stats.OLSRate == nil || stats.OLSLatencyS == nil || *stats.OLSRate <= 0 || all.MinBytes <= 0 || all.MinBytes == all.MaxBytes {
		return nil
	}
	var out []Dot
	for i := range points + 1 {
		size := all.MinBytes * math.Pow(all.MaxBytes/all.MinBytes, float64(i)/points)
		seconds := *stats.OLSLatencyS + size / *stats.OLSRate
		if seconds > 0 && size/seconds <= 1.1*all.MaxRate {
			out = append(out, Dot{size, size / seconds})
		}
	}
	return out
}

// cells counts files on a grid, logarithmic along the sizes.
func cells(dots []Dot, all *Files) []Cell {
	const columns, rows = 80, 50
	spread := math.Log(all.MaxBytes / all.MinBytes)
	if spread == 0 {
		spread = 1
	}
	counts := make([]int, columns*rows)
	for _, dot := range dots {
		column := min(columns-1, int(columns*math.Log(dot.Bytes/all.MinBytes)/spread))
		row := min(rows-1, int(rows*dot.Rate/all.MaxRate))
		counts[column*rows+row]++
	}
	var out []Cell
	for at, n := range counts {
		if n == 0 {
			continue
		}
		column, row := float64(at/rows), float64(at%rows)
		out = append(out, Cell{
			FromBytes: all.MinBytes * math.Exp(spread*column/columns), ToBytes: all.MinBytes * math.Exp(spread*(column+1)/columns),
			FromRate: all.MaxRate * row / rows, ToRate: all.MaxRate * (row + 1) / rows, N: n,
		})
	}
	return out
}

// bins counts files by rate, from nothing to the fastest of any disk.
func bins(dots []Dot, top float64) []Bin {
	const parts = 60
	if len(dots) == 0 || top <= 0 {
		return nil
	}
	counts := make([]int, parts)
	for _, dot := range dots {
		counts[min(parts-1, int(parts*dot.Rate/top))]++
	}
	first := slices.IndexFunc(counts, func(n int) bool { return n > 0 })
	var out []Bin
	for i := first; i < parts; i++ {
		out = append(out, Bin{top * float64(i) / parts, top * float64(i+1) / parts, counts[i]})
	}
	for len(out) > 0 && out[len(out)-1].N == 0 {
		out = out[:len(out)-1]
	}
	return out
}
