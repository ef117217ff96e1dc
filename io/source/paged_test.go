package source_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// paged is a row of a table with columns of every kind that has statistics, and one of lists.
type paged struct {
	ID   int64     `parquet:"id"`
	X    *float64  `parquet:"x,optional"`
	Y    float32   `parquet:"y,dict"`
	Cat  *string   `parquet:"cat,optional,dict"`
	Text string    `parquet:"text"`
	Day  int32     `parquet:"day,date"`
	List []float64 `parquet:"list,list"`
}

var pagedColumns = []string{"id", "x", "y", "cat", "text", "day", "list"}

// pagedRows makes n rows, approximately ordered, with nulls, runs of nulls, and NaN.
func pagedRows(rng *rand.Rand, n int) []paged {
	out := make([]paged, n)
	noise := 1 + rng.Intn(20)
	for i := range out {
		at := func() int { return (i + rng.Intn(noise)) / 8 }
		r := paged{ID: int64(i), Y: float32(at()), Text: fmt.Sprintf("a text of some length %04d", at()),
			Day: int32(at() - 5)}
		if x := float64(at()) / 2; i/40%4 != 1 && rng.Intn(5) > 0 {
			r.X = &x
			if rng.Intn(6) == 0 {
				x = math.NaN()
			}
		}
		if s := fmt.Sprintf("c%03d", at()); i/30%5 != 2 && rng.Intn(9) > 0 {
			r.Cat = &s
		}
		for range rng.Intn(4) {
			r.List = append(r.List, float64(i))
		}
		out[i] = r
	}
	return out
}

// condition is a filter, and its meaning for a row.
type condition struct {
	filter
	holds func(*paged) bool
}

// drawCondition draws a condition about some of n rows. Only conditions on integers and dates skip row groups.
func drawCondition(rng *rand.Rand, n int) condition {
	low, width := int64(rng.Intn(n/8)), int64(rng.Intn(12))
	high := low + width
	switch rng.Intn(4) {
	case 0:
		return condition{nothing("x"), func(*paged) bool { return true }}
	case 1:
		return condition{nothing("text"), func(*paged) bool { return true }}
	case 2:
		return condition{fromTo("day", low-5, high-5), func(r *paged) bool {
			return int64(r.Day) >= low-5 &&
				int64(r.Day) <= high-5
		}}
	}
	return condition{fromTo("id", 8*low, 8*high), func(r *paged) bool { return r.ID >= 8*low && r.ID <= 8*high }}
}

// pagedGo writes rows with parquet-go, in pages and row groups of random sizes.
func pagedGo(t testing.TB, rng *rand.Rand, rows []paged) []byte {
	t.Helper()
	var b bytes.Buffer
	codec := []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Zstd}[rng.Intn(3)]
	w := parquet.NewGenericWriter[paged](&b, parquet.Compression(codec),
		parquet.MaxRowsPerRowGroup(int64(50+rng.Intn(400))),
		parquet.DataPageVersion(1+rng.Intn(2)), parquet.PageBufferSize(32<<rng.Intn(6)),
		parquet.DataPageStatistics(rng.Intn(2) == 0),
		parquet.ColumnIndexSizeLimit(func([]string) int { return 1 + rng.Intn(40) }))
	for len(rows) > 0 {
		n := min(len(rows), 1+rng.Intn(9))
		if _, err := w.Write(rows[:n]); err != nil {
			t.Fatal(err)
		}
		rows = rows[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pagedArrow writes rows with Arrow's library.
func pagedArrow(t testing.TB, rng *rand.Rand, rows []paged) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "y", Type: arrow.PrimitiveTypes.Float32}, {Name: "cat", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String}, {Name: "day", Type: arrow.FixedWidthTypes.Date32},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64), Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, r := range rows {
		b.Field(0).(*array.Int64Builder).Append(r.ID)
		appendArrow(b.Field(1), r.X == nil, func() { b.Field(1).(*array.Float64Builder).Append(*r.X) })
		b.Field(2).(*array.Float32Builder).Append(r.Y)
		appendArrow(b.Field(3), r.Cat == nil, func() { b.Field(3).(*array.StringBuilder).Append(*r.Cat) })
		b.Field(4).(*array.StringBuilder).Append(r.Text)
		b.Field(5).(*array.Date32Builder).Append(arrow.Date32(r.Day))
		list := b.Field(6).(*array.ListBuilder)
		list.Append(true)
		list.ValueBuilder().(*array.Float64Builder).AppendValues(r.List, nil)
	}
	return sourcetest.Must(t)(sourcetest.MarshalArrowParquet(b.NewRecord(),
		arrowparquet.WithMaxRowGroupLength(int64(50+rng.Intn(400))), arrowparquet.WithDataPageSize(64<<rng.Intn(5)),
		arrowparquet.WithBatchSize(int64(3+rng.Intn(28))),
		arrowparquet.WithDataPageVersion(arrowparquet.DataPageVersion(rng.Intn(2))),
		arrowparquet.WithDictionaryDefault(rng.Intn(2) == 0)))
}
