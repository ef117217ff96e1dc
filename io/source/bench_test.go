package source_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

type benchRow struct {
	Unit  int64   `parquet:"unit"`
	Cat   *string `parquet:"cat,dict,optional"`
	Value float64 `parquet:"value"`
}

// BenchmarkRowGroupFilter reads a fiftieth of a million rows that are sorted by time, in row groups of 20,000. "all"
// reads every row group, as input.statistics: ignore does; "filtered" reads the row groups that hold such rows.
func BenchmarkRowGroupFilter(b *testing.B) {
	type row struct {
		At    int64     `parquet:"at,delta"`
		Unit  int64     `parquet:"unit"`
		Cat   string    `parquet:"cat,dict"`
		Value float64   `parquet:"value"`
		List  []float64 `parquet:"list,list"`
	}
	rng := rand.New(rand.NewSource(1))
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(20_000))
	rows := make([]row, 10_000)
	for part := range 100 {
		for i := range rows {
			rows[i] = row{int64(part*10_000 + i), rng.Int63n(500_000), fmt.Sprintf("category %d", rng.Intn(5000)),
				rng.NormFloat64(), []float64{1, rng.Float64()}}
		}
		if _, err := w.Write(rows); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	d := open(b, textfile.CSV{}, write(b, "a.parquet", out.Bytes()))
	for _, columns := range []string{"at,cat", "at,unit,cat,value", "at,list"} {
		for name, condition := range map[string]filter{
			"all": {"at", func(table.Bounds) bool { return false }}, "filtered": fromTo("at", 500_000, 519_999),
		} {
			b.Run(columns+"/"+name, func(b *testing.B) {
				s, kept := rowGroups(d, condition), 0
				for b.Loop() {
					for split := range d.Splits() {
						_, err := s.Read(b.Context(), split, strings.Split(columns, ","),
							func(x *table.Batch) error { kept += x.Rows; return nil })
						if err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(kept)/float64(b.N), "rows/op")
			})
		}
	}
}

// benchFile writes a million rows in one row group, snappy: a unit, one of 5,000 categories by a power law, and a
// value.
func benchFile(b *testing.B) string {
	b.Helper()
	rng := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(rng, 1.05, 1, 4999)
	names := make([]string, 5000)
	for i := range names {
		names[i] = fmt.Sprintf("category %d", i)
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[benchRow](&out, parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1))
	rows := make([]benchRow, 10_000)
	for range 100 {
		for i := range rows {
			rows[i] = benchRow{rng.Int63n(500_000), &names[zipf.Uint64()], rng.NormFloat64()}
		}
		if _, err := w.Write(rows); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return write(b, "a.parquet", out.Bytes())
}

func BenchmarkParquet(b *testing.B) {
	path := benchFile(b)
	for _, columns := range []string{"cat", "cat,value", "unit,cat,value", ""} {
		b.Run(columns, func(b *testing.B) {
			d := open(b, textfile.CSV{}, path)
			counts := make([]int64, 5000)
			for b.Loop() {
				batches(b, d, strings.FieldsFunc(columns, func(r rune) bool { return r == ',' }), func(x batch) {
					for _, c := range x.Columns {
						for _, code := range c.Codes {
							counts[code]++
						}
					}
				})
			}
		})
	}
	b.Run("digest", func(b *testing.B) {
		d := open(b, textfile.CSV{}, path)
		for b.Loop() {
			if _, err := d.Digest(context.Background(), 0, []string{"cat", "value"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCSV(b *testing.B) {
	var out strings.Builder
	out.WriteString("unit,cat,value\n")
	rng := rand.New(rand.NewSource(1))
	for range 300_000 {
		fmt.Fprintf(&out, "%d,category %d,%.4f\n", rng.Int63n(500_000), rng.Intn(5000), rng.NormFloat64())
	}
	types := textfile.CSV{Header: true, Types: map[string]string{"unit": "int", "value": "float"}}
	d := open(b, types, write(b, "a.csv", []byte(out.String())))
	b.SetBytes(int64(out.Len()))
	for b.Loop() {
		batches(b, d, []string{"unit", "cat", "value"}, func(*table.Batch) {})
	}
}

// BenchmarkArrow reads a million rows of dictionary codes, integers, floats and strings.
func BenchmarkArrow(b *testing.B) {
	r := everyKind(100_000, []kindOf{
		{name: "cat", typ: coded(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)}, {name: "unit",
			typ: arrow.PrimitiveTypes.Int64},
		{name: "value", typ: arrow.PrimitiveTypes.Float64}, {name: "note", typ: arrow.BinaryTypes.String},
	})
	for name, options := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}} {
		d := open(b, textfile.CSV{}, write(b, "a.arrow", ipcFile(b, slices.Repeat([]arrow.Record{r}, 10), options...)))
		for _, columns := range []string{"cat", "cat,value", "cat,unit,value,note"} {
			b.Run(name+"/"+columns, func(b *testing.B) {
				for b.Loop() {
					batches(b, d, strings.Split(columns, ","), func(*table.Batch) {})
				}
			})
		}
	}
}
