package stores_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/full/stores/storestest"
)

// BenchmarkFormat runs the job "means" as BenchmarkJob does, over layouts that are slower to read from a store than a
// Parquet file with long row groups: 5 million rows in 100 Parquet files of one row group, in a Parquet file of 100 row
// groups, and in an Arrow file of 50 record batches, and 2 million rows of CSV.
func BenchmarkFormat(b *testing.B) {
	s := storestest.Start(b)
	b.Setenv("AWS_ENDPOINT_URL", s.Direct)
	dir := b.TempDir()
	for _, f := range []struct {
		name, files, rest string
		write             func()
	}{
		{"files", "many-*.parquet", "", func() {
			for i := range 100 {
				writeRows(b, filepath.Join(dir, fmt.Sprintf("many-%02d.parquet", i)), 50_000, 1)
			}
		}},
		{"groups", "groups.parquet", "", func() { writeRows(b, filepath.Join(dir, "groups.parquet"), 5_000_000, 100) }},
		{"arrow", "rows.arrow", "", func() { writeArrow(b, filepath.Join(dir, "rows.arrow"), 50, 100_000) }},
		{"csv", "rows.csv", ", csv: {types: {unit: int, category: text, value: float}}",
			func() { writeCSV(b, filepath.Join(dir, "rows.csv"), 2_000_000) }},
	} {
		f.write()
		paths, err := filepath.Glob(filepath.Join(dir, f.files))
		if err != nil || len(paths) == 0 {
			b.Fatal("no files were written: ", err)
		}
		for _, path := range paths {
			upload(b, path)
		}
		b.Run(f.name, func(b *testing.B) {
			input := func(at string) string { return fmt.Sprintf("{files: [%q]%s}", at+f.files, f.rest) }
			compare(b, s, input(dir+"/"), input("s3://bucket/"), benchJobs[1].text)
		})
	}
}

// drawRow draws a row of a table of n rows.
func drawRow(rng *rand.Rand, n int) (unit int64, category string, value float64) {
	u := rng.Float64()
	return int64(u * u * float64(n/20)), fmt.Sprintf("category %04d",
		rng.Intn(1000)), math.Round(100*math.Exp(2+rng.NormFloat64())) / 100
}

// writeCSV writes a CSV file of n rows.
func writeCSV(b *testing.B, path string, n int) {
	b.Helper()
	rng := rand.New(rand.NewSource(1))
	text := []byte("unit,category,value\n")
	for range n {
		unit, category, value := drawRow(rng, n)
		text = fmt.Appendf(text, "%d,%s,%v\n", unit, category, value)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
}

// writeArrow writes an uncompressed Arrow file of n rows in the given number of record batches.
func writeArrow(b *testing.B, path string, batches, n int) {
	b.Helper()
	rng := rand.New(rand.NewSource(1))
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "unit", Type: arrow.PrimitiveTypes.Int64}, {Name: "category", Type: arrow.BinaryTypes.String}, {Name: "value",
			Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		b.Fatal(err)
	}
	columns := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for range batches {
		for range n {
			unit, category, value := drawRow(rng, batches*n)
			columns.Field(0).(*array.Int64Builder).Append(unit)
			columns.Field(1).(*array.StringBuilder).Append(category)
			columns.Field(2).(*array.Float64Builder).Append(value)
		}
		if err := w.Write(columns.NewRecord()); err != nil {
			b.Fatal(err)
		}
	}
	if err := cmp.Or(w.Close(), f.Close()); err != nil {
		b.Fatal(err)
	}
}
