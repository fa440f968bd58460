// Package table turns runs into tidy tables, which other programs read: a row for each phase, disk,
// file, second or finding, and a column for each thing that is known of it. The columns are the
// fields of the row types in rows.go, with their names, units and meaning; they are only ever added
// to. Start at NewWriter.
package table

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
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
		{"phase", "a phase of a run, all of its disks together", reflect.TypeFor[PhaseRow](),
			(*source).phaseRows},
		{"disk", "a disk in a phase", reflect.TypeFor[DiskRow](), (*source).diskRows},
		{"file", "a file that was moved", reflect.TypeFor[FileRow](), (*source).fileRows},
		{"second", "a second of a disk's work in a phase", reflect.TypeFor[SecondRow](),
			(*source).secondRows},
		{"finding", "a finding of a run", reflect.TypeFor[FindingRow](), (*source).findingRows},
	}
}

// Column is one of a grain's.
type Column struct {
	Name, Unit, About string
	Type              string // string, integer, number, boolean, time, list or map
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
		kind := map[string]string{
			"int64": "integer", "float64": "number", "bool": "boolean", "time.Time": "time",
			"[]string": "list", "map[string]string": "map",
		}[strings.TrimPrefix(f.Type.String(), "*")]
		name, options, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		list = append(list, Column{
			Name: name, Unit: f.Tag.Get("unit"), About: f.Tag.Get("about"),
			Type: cmp.Or(kind, "string"), Null: strings.Contains(options, "optional"),
			Every: len(f.Index) > 1, index: f.Index,
		})
	}
	return list
}

// Formats are those of a table.
func Formats() []string { return []string{"csv", "jsonl", "parquet", "md"} }

// RunOf is what each row says of the run.
func RunOf(r *recorded.Run) RunColumns { return newSource(r).run }

// DisksOf are the rows of the run's disks.
func DisksOf(r *recorded.Run) []DiskRow { return newSource(r).disks() }

// Writer writes one table of runs. Close must be called at its end.
type Writer struct {
	Rows  int // so far
	grain Grain
	row   func(row any) error
	close func() error
}

// NewWriter begins a table in one of the formats.
func NewWriter(w io.Writer, grain Grain, format string) *Writer {
	t := &Writer{grain: grain}
	if format == "parquet" {
		rows := grain.Parquet(w)
		t.row = func(row any) error {
			_, err := rows.Write([]any{row})
			return err
		}
		t.close = rows.Close
		return t
	}
	out := bufio.NewWriter(w)
	t.close = out.Flush
	columns := grain.Columns()
	if format == "jsonl" {
		t.row = func(row any) error {
			line, before := "", "{"
			for _, c := range columns {
				value, err := json.Marshal(c.of(row))
				if err != nil {
					return err
				}
				line += before + strconv.Quote(c.Name) + ":" + string(value)
				before = ","
			}
			_, err := out.Write(append(trace.EscapeControls([]byte(line)), "}\n"...))
			return err
		}
		return t
	}
	write := csv.NewWriter(out).Write
	if format == "md" {
		write = func(line []string) error {
			for i, cell := range line {
				line[i] = cells.Markdown(cell)
			}
			_, err := fmt.Fprintf(out, "| %s |\n", strings.Join(line, " | "))
			return err
		}
	}
	var names, rule []string
	for _, c := range columns {
		names = append(names, c.Name)
		rule = append(rule, "---")
	}
	_ = write(names) // An error stays until the end.
	if format == "md" {
		_ = write(rule)
	}
	t.row = func(row any) error {
		line := make([]string, len(columns))
		for i, c := range columns {
			line[i] = cellOf(c.of(row))
		}
		return write(line)
	}
	return t
}

// VersionKey is what Parquet files call the version of their tables in their metadata.
const VersionKey = "hubbench_table_version"

// rowGroup is how many rows engines read at once at least: about as many as DuckDB's own have.
const rowGroup = 1 << 17

// Schema is that of the grain's Parquet files.
func (g Grain) Schema() *parquet.Schema {
	return parquet.NewSchema("hubbench_"+g.Name, parquet.SchemaOf(reflect.Zero(g.row).Interface()))
}

// Parquet begins a file of rows of this grain, as they are read from others.
func (g Grain) Parquet(w io.Writer) *parquet.GenericWriter[any] {
	return parquet.NewGenericWriter[any](w, g.Schema(), parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.KeyValueMetadata(VersionKey, strconv.Itoa(Version)))
}

// Add writes the rows of a run.
func (t *Writer) Add(run *recorded.Run) error {
	var failed error
	t.grain.rows(newSource(run), func(row any) {
		if failed == nil {
			failed = t.row(row)
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
	if err := t.close(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// of is the column's value in a row; nil if it is not known.
func (c *Column) of(row any) any {
	v := reflect.ValueOf(row).FieldByIndex(c.index)
	if c.Null && v.IsZero() {
		return nil
	}
	return reflect.Indirect(v).Interface()
}

// cellOf is a value as text; empty if it is not known.
func cellOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return cells.NoFormula(v)
	case []string:
		return cells.NoFormula(strings.Join(v, " "))
	case map[string]string:
		var list []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = append(list, key+"="+v[key])
		}
		return cells.NoFormula(strings.Join(list, "; "))
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}
