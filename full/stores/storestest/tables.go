package storestest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/parquet-go/parquet-go"
)

type row struct {
	Unit  int64   `parquet:"unit"`
	Cat   string  `parquet:"cat,dict"`
	Value float64 `parquet:"value"`
}

// Tables returns the files of one table of n rows, one file in each format, by name. The columns are unit (int), cat
// (text) and value (float).
func Tables(t testing.TB, n int) map[string][]byte {
	t.Helper()
	rng := rand.New(rand.NewSource(1))
	rows := make([]row, n)
	var text, lines bytes.Buffer
	text.WriteString("unit,cat,value\n")
	builder := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "unit", Type: arrow.PrimitiveTypes.Int64}, {Name: "cat", Type: arrow.BinaryTypes.String}, {Name: "value",
			Type: arrow.PrimitiveTypes.Float64},
	}, nil))
	for i := range rows {
		rows[i] = row{int64(i), fmt.Sprintf("cat %d", rng.Intn(20)), float64(rng.Intn(1000)) / 8}
		fmt.Fprintf(&text, "%d,%s,%v\n", rows[i].Unit, rows[i].Cat, rows[i].Value)
		fmt.Fprintf(&lines, "{\"unit\": %d, \"cat\": %q, \"value\": %v}\n", rows[i].Unit, rows[i].Cat, rows[i].Value)
		builder.Field(0).(*array.Int64Builder).Append(rows[i].Unit)
		builder.Field(1).(*array.StringBuilder).Append(rows[i].Cat)
		builder.Field(2).(*array.Float64Builder).Append(rows[i].Value)
	}
	var columns, packed bytes.Buffer
	w := parquet.NewGenericWriter[row](&columns, parquet.MaxRowsPerRowGroup(int64(n/10)),
		parquet.Compression(&parquet.Snappy))
	_, err1 := w.Write(rows)
	z := gzip.NewWriter(&packed)
	_, err2 := z.Write(text.Bytes())
	batch := builder.NewRecord()
	path := filepath.Join(t.TempDir(), "t.arrow")
	file, err3 := os.Create(path)
	f, err4 := ipc.NewFileWriter(file, ipc.WithSchema(batch.Schema()))
	if err := errors.Join(err1, w.Close(), err2, z.Close(), err3, err4, f.Write(batch), f.Close(),
		file.Close()); err != nil {
		t.Fatal(err)
	}
	records, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"t.parquet": columns.Bytes(), "t.csv": text.Bytes(), "t.csv.gz": packed.Bytes(),
		"t.arrow": records, "t.jsonl": lines.Bytes()}
}
