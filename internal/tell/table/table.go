// Package table turns runs into tidy tables, which other programs read: a row for each phase, disk, file, second,
// finding or report of a stream's frames, and a column for each thing that is known of it. The columns are the fields
// of the row types in rows.go, with their names, units and meaning; they are only ever added to. Start at Write.
package table

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Version is that of the tables: it grows when a column is added, which is then since this version.
const Version = 1

// Grain is what a row stands for.
type Grain struct {
	Name  string
	About string
	row   reflect.Type
	rows  func(*source, func(row any))
}

// Grains are all of them.
func Grains() []Grain {
	grain := func(name, about string, row any, rows func(*source, func(row any))) Grain {
		return Grain{name, about, reflect.TypeOf(row), rows}
	}
	return []Grain{
		grain("phase", "a phase of a run, all of its disks together", Phase{}, (*source).phases),
		grain("disk", "a disk in a phase", Disk{}, (*source).disks),
		grain("file", "a file that was moved", File{}, (*source).files),
		grain("second", "a second of a disk's work in a phase", Second{}, (*source).seconds),
		grain("finding", "a finding of a run", Finding{}, (*source).findings),
		grain("frame", "what a stream had come to when it reported, about every second", Frame{}, (*source).frames),
	}
}

// Column is one of a grain's.
type Column struct {
	Name, Unit, About string
	Type              string // string, integer, number, boolean or time
	Null              bool   // it may be
	Every             bool   // all grains have it
	index             []int
}

// Columns are the grain's, those that all grains have first.
func (g Grain) Columns() []Column {
	var list []Column
	for _, f := range reflect.VisibleFields(g.row) {
		if f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind, null := strings.CutPrefix(f.Type.String(), "*")
		kind = map[string]string{"int64": "integer", "float64": "number", "bool": "boolean", "time.Time": "time"}[kind]
		list = append(list, Column{
			name, f.Tag.Get("unit"), f.Tag.Get("about"), cmp.Or(kind, "string"), null, len(f.Index) > 1, f.Index,
		})
	}
	return list
}

// Formats are those of a table.
func Formats() []string { return []string{"csv", "tsv", "jsonl", "parquet", "md"} }

// writer takes a table's rows.
type writer interface {
	row(any) error
	close() error
}

// Write writes the grain's rows of all runs, which are loaded one after the other, and returns how many there are.
func Write(w io.Writer, grain Grain, format string, runs int, load func(i int) (*recorded.Run, error)) (rows int, err error) {
	out := newWriter(w, grain, format)
	for i := range runs {
		run, err := load(i)
		if err != nil {
			return rows, err
		}
		var failed error
		grain.rows(newSource(run), func(row any) {
			if rows++; failed == nil {
				failed = out.row(row)
			}
		})
		if failed != nil {
			return rows, fmt.Errorf("write table: %w", failed)
		}
	}
	if err := out.close(); err != nil {
		return rows, fmt.Errorf("write table: %w", err)
	}
	return rows, nil
}

// RunOf is what each row says of the run.
func RunOf(r *recorded.Run) Run { return newSource(r).run }

// DisksOf are the rows of the run's disks.
func DisksOf(r *recorded.Run) (rows []Disk) {
	newSource(r).disks(func(row any) {
		if disk, ok := row.(Disk); ok {
			rows = append(rows, disk)
		}
	})
	return rows
}

func newWriter(w io.Writer, grain Grain, format string) writer {
	columns := grain.Columns()
	switch format {
	case "parquet":
		schema := parquet.NewSchema("hubbench_"+grain.Name, parquet.SchemaOf(reflect.Zero(grain.row).Interface()))
		return &parquetRows{parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Zstd),
			parquet.KeyValueMetadata("hubbench_table_version", strconv.Itoa(Version)))}
	case "jsonl":
		return jsonRows{bufio.NewWriter(w)}
	default:
		t := &textRows{columns: columns}
		switch format {
		case "md":
			buffered := bufio.NewWriter(w)
			t.end = buffered.Flush
			t.line = func(line []string) error {
				for i, cell := range line {
					line[i] = cells.Markdown(cell)
				}
				_, err := fmt.Fprintf(buffered, "| %s |\n", strings.Join(line, " | "))
				return err
			}
		default:
			out := csv.NewWriter(w)
			if format == "tsv" {
				out.Comma = '\t'
			}
			t.line, t.end = out.Write, func() error { out.Flush(); return out.Error() }
		}
		t.first = t.head(format == "md")
		return t
	}
}

type parquetRows struct{ out *parquet.GenericWriter[any] }

func (p *parquetRows) row(row any) error { _, err := p.out.Write([]any{row}); return err }
func (p *parquetRows) close() error      { return p.out.Close() }

type jsonRows struct{ w *bufio.Writer }

func (j jsonRows) row(row any) error {
	text, err := json.Marshal(row)
	if err == nil {
		_, err = j.w.Write(append(trace.EscapeControls(text), '\n'))
	}
	return err
}

func (j jsonRows) close() error { return j.w.Flush() }

// textRows writes cells as text. What is not known is empty.
type textRows struct {
	columns []Column
	line    func([]string) error
	end     func() error
	first   error
}

func (t *textRows) head(rule bool) error {
	names, dashes := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i], dashes[i] = c.Name, "---"
	}
	if err := t.line(names); err != nil || !rule {
		return err
	}
	return t.line(dashes)
}

func (t *textRows) row(row any) error {
	v, line := reflect.ValueOf(row), make([]string, len(t.columns))
	for i, c := range t.columns {
		line[i] = cellOf(v.FieldByIndex(c.index))
	}
	return t.line(line)
}

func (t *textRows) close() error { return errors.Join(t.first, t.end()) }

func cellOf(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return cells.NoFormula(v.String())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	default:
		if at, ok := reflect.TypeAssert[time.Time](v); ok && !at.IsZero() {
			return at.Format(time.RFC3339Nano)
		}
		return ""
	}
}
