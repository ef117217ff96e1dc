package source_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// Fastparquet, which pandas and Dask can write with, ends each page with eight zero bytes and gives empty lists of the
// footer no type. Its files have all rows, also of columns whose last values look like these bytes. If the bytes are
// not zero, the page is damaged. Fastparquet 2026.9.0 wrote the file in two row groups, from
//
//	pd.DataFrame({"person": [i//4 for i in range(20)], "zero": [0]*20, "city": ["", "b", "", ""]*5,
//	  "some": pd.array([None if i%3 else i for i in range(20)], dtype="Int64"), "none": pd.array([None]*20, dtype="Int64"),
//	  "flag": [i%7 == 0 for i in range(20)], "cat": pd.Categorical(["x", "y"]*10)})
func TestFastparquet(t *testing.T) {
	const name = "testdata/fastparquet.parquet"
	d, err := openIn("", textfile.CSV{}, name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readAll(d, "person", "zero", "city", "some", "none", "flag", "cat")
	if err != nil {
		t.Fatal(err)
	}
	var want [][]any
	for i := range 20 {
		some, flag := any(nil), int64(0)
		if i%3 == 0 {
			some = int64(i)
		}
		if i%7 == 0 {
			flag = 1
		}
		want = append(want, []any{int64(i / 4), int64(0), []string{"", "b", "", ""}[i%4], some, nil, flag,
			[]string{"x", "y"}[i%2]})
	}
	if !equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}

	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	pages := f.Metadata().RowGroups[0].Columns[0].MetaData
	b[pages.DataPageOffset+pages.TotalCompressedSize-1] = 1
	damaged := filepath.Join(t.TempDir(), "damaged.parquet")
	if err := os.WriteFile(damaged, b, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err = openIn("", textfile.CSV{}, damaged)
	if err == nil {
		_, err = readAll(d, "person")
	}
	if code := verdict(t, damaged, err); code != fault.CodeDamaged {
		t.Errorf("padding that is not zero: %v", err)
	}
}
