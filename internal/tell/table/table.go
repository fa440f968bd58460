// Package table turns runs into tidy tables, which other programs read: a row for each phase, disk, file, second or
// finding, and a column for each thing that is known of it. The columns are the fields of the row types in rows.go,
// with their names, units and meaning; they are only ever added to. Start at NewWriter.
package table

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
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
	return []Grain{
		{"phase", "a phase of a run, all of its disks together", reflect.TypeFor[Phase](), (*source).phaseRows},
		{"disk", "a disk in a phase", reflect.TypeFor[Disk](), (*source).diskRows},
		{"file", "a file that was moved", reflect.TypeFor[File](), (*source).fileRows},
		{"second", "a second of a disk's work in a phase", reflect.TypeFor[Second](), (*source).secondRows},
		{"finding", "a finding of a run", reflect.TypeFor[Finding](), (*source).findingRows},
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
func Formats() []string { return []string{"csv", "jsonl", "parquet", "md"} }

// RunOf is what each row says of the run.
func RunOf(r *recorded.Run) Run { return newSource(r).run }

// DisksOf are the rows of the run's disks.
func DisksOf(r *recorded.Run) []Disk { return newSource(r).disks() }

// Writer writes one table of runs. Close must be called at its end.
type Writer struct {
	Rows  int // so far
	grain Grain
	out   rowWriter
}

// NewWriter begins a table in one of the formats.
func NewWriter(w io.Writer, grain Grain, format string) *Writer {
	t := &Writer{grain: grain}
	switch format {
	case "parquet":
		schema := parquet.NewSchema("hubbench_"+grain.Name, parquet.SchemaOf(reflect.Zero(grain.row).Interface()))
		t.out = parquetRows{parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Zstd),
			parquet.KeyValueMetadata("hubbench_table_version", strconv.Itoa(Version)))}
	case "jsonl":
		t.out = jsonRows{bufio.NewWriter(w)}
	case "md":
		t.out = newTextRows(markdown{bufio.NewWriter(w)}, grain.Columns())
	default:
		t.out = newTextRows(csv.NewWriter(w), grain.Columns())
	}
	return t
}

// Add writes the rows of a run.
func (t *Writer) Add(run *recorded.Run) error {
	var failed error
	t.grain.rows(newSource(run), func(row any) {
		if failed == nil {
			failed = t.out.row(row)
			t.Rows++
		}
	})
	if failed != nil {
		return fmt.Errorf("write table: %w", failed)
	}
	return nil
}

// Close ends the table.
func (t *Writer) Close() error {
	if err := t.out.close(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

type rowWriter interface {
	row(any) error
	close() error
}

type parquetRows struct{ out *parquet.GenericWriter[any] }

func (p parquetRows) row(row any) error { _, err := p.out.Write([]any{row}); return err }
func (p parquetRows) close() error      { return p.out.Close() }

type jsonRows struct{ w *bufio.Writer }

func (j jsonRows) row(row any) error {
	text, err := json.Marshal(row)
	if err == nil {
		_, err = j.w.Write(append(trace.EscapeControls(text), '\n'))
	}
	return err
}

func (j jsonRows) close() error { return j.w.Flush() }

// lineWriter writes lines of cells, as csv.Writer does: an error stays until it is asked for.
type lineWriter interface {
	Write(line []string) error
	Flush()
	Error() error
}

type markdown struct{ w *bufio.Writer }

func (m markdown) Write(line []string) error {
	for i, cell := range line {
		line[i] = cells.Markdown(cell)
	}
	_, err := fmt.Fprintf(m.w, "| %s |\n", strings.Join(line, " | "))
	return err
}

func (m markdown) Flush()       {}
func (m markdown) Error() error { return m.w.Flush() }

// textRows writes cells as text. What is not known is empty.
type textRows struct {
	out     lineWriter
	columns []Column
}

func newTextRows(out lineWriter, columns []Column) textRows {
	var names, rule []string
	for _, c := range columns {
		names, rule = append(names, c.Name), append(rule, "---")
	}
	_ = out.Write(names)
	if _, ok := out.(markdown); ok {
		_ = out.Write(rule)
	}
	return textRows{out, columns}
}

func (t textRows) row(row any) error {
	line := make([]string, len(t.columns))
	for i, c := range t.columns {
		line[i] = cellOf(reflect.ValueOf(row).FieldByIndex(c.index))
	}
	return t.out.Write(line)
}

func (t textRows) close() error {
	t.out.Flush()
	return t.out.Error()
}

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
	}
	at, isTime := reflect.TypeAssert[time.Time](v)
	switch {
	case !isTime:
		return fmt.Sprint(v)
	case at.IsZero():
		return ""
	default:
		return at.Format(time.RFC3339Nano)
	}
}
