package arrow

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	arrays "github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// narrowly lowers the limits of codable for one test, so that small dictionaries count as wide.
func narrowly(t *testing.T, values, bytes int) {
	t.Helper()
	before := codable
	codable.values, codable.bytes = values, bytes
	t.Cleanup(func() { codable = before })
}

// entries are arrays of ten values, one of them null.
func entries() map[string]arrow.Array {
	m := memory.DefaultAllocator
	text, number, float := arrays.NewLargeStringBuilder(m), arrays.NewInt64Builder(m), arrays.NewFloat64Builder(m)
	for i := range 10 {
		if i == 4 {
			text.AppendNull()
			number.AppendNull()
			float.AppendNull()
			continue
		}
		text.Append(fmt.Sprint("text ", i))
		number.Append(int64(i) << 40)
		float.Append(float64(i) / 4)
	}
	return map[string]arrow.Array{"texts": text.NewArray(), "integers": number.NewArray(), "floats": float.NewArray()}
}

// coded returns three record batches of one dictionary column with nulls. The codes are of type index. The dictionary
// grows: its values are the first 2, 5 and 10 of values.
func coded(values arrow.Array, index arrow.DataType) (out []arrow.Record) {
	typ := &arrow.DictionaryType{IndexType: index, ValueType: values.DataType()}
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ, Nullable: true}}, nil)
	for _, size := range []int{2, 5, 10} {
		b := arrays.NewBuilder(memory.DefaultAllocator, index)
		for i := range 3 * size {
			if i%7 == 3 {
				b.AppendNull()
				continue
			}
			if err := b.AppendValueFromString(fmt.Sprint(i % size)); err != nil {
				panic(err)
			}
		}
		codes := b.NewArray()
		column := arrays.NewDictionaryArray(typ, codes, arrays.NewSlice(values, 0, int64(size)))
		out = append(out, arrays.NewRecord(schema, []arrow.Array{column}, int64(codes.Len())))
	}
	return out
}

// rowsOf reads column x of a stream.
func rowsOf(t *testing.T, stream []byte) (rows [][]any, codes int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.arrow")
	if err := os.WriteFile(path, stream, 0o600); err != nil {
		t.Fatal(err)
	}
	mac, err := scan.NewBlockMAC(nil)
	if err != nil {
		t.Fatal(err)
	}
	f, fault := Open(context.Background(), scan.Place{Path: path, MAC: mac}, nil)
	if fault != nil {
		t.Fatal(fault)
	}
	_, err = f.Read(context.Background(), 0, []string{"x"}, 0, func(b *table.Batch) error {
		rows = append(rows, tabletest.Rows(b)...)
		codes += len(b.Columns[0].Codes)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, codes
}

// A wide dictionary, which 32-bit codes or offsets cannot address, gives the same rows as a narrow one.
func TestWideDictionaries(t *testing.T) {
	for name, values := range entries() {
		for _, index := range []arrow.DataType{
			arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint64,
		} {
			for _, deltas := range []bool{false, true} {
				var out bytes.Buffer
				records := coded(values, index)
				w := ipc.NewWriter(&out, ipc.WithSchema(records[0].Schema()), ipc.WithDictionaryDeltas(deltas))
				for _, r := range records {
					if err := w.Write(r); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				want, all := rowsOf(t, out.Bytes())
				for _, limit := range [][2]int{{1, 1 << 20}, {6, 1 << 20}, {100, 20}} {
					narrowly(t, limit[0], limit[1])
					got, codes := rowsOf(t, out.Bytes())
					if !slices.EqualFunc(want, got, slices.Equal[[]any]) {
						t.Errorf("%s, %v, %v: got %v, want %v", name, index, limit, got, want)
					}
					if wide := codes < all; !wide && (limit[0] < 10 || name == "texts") {
						t.Errorf("%s, %v, %v: no dictionary is wide", name, index, limit)
					}
				}
				narrowly(t, 1<<31-1, 1<<32-1)
			}
		}
	}
}
