package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// FuzzParquet checks that any bytes are read or refused with an error of ours.
func FuzzParquet(f *testing.F) {
	records := sample(20)
	f.Add(parquetGo(f, records, mixed))
	f.Add(arrowV17(f, records))
	f.Add(onePage(2, dictionaryPage(2, int64s(5, 6)), dataV1(2, format.RLEDictionary, codes(2, 1))).file(f))
	f.Add(listFile(1, 2, listPage(2, []uint64{1, 0, 1, 1}, []uint64{2, 1}, 1, 2)).file(f))
	f.Add(onePage(4, dataV1(4, format.Plain, int64s(5, 6, 2, 3))).with(stated(newer(int64s(2), int64s(6)))).file(f))
	for _, c := range hostile(f) {
		if b := c.file.file(f); len(b) < 1<<12 {
			f.Add(b)
		}
	}
	fuzzed(f, "a.parquet")
}

// fuzzed reads every column of arbitrary bytes in a file with the given name.
func fuzzed(f *testing.F, name string) {
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := openIn("", textfile.CSV{}, path)
		if err != nil {
			verdict(t, "open", err)
			return
		}
		for i, field := range d.Schema().Fields {
			if i == 8 {
				break
			}
			rows, err := readAll(d, field.Name)
			verdict(t, "read", err)
			some, out, filteredErr := filtered(d, []string{field.Name}, filter{field.Name, coarse})
			verdict(t, "filter", filteredErr)
			if n := len(some) + int(out); err == nil && filteredErr == nil && n != len(rows) {
				t.Errorf("%d of %d rows", n, len(rows))
			}
		}
	})
}

// coarse rules out about half of all bounds.
func coarse(b table.Bounds) bool {
	return b.Min%4 >= 2
}

// FuzzArrow checks that any bytes in Arrow's formats are read or refused with an error of ours.
func FuzzArrow(f *testing.F) {
	records := []arrow.Record{arrowRecord(sample(5))}
	f.Add(ipcFile(f, records))
	f.Add(ipcStream(f, records, ipc.WithLZ4()))
	f.Add(ipcFile(f, []arrow.Record{everyKind(6, kinds)}))
	f.Add(ipcStream(f, []arrow.Record{everyKind(6, kinds)}, ipc.WithZstd()))
	fuzzed(f, "a.arrow")
}
