package local_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	xparquet "github.com/xitongsys/parquet-go/parquet"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/sourcetest"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

// # The same table in every format
//
// The table has units over their bounds, nulls, texts, numbers and times.
const formatsJob = `
version: 1
name: formats
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 4}}
input:
  files: [%s]
  csv: {types: {person: int, income: float, day: date, at: "timestamp 2006-01-02T15:04:05.999999Z07:00"}}
  where: [{column: at, from: "2013-01-02T00:00:00", for: 6d}]
queries:
  - name: colours
    histogram: {by: [{column: colour, values: [red, blue], other: bin, null: bin}]}
  - name: days
    histogram:
      by: [{column: day, part: day_of_week}, {column: at, part: hour_of_day}]
    per_unit: {max_groups: 3, max_rows_per_group: 1}
  - name: incomes
    histogram: {by: [{column: income, edges: [0, 10.5, 20.25, 100]}]}
  - name: sums
    sum: {column: income, clamp: [0, 50], by: [{column: colour, values: [red, blue]}]}
  - name: average
    mean: {column: income, clamp: [0, 50]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: formats, budget: {epsilon: 9, delta: 1e-4}}
`

// person is a row, with the tags of two libraries.
type person struct {
	Person int64    `parquet:"person" arrow:"person"`
	Colour *string  `parquet:"colour,optional,dict"`
	Income *float64 `parquet:"income,optional"`
	Day    int32    `parquet:"day,date"`
	At     int64    `parquet:"at,timestamp(microsecond:utc)"`
}

// xitongPerson is the same row with the tags of a third library.
type xitongPerson struct {
	Person int64    `parquet:"name=person, type=INT64"`
	Colour *string  `parquet:"name=colour, type=BYTE_ARRAY, convertedtype=UTF8, encoding=PLAIN_DICTIONARY"`
	Income *float64 `parquet:"name=income, type=DOUBLE"`
	Day    int32    `parquet:"name=day, type=INT32, convertedtype=DATE"`
	At     int64    `parquet:"name=at, type=INT64, logicaltype=TIMESTAMP, logicaltype.isadjustedtoutc=true, logicaltype.unit=MICROS"`
}

func people(n int) []person {
	rng := rand.New(rand.NewPCG(3, 5))
	start := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC)
	out := make([]person, n)
	for i := range out {
		p := person{Person: int64(200 * rng.Float64() * rng.Float64()), Day: int32(15706 + rng.IntN(10))}
		p.At = start.Add(time.Duration(rng.Int64N(9*24*3600*1e6)) * time.Microsecond).UnixMicro()
		if c := []string{"red", "blue", "green, dark"}; rng.IntN(5) > 0 {
			p.Colour = &c[rng.IntN(3)]
		}
		if x := rng.Float64() * 80; rng.IntN(6) > 0 {
			p.Income = &x
		}
		out[i] = p
	}
	return out
}

// formats returns the table in every format, by file name.
func formats(t *testing.T, rows []person) map[string][]byte {
	t.Helper()
	text, r := csvOf(t, rows), recordOf(rows)
	var pieces []arrow.Record
	for at := int64(0); at < r.NumRows(); at += 700 {
		pieces = append(pieces, r.NewSlice(at, min(at+700, r.NumRows())))
	}
	var xitong []any
	for _, p := range rows {
		xitong = append(xitong, xitongPerson(p))
	}
	return map[string][]byte{
		"text.csv": text, "text.csv.gz": sourcetest.Must(t)(sourcetest.Pack(".gz", text)),
		"text.csv.zst": sourcetest.Must(t)(sourcetest.Pack(".zst", text)),
		"a.parquet":    parquetGo(t, rows), "b.parquet": sourcetest.Must(t)(sourcetest.MarshalArrowParquet(r, arrowparquet.WithMaxRowGroupLength(900))),
		"c.parquet": sourcetest.Must(t)(sourcetest.MarshalXitongsys(new(xitongPerson), xitong, xparquet.CompressionCodec_SNAPPY)),
		"a.arrow":   ipcOf(t, pieces, true), "stream.arrow": ipcOf(t, pieces, false), "a.feather": ipcOf(t, []arrow.Record{r},
			true, ipc.WithLZ4()),
		"b.feather": ipcOf(t, pieces, true, ipc.WithZstd()), "zstd.arrow": ipcOf(t, []arrow.Record{r}, false, ipc.WithZstd()),
	}
}

