package foreign

import (
	"fmt"
	"time"
)

// Flags are what the flags of hubbench import say of the files, each as it was given.
type Flags struct {
	Format   string            // Format is auto or one of Formats.
	Disks    map[string]string // Disks are files, jobs or devices, by names.
	Starts   map[string]string // Starts are times, by names.
	Columns  map[string]string // Columns are fields, by the names of columns.
	Interval time.Duration
}

// Options returns what they come to.
func (f *Flags) Options() (Options, error) {
	read := Options{
		Format: f.Format, Interval: f.Interval,
		Disks: map[string]string{}, Starts: map[string]time.Time{},
	}
	if read.Format == "auto" {
		read.Format = ""
	}
	for name, file := range f.Disks {
		read.Disks[file] = name
	}
	for column, field := range f.Columns {
		if read.Map == nil {
			read.Map = map[string]string{}
		}
		read.Map[field] = column
	}
	for name, text := range f.Starts {
		start, err := parseStart(text)
		if err != nil {
			return read, fmt.Errorf("--start %s=%s: give a time such as 2.5s, "+
				"or 2026-11-20T08:00:00Z", name, text)
		}
		read.Starts[name] = start
	}
	return read, nil
}

// parseStart reads a point in time, or how long after any one it is: only how starts lie to one
// another counts.
func parseStart(text string) (time.Time, error) {
	if start, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return start, nil
	}
	after, err := time.ParseDuration(text)
	return time.Unix(1, 0).Add(after), err
}
