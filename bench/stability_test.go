package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/sourcetest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// duckWriter writes tables with DuckDB, as Parquet or CSV.
type duckWriter struct {
	conn            *sql.Conn
	extension, path string
}

func newDuckWriters(t *testing.T) []stabilitytest.Writer {
	t.Helper()
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false&threads=1")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = conn.Close(), db.Close() })
	file := filepath.Join(t.TempDir(), "t")
	writer := func(extension string, without ...stabilitytest.Kind) stabilitytest.Writer {
		return stabilitytest.Writer{Name: "DuckDB " + extension, Extension: extension, Without: without,
			Encode: duckWriter{conn, extension, file + extension}.encode}
	}
	p := writer(".parquet")
	// DuckDB writes times in CSV in its own layout
	return []stabilitytest.Writer{p, p, p, writer(".csv", stabilitytest.Uint64, stabilitytest.List, stabilitytest.Instant,
		stabilitytest.Clock)}
}

// duckTypes are the SQL types of the kinds.
var duckTypes = map[stabilitytest.Kind]string{
	stabilitytest.Int64: "BIGINT", stabilitytest.Int32: "INTEGER", stabilitytest.Uint64: "UBIGINT", stabilitytest.Float64: "DOUBLE",
	stabilitytest.Float32: "FLOAT", stabilitytest.Text: "VARCHAR", stabilitytest.Bool: "BOOLEAN", stabilitytest.Date: "DATE",
	stabilitytest.Instant: "TIMESTAMPTZ", stabilitytest.Clock: "TIMESTAMP", stabilitytest.Cents: "DECIMAL(9,2)", stabilitytest.Whole: "DECIMAL(12,0)",
	stabilitytest.List: "DOUBLE[]",
}

// encode makes a table, copies it to a file, and returns the file's content.
func (w duckWriter) encode(columns []stabilitytest.Column, rows []stabilitytest.Row, options string, r *rand.Rand) ([]byte, error) {
	var names []string
	for _, c := range columns {
		null := ""
		if !c.Optional && c.Kind != stabilitytest.Date { // a date that SQL does not have is a null
			null = " NOT NULL"
		}
		names = append(names, fmt.Sprintf("%q %s%s", c.Name, duckTypes[c.Kind], null))
	}
	if err := w.exec("CREATE OR REPLACE TABLE t (" + strings.Join(names, ", ") + ")"); err != nil {
		return nil, err
	}
	for _, row := range rows {
		values, args := make([]string, len(row)), []any(nil)
		for i, v := range row {
			var more []any
			values[i], more = duckCell(columns[i].Kind, v)
			args = append(args, more...)
		}
		if err := w.exec("INSERT INTO t VALUES ("+strings.Join(values, ", ")+")", args...); err != nil {
			return nil, err
		}
	}
	copied := "FORMAT csv, HEADER, NULLSTR '<null>'"
	switch {
	case w.extension == ".parquet":
		copied = "FORMAT parquet, COMPRESSION " + []string{"snappy", "uncompressed", "zstd"}[r.IntN(3)] +
			", PARQUET_VERSION " + []string{"V1", "V2"}[r.IntN(2)] +
			fmt.Sprintf(", STRING_DICTIONARY_PAGE_SIZE_LIMIT %d, DICTIONARY_SIZE_LIMIT %d", []int{16, 1 << 20}[r.IntN(2)],
				[]int{1, 1000}[r.IntN(2)])
	case strings.Contains(options, "quote: none"):
		return nil, errors.New("DuckDB always has a quote character")
	case strings.Contains(options, `quote: "'"`):
		copied += ", QUOTE '''', ESCAPE ''''"
	}
	_ = os.Remove(w.path)
	if err := w.exec("COPY t TO '" + w.path + "' (" + copied + ")"); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(w.path)
	if err == nil && w.extension == ".csv" && strings.Contains(options, "encoding: utf-16") { // which DuckDB does not write
		content = sourcetest.UTF16(string(content), strings.Contains(options, "utf-16be"))
	}
	return content, err
}

func (w duckWriter) exec(text string, args ...any) error {
	_, err := w.conn.ExecContext(context.Background(), text, args...)
	if err != nil {
		return fmt.Errorf("DuckDB: %w", err)
	}
	return nil
}

// duckCell returns a cell as an SQL expression with its parameters.
func duckCell(k stabilitytest.Kind, v any) (string, []any) {
	switch v := v.(type) {
	case string:
		return "?", []any{strings.ToValidUTF8(v, "?")}
	case []float64:
		args := make([]any, len(v))
		for i, x := range v {
			args[i] = x
		}
		return "[" + strings.TrimSuffix(strings.Repeat("?::DOUBLE, ", len(v)), ", ") + "]::DOUBLE[]", args
	case int64:
		switch k {
		case stabilitytest.Date:
			at := time.Unix(v*86400, 0).UTC()
			if at.Year() < 1 || at.Year() > 9999 {
				return "NULL", nil
			}
			return "?::DATE", []any{at.Format(time.DateOnly)}
		case stabilitytest.Instant:
			return "to_timestamp(0) + to_microseconds(?::BIGINT)", []any{v}
		case stabilitytest.Clock:
			return "make_timestamp(?::BIGINT)", []any{v}
		case stabilitytest.Cents:
			return "?::DECIMAL(9,2)", []any{fmt.Sprintf("%de-2", v)}
		}
	case nil:
		return "NULL", nil
	}
	return "?", []any{v}
}

// The answers about neighbouring tables that DuckDB writes are within their sensitivities.
func TestStability(t *testing.T) {
	lab := &stabilitytest.Lab{TB: t, Dir: stabilitytest.Folder(t),
		Open: func(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
			return local.NewWithin(data, local.Limits{Workers: l.Workers, Memory: 1 << 30, Scratch: scratch})
		}}
	pairs, layouts := 150, 2
	if os.Getenv("DPRELEASE_LONG") != "" {
		pairs, layouts = 20_000, 50
	}
	writers := newDuckWriters(t)
	for _, k := range stabilitytest.Corpus() {
		for _, c := range k.Cases(writers, layouts) {
			f, skipped := c.Measure(lab)
			if f != nil {
				t.Fatal(f)
			}
			if skipped {
				continue
			}
			if got := c.Counts(lab); got != k.Counts {
				t.Errorf("%s: the counts are %d, want %d", c.Note, got, k.Counts)
			}
		}
	}
	s := stabilitytest.Search{Seed: stabilitytest.Seed(t), Pairs: pairs, PairsPerJob: 5, Writers: writers,
		Labs: []*stabilitytest.Lab{lab}}
	r := s.Run()
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	if 2*r.Skipped > r.Pairs {
		t.Errorf("of %d pairs %d were not written", r.Pairs, r.Skipped)
	}
}
