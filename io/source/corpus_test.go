package source_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// corpus returns Parquet files of many writers, from the library's own tests.
func corpus(t *testing.T) []string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/parquet-go/parquet-go").Output()
	if err != nil {
		t.Skip("the library's files are not at hand")
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "testdata", "*.parquet"))
	if err != nil || len(paths) == 0 {
		t.Skip("the library's files are not at hand")
	}
	return paths
}

// Files of other writers have the rows that the library's own row reader finds.
func TestCorpus(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	checked, out := 0, int64(0)
	for _, path := range corpus(t) {
		name := filepath.Base(path)
		d, err := openIn("", textfile.CSV{}, path)
		if name == "repeated_no_annotation.parquet" { // the row counts in its footer contradict each other
			if verdict(t, name, err) != fault.CodeRowCount {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, f := range d.Schema().Fields {
			if f.Type.Kind == table.Invalid {
				continue
			}
			got, err := readAll(d, f.Name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			out += findsAgain(t, name+": "+f.Name, d, f, got)
			if name == badForLibrary {
				larger(t, got)
				continue
			}
			want, err := libraryRows(path, f)
			if err != nil {
				t.Logf("%s: %s: the library: %v", name, f.Name, err)
				continue
			}
			if !equal(got, want) {
				t.Errorf("%s: %s differs", name, f.Name)
			}
			checked++
		}
	}
	t.Logf("%d columns, %d rows left out", checked, out)
	if checked < 200 {
		t.Errorf("only %d columns were compared", checked)
	}
}

// findsAgain filters for some of a column's values, by the statistics in the file. It returns the number of rows in the
// row groups that were skipped.
func findsAgain(t *testing.T, what string, d *source.Dataset, f table.Field, rows [][]any) (out int64) {
	t.Helper()
	for i := range 3 {
		if len(rows) == 0 || f.Type.Kind == table.List {
			return 0
		}
		value := rows[i*(len(rows)-1)/2][0]
		x, integer := value.(int64)
		if !integer {
			continue
		}
		some, n, err := filtered(d, []string{f.Name}, fromTo(f.Name, x, x))
		if err != nil || len(some)+int(n) != len(rows) {
			t.Errorf("%s: %d of %d rows, %d left out, %v", what, len(some), len(rows), n, err)
			continue
		}
		other := func(row []any) bool { return row[0] != value }
		if got, want := slices.DeleteFunc(some, other), slices.DeleteFunc(slices.Clone(rows), other); len(got) != len(want) {
			t.Errorf("%s: %d rows of %d", what, len(got), len(want))
		}
		out += n
	}
	return out
}

// badForLibrary is a file that the library reads wrongly: its LZ4 decompresses the only page into a buffer that the
// library then does not use. It decodes another page's bytes, with or without an error.
const badForLibrary = "lz4_raw_compressed_larger.parquet"

// larger compares the rows of that file with those in the tests of other readers.
func larger(t *testing.T, got [][]any) {
	t.Helper()
	if len(got) != 10_000 {
		t.Fatalf("%s: %d rows", badForLibrary, len(got))
	}
	for row, want := range map[int]string{
		0:    "c7ce6bef-d5b0-4863-b199-8ea8c7fb117b",
		1:    "e8fb9197-cb9f-4118-b67f-fbfa65f61843",
		9998: "ab52a0cc-c6bb-4d61-8a8f-166dc4b8b13c",
		9999: "85440778-460a-41ac-aa2e-ac3ee41696bf",
	} {
		if got[row][0] != want {
			t.Errorf("%s: row %d is %v", badForLibrary, row, got[row][0])
		}
	}
}

// libraryRows reads one column with the library.
func libraryRows(path string, f table.Field) ([][]any, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	leaf, null := libraryLeaf(file.Root(), f.Name)
	pages := leaf.Pages()
	defer pages.Close()
	var out [][]any
	lists := listOracle{column: leaf, null: null}
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			if f.Type.Kind == table.List {
				return lists.rows(), nil
			}
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		values := make([]parquet.Value, p.NumValues())
		if _, err := p.Values().ReadValues(values); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		for _, v := range values {
			lists.add(v)
			out = append(out, []any{libraryValue(f.Type, v, leaf)})
		}
	}
}

// libraryLeaf finds the leaf of a column by its name, in which groups of lists and maps are omitted. null is the number
// of optional levels around a list.
func libraryLeaf(root *parquet.Column, name string) (leaf *parquet.Column, null int) {
	at, rest := root, []string{name}
	if root.Column(name) == nil {
		rest = strings.Split(name, ".")
	}
	for repeated := false; !at.Leaf(); {
		next := at.Columns()[0]
		if len(rest) > 0 {
			if named := at.Column(rest[0]); named != nil {
				next, rest = named, rest[1:]
				// the fields of some maps have other names
			} else if key := rest[0] == "value" && len(at.Columns()) == 2; key {
				next, rest = at.Columns()[1], rest[1:]
			}
		}
		at = next
		repeated = repeated || at.Repeated()
		if !repeated && at.Optional() {
			null++
		}
	}
	return at, null
}

// listOracle joins the library's values to lists.
type listOracle struct {
	column *parquet.Column
	null   int         // the definition level of an empty list
	lists  [][]float64 // nil if the list is null
}

func (l *listOracle) add(v parquet.Value) {
	if v.RepetitionLevel() == 0 {
		l.lists = append(l.lists, []float64{})
	}
	last := len(l.lists) - 1
	switch {
	case last < 0 || v.DefinitionLevel() == l.null:
	case v.DefinitionLevel() < l.null:
		l.lists[last] = nil
	default:
		l.lists[last] = append(l.lists[last], numberOf(v, l.column))
	}
}

func (l *listOracle) rows() [][]any {
	out := make([][]any, len(l.lists))
	for i, list := range l.lists {
		out[i] = []any{nil}
		if list != nil {
			out[i][0] = tabletest.List(list...)
		}
	}
	return out
}

// numberOf returns a value of the library as a float.
func numberOf(v parquet.Value, column *parquet.Column) float64 {
	if v.IsNull() {
		return math.NaN()
	}
	if l := column.Type().LogicalType(); l != nil {
		if d, ok := l.Value.(*format.DecimalType); ok {
			f, _ := scaled(unscaled(v), d.Scale).Float64()
			return f
		}
	}
	switch v.Kind() {
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	case parquet.Int32:
		return float64(v.Int32())
	}
	return float64(v.Int64())
}

// unscaled returns the integer of a decimal.
func unscaled(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	i := new(big.Int).SetBytes(v.ByteArray())
	if b := v.ByteArray(); len(b) > 0 && b[0] > 127 {
		i.Sub(i, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return i
}

func libraryValue(t table.Type, v parquet.Value, column *parquet.Column) any {
	switch {
	case v.IsNull():
		return nil
	case t.Kind == table.Float:
		return tabletest.Float(numberOf(v, column))
	case t.Kind == table.String:
		return string(v.ByteArray())
	}
	switch v.Kind() {
	case parquet.Boolean:
		return map[bool]int64{true: 1}[v.Boolean()]
	case parquet.Int32:
		return int64(v.Int32())
	case parquet.Int96:
		i := v.Int96()
		return (int64(int32(i[2]))-2440588)*86_400_000_000 + (int64(i[1])<<32|int64(i[0]))/1000
	}
	return v.Int64()
}
