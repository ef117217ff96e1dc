package source_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// If a page's checksum does not match, the error names file, row group and column.
func TestChecksums(t *testing.T) {
	type row struct {
		A int64  `parquet:"a"`
		B string `parquet:"b,dict"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, parquet.MaxRowsPerRowGroup(100), parquet.Compression(&parquet.Uncompressed))
	for i := range 300 {
		if _, err := w.Write([]row{{int64(i), []string{"x", "y"}[i%2]}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for group, g := range f.Metadata().RowGroups {
		for at, c := range g.Columns {
			damaged := bytes.Clone(out.Bytes())
			damaged[c.MetaData.DataPageOffset+c.MetaData.TotalCompressedSize/2] ^= 4 // within the values
			if at == 1 {
				damaged[c.MetaData.DictionaryPageOffset+c.MetaData.TotalCompressedSize-1] ^= 4 // the last code
			}
			d := open(t, textfile.CSV{}, write(t, "a.parquet", damaged))
			var e *fault.Error
			for split := range d.Splits() {
				_, err := d.Read(context.Background(), split, []string{"a", "b"}, func(*table.Batch) error { return nil })
				if split != group && err != nil || split == group && !errors.As(err, &e) {
					t.Fatalf("row group %d, column %d: reading row group %d: %v", group, at, split, err)
				}
			}
			if e.Code != fault.CodeChecksum || e.File != "a.parquet" || e.RowGroup != group ||
				e.Column != string(rune('a'+at)) {
				t.Errorf("row group %d, column %d: %v", group, at, e)
			}
		}
	}
}
