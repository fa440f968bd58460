package hub

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// YAML writes the profile as Load reads it, and as a comment the note of each parameter that has one, by its keys in the
// profile: capacity.read, A.write.weight, recovery.write_after_write[2].
func (p *Profile) YAML(notes map[string]string) []byte {
	w := &yamlWriter{notes: notes}
	w.line("version: 1")
	w.line("name: %s", strconv.Quote(p.Name))
	w.line("about: %s", strconv.Quote(p.About))
	if p.Source != "" {
		w.line("source: %s", p.Source)
	}
	if !math.IsInf(p.Link, 1) {
		w.line("link: %s", rate(p.Link))
	}
	if !math.IsInf(p.Lane, 1) {
		w.line("lane: %s", rate(p.Lane))
	}
	w.noted("noise", "noise: %s", number(p.Noise))
	c := &p.Capacity
	w.line("\ncapacity:")
	w.noted("capacity.read", "  read: %s", rate(c.Read))
	w.noted("capacity.write", "  write: %s", rate(c.Write))
	if c.Both < (c.Read+c.Write)*(1-1e-5) { // else there is no joint limit, and rounding must not make it one too high
		w.noted("capacity.both", "  both: %s", rate(c.Both))
	}
	for _, loss := range []struct {
		key   string
		value float64
	}{{"pair", c.Pair}, {"two_writers", c.TwoWriters}, {"per_disk", c.PerDisk}, {"read_loss", c.ReadLoss}, {"write_loss", c.WriteLoss}} {
		if loss.value > 0 {
			w.noted("capacity."+loss.key, "  "+loss.key+": %s", number(loss.value))
		}
	}
	switch {
	case c.Proportional:
		w.line("sharing: %s", proportional)
	case c.Pooled:
		w.line("sharing: %s", pooled)
	}
	w.line("weights:")
	w.noted("weights.read", "  read: %s", number(c.ReadWeight))
	w.noted("weights.write", "  write: %s", number(c.WriteWeight))
	w.lags(&p.Lags)
	w.line("\ndisks:")
	for i := range p.Disks {
		w.disk(&p.Disks[i])
	}
	w.evidence(p.Evidence.Pooled())
	return []byte(w.String())
}

type yamlWriter struct {
	strings.Builder
	notes map[string]string
}

func (w *yamlWriter) line(format string, args ...any) {
	fmt.Fprintf(w, format+"\n", args...)
}

// noted writes a line with the parameter's note beside it.
func (w *yamlWriter) noted(parameter, format string, args ...any) {
	if note := w.notes[parameter]; note != "" {
		format += strings.Repeat(" ", 4) + "# " + strings.ReplaceAll(note, "%", "%%")
	}
	w.line(format, args...)
}

func (w *yamlWriter) lags(l *Lags) {
	began := false
	for _, list := range l.Lists() {
		if len(*list.Lags) == 0 {
			continue
		}
		if !began {
			w.line("\nrecovery:")
			began = true
		}
		lags := make([]string, len(*list.Lags))
		for i, lag := range *list.Lags {
			lags[i] = seconds(lag)
		}
		w.line("  %s: [%s]", list.Key, strings.Join(lags, ", "))
		for i := range lags {
			name := fmt.Sprintf("recovery.%s[%d]", list.Key, i+1)
			if w.notes[name] != "" {
				w.noted(name, "  # %d staying:", i+1)
			}
		}
	}
}

func (w *yamlWriter) disk(d *Disk) {
	w.line("  - name: %s", strconv.Quote(d.Name))
	w.line("    about: %s", strconv.Quote(d.About))
	if d.Lanes > 0 {
		w.line("    lanes: %d", d.Lanes)
	}
	w.side(d.Name+".read", "read", &d.Read)
	w.side(d.Name+".write", "write", &d.Write)
	if c := d.Cache; c != nil {
		w.line("    cache: {bytes: %d, after: %s, refill: %s}", c.Bytes, rate(c.After), rate(c.Refill))
	}
}

func (w *yamlWriter) side(parameter, key string, s *Side) {
	w.line("    %s:", key)
	w.noted(parameter+".hub", "      hub: %s", rate(s.Hub))
	w.noted(parameter+".direct", "      direct: %s", rate(s.Direct))
	w.noted(parameter+".weight", "      weight: %s", number(s.Weight))
	if s.PerFile > 0 {
		w.line("      per_file: %s", seconds(s.PerFile))
	}
	if s.Knee.AboveBytes > 0 {
		w.line("      knee: {above: %d, factor: %s}", s.Knee.AboveBytes, number(s.Knee.Factor))
	}
}

func (w *yamlWriter) evidence(e *Evidence) {
	if len(e.Rates) == 0 && len(e.Lags) == 0 {
		return
	}
	w.line("\n# What was observed: in each entry, the disks active together. `error` is a standard error: of a rate relative\n# to it, of a lag in seconds.\nobserved:")
	if len(e.Rates) > 0 {
		w.line("  rates:")
	}
	for _, o := range e.Rates {
		w.line("    - phase: %s", strconv.Quote(o.Phase))
		if o.Direct {
			w.line("      direct: true")
		}
		w.line("      disks:")
		for _, d := range o.Disks {
			w.line("        - {disk: %s, op: %s, rate: %s, error: %s}", strconv.Quote(d.Disk), d.Op, rate(d.Rate), number(d.Error))
		}
	}
	if len(e.Lags) > 0 {
		w.line("  lags:")
	}
	for _, l := range e.Lags {
		w.line("    - {phase: %s, stays: %s, left: %s, staying: %d, seconds: %s, error: %s}",
			strconv.Quote(l.Phase), l.Stays, l.Left, l.Staying, number(l.Seconds), number(l.Error))
	}
	w.line("  noise: {squares: %s, freedom: %d}", number(e.Noise.Squares), e.Noise.Freedom)
}

// rate, number and seconds write values with six significant figures, which no measurement here exceeds.
func rate(bytesPerSecond float64) string {
	return strconv.FormatFloat(roundTo6(bytesPerSecond/1e9), 'f', -1, 64) + " GB/s"
}

func number(v float64) string { return strconv.FormatFloat(roundTo6(v), 'f', -1, 64) }

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

func roundTo6(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return v // not a number: Load will refuse it
	}
	return rounded
}