func csvOf(t *testing.T, rows []person) []byte {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	all := [][]string{{"person", "colour", "income", "day", "at"}}
	for _, p := range rows {
		day, at := time.Unix(int64(p.Day)*86400, 0).UTC(), time.UnixMicro(p.At).UTC()
		fields := []string{strconv.FormatInt(p.Person, 10), "", "", day.Format(time.DateOnly), at.Format(time.RFC3339Nano)}
		if p.Colour != nil {
			fields[1] = *p.Colour
		}
		if p.Income != nil {
			fields[2] = strconv.FormatFloat(*p.Income, 'g', -1, 64)
		}
		all = append(all, fields)
	}
	if err := w.WriteAll(all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func parquetGo(t *testing.T, rows []person) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[person](&b, parquet.MaxRowsPerRowGroup(900), parquet.Compression(&parquet.Zstd))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func recordOf(rows []person) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "person", Type: arrow.PrimitiveTypes.Int64}, {Name: "colour", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "income", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "day",
			Type: arrow.FixedWidthTypes.Date32},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
	}, nil))
	for _, p := range rows {
		b.Field(0).(*array.Int64Builder).Append(p.Person)
		b.Field(3).(*array.Date32Builder).Append(arrow.Date32(p.Day))
		b.Field(4).(*array.TimestampBuilder).Append(arrow.Timestamp(p.At))
		if p.Colour != nil {
			b.Field(1).(*array.StringBuilder).Append(*p.Colour)
		} else {
			b.Field(1).AppendNull()
		}
		if p.Income != nil {
			b.Field(2).(*array.Float64Builder).Append(*p.Income)
		} else {
			b.Field(2).AppendNull()
		}
	}
	return b.NewRecord()
}

// ipcOf writes an Arrow file or stream.
func ipcOf(t *testing.T, records []arrow.Record, file bool, options ...ipc.Option) []byte {
	t.Helper()
	marshal := sourcetest.MarshalArrowStream
	if file {
		marshal = sourcetest.MarshalArrowFile
	}
	return sourcetest.Must(t)(marshal(records, append(options, ipc.WithSchema(records[0].Schema()))...))
}

// exactly returns the exact cells of every component of every query, computed by two workers.
func exactly(t *testing.T, path string) [][]string {
	t.Helper()
	return exactlyBy(t, path, 2)
}

func exactlyBy(t *testing.T, path string, workers int) [][]string {
	t.Helper()
	cells, _ := exactlyOf(t, path, formatsJob, workers)
	return cells
}

// exactlyOf answers a job. The arguments say how the file is read.
func exactlyOf(t *testing.T, path, job string, workers int) (out [][]string, scan *local.ScanPlan) {
	t.Helper()
	p := enginetest.Plan(t, filepath.Join(filepath.Dir(path), "job.yaml"), fmt.Appendf(nil, job, filepath.Base(path)))
	j, in := p.Job(), p.Job().Input
	data, err := source.Open(t.Context(), source.Options{Dir: j.Dir(), Files: in.Files,
		CSV: textfile.CSV{Header: true, Types: in.CSV.Types, NullValues: []string{""}}})
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(data, workers)
	defer e.Close()
	if scan, err = e.Explain(p); err != nil {
		t.Fatal(err)
	}
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	for _, components := range a.Exacts {
		for _, x := range components {
			unit, cells := mechanismtest.OpenWide(t, x)
			texts := []string{strconv.FormatFloat(unit, 'g', -1, 64)}
			for _, c := range cells {
				texts = append(texts, c.String())
			}
			out = append(out, texts)
		}
	}
	return out, scan
}

// The table has the same exact answers in every format: the same rows of oversized units are kept.
func TestFormatsAgree(t *testing.T) {
	var want [][]string
	dir := t.TempDir()
	all := formats(t, people(3000))
	for _, name := range append([]string{"text.csv"}, slices.Sorted(maps.Keys(all))...) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, all[name], 0o600); err != nil {
			t.Fatal(err)
		}
		got := exactly(t, path)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from text.csv: %s", name, diff)
		}
	}
	for i, cells := range want {
		if !slices.ContainsFunc(cells[1:], func(c string) bool { return c != "0" }) {
			t.Errorf("component %d has nothing in it: %v", i, cells)
		}
	}
}

// It has the same exact answers for any number of workers.
func TestWorkersAgree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(path, parquetGo(t, people(9000)), 0o600); err != nil {
		t.Fatal(err)
	}
	want := exactlyBy(t, path, 1)
	for _, workers := range []int{2, 3, 5, 8, 16} {
		if diff := cmp.Diff(want, exactlyBy(t, path, workers)); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
	}
}
