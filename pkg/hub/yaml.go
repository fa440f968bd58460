package hub

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// YAML writes the profile as Load reads it, and as a comment the note of each parameter that has one, by its keys
// in the profile: capacity.read, A.write.weight, recovery.write_after_write[2].
func (p *Profile) YAML(notes map[string]string) []byte {
	w := &yamlWriter{notes: notes}
	w.line("version: 1\nname: %q\nabout: %q", p.Name, p.About)
	if p.Source != "" {
		w.line("source: %s", p.Source)
	}
	if !math.IsInf(p.Link, 1) {
		w.line("link: %s", rate(p.Link))
	}
	if !math.IsInf(p.Lane, 1) {
		w.line("lane: %s", rate(p.Lane))
	}
	w.value("noise", "", number(p.Noise))
	c := &p.Capacity
	w.line("\ncapacity:")
	w.value("capacity.read", "  ", rate(c.Read))
	w.value("capacity.write", "  ", rate(c.Write))
	if c.Both < (c.Read+c.Write)*(1-1e-5) { // else there is no joint limit, and rounding must not make it one too high
		w.value("capacity.both", "  ", rate(c.Both))
	}
	losses := []float64{c.Pair, c.TwoWriters, c.PerDisk, c.ReadLoss, c.WriteLoss}
	for i, key := range []string{"pair", "two_writers", "per_disk", "read_loss", "write_loss"} {
		if losses[i] > 0 {
			w.value("capacity."+key, "  ", number(losses[i]))
		}
	}
	switch {
	case c.Proportional:
		w.line("sharing: %s", proportional)
	case c.Pooled:
		w.line("sharing: %s", pooled)
	}
	w.line("weights:")
	w.value("weights.read", "  ", number(c.ReadWeight))
	w.value("weights.write", "  ", number(c.WriteWeight))
	w.lags(&p.Lags)
	w.line("\ndisks:")
	for i := range p.Disks {
		w.disk(&p.Disks[i])
	}
	w.evidence(p.Evidence.Pooled())
	return w.Bytes()
}

type yamlWriter struct {
	bytes.Buffer
	notes map[string]string
}

func (w *yamlWriter) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// value writes the last key of a parameter, its value and its note.
func (w *yamlWriter) value(parameter, indent, value string) {
	w.line("%s%s: %s%s", indent, parameter[strings.LastIndexByte(parameter, '.')+1:], value, w.note(parameter))
}

func (w *yamlWriter) note(parameter string) string {
	if note := w.notes[parameter]; note != "" {
		return "    # " + note
	}
	return ""
}

func (w *yamlWriter) lags(l *Lags) {
	head := "\nrecovery:\n"
	for _, list := range l.Lists() {
		if len(*list.Lags) == 0 {
			continue
		}
		w.line("%s  %s: [%s]", head, list.Key, seconds(*list.Lags...))
		head = ""
		for i := range *list.Lags {
			if note := w.note(fmt.Sprintf("recovery.%s[%d]", list.Key, i+1)); note != "" {
				w.line("  # %d staying:%s", i+1, note)
			}
		}
	}
}

func (w *yamlWriter) disk(d *Disk) {
	w.line("  - name: %q\n    about: %q", d.Name, d.About)
	if d.Lanes > 0 {
		w.line("    lanes: %d", d.Lanes)
	}
	for i, s := range []*Side{&d.Read, &d.Write} {
		key := []string{"read", "write"}[i]
		w.line("    %s:", key)
		w.value(d.Name+"."+key+".hub", "      ", rate(s.Hub))
		w.value(d.Name+"."+key+".direct", "      ", rate(s.Direct))
		w.value(d.Name+"."+key+".weight", "      ", number(s.Weight))
		if s.PerFile > 0 {
			w.line("      per_file: %s", seconds(s.PerFile))
		}
		if s.Knee.AboveBytes > 0 {
			w.line("      knee: {above: %d, factor: %s}", s.Knee.AboveBytes, number(s.Knee.Factor))
		}
	}
	if c := d.Cache; c != nil {
		w.line("    cache: {bytes: %d, after: %s, refill: %s}", c.Bytes, rate(c.After), rate(c.Refill))
	}
}

func (w *yamlWriter) evidence(e *Evidence) {
	if len(e.Rates) == 0 && len(e.Lags) == 0 {
		return
	}
	w.line("\n# What was observed: in each entry, the disks active together. " +
		"`error` is a standard error: of a rate relative\n# to it, of a lag in seconds.\nobserved:")
	if len(e.Rates) > 0 {
		w.line("  rates:")
	}
	for _, o := range e.Rates {
		w.line("    - phase: %q", o.Phase)
		if o.Direct {
			w.line("      direct: true")
		}
		w.line("      disks:")
		for _, d := range o.Disks {
			w.line("        - {disk: %q, op: %s, rate: %s, error: %s}", d.Disk, d.Op, rate(d.Rate), number(d.Error))
		}
	}
	if len(e.Lags) > 0 {
		w.line("  lags:")
	}
	for _, l := range e.Lags {
		w.line("    - {phase: %q, stays: %s, left: %s, staying: %d, seconds: %s, error: %s}",
			l.Phase, l.Stays, l.Left, l.Staying, number(l.Seconds), number(l.Error))
	}
	w.line("  noise: {squares: %s, freedom: %d}", number(e.Noise.Squares), e.Noise.Freedom)
}

// rate and number write values with six significant figures, which no measurement here exceeds.
func rate(bytesPerSecond float64) string { return number(bytesPerSecond/1e9) + " GB/s" }

func number(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		rounded = v // not a number: Load will refuse it
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func seconds(times ...time.Duration) string {
	list := make([]string, len(times))
	for i, t := range times {
		list[i] = strconv.FormatFloat(t.Seconds(), 'f', -1, 64) + " s"
	}
	return strings.Join(list, ", ")
}
