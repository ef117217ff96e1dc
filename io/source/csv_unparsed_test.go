package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// unparsed counts the rows, nulls and unparsed texts of each column.
func unparsed(t *testing.T, d *source.Dataset, columns ...string) (counts [][3]int) {
	t.Helper()
	counts = make([][3]int, len(columns))
	for split := range d.Splits() {
		if _, err := d.Read(t.Context(), split, columns, func(b *table.Batch) error {
			for i := range b.Columns {
				c := &b.Columns[i]
				for row := range b.Rows {
					counts[i][0]++
					if c.IsNull(row) {
						counts[i][1]++
					}
					if c.Unparsed != nil && c.Unparsed[row] {
						counts[i][2]++
						if !c.IsNull(row) {
							t.Fatalf("row %d of column %d is unparsed and no null", row, i)
						}
					}
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return counts
}

// For every type, a text that is not valid for its column's type is counted apart from nulls. A blank field and one of
// NullValues are null.
func TestCSVUnparsed(t *testing.T) {
	for kind, c := range map[string]struct {
		fields string
		want   [3]int
	}{
		"int":                           {`1;x;;  ;N/A;"1";"y";9223372036854775808;2`, [3]int{10, 7, 3}},
		"float":                         {`1;1,5;;N/A;1.000,00;nan;1e999;"N/A"`, [3]int{9, 6, 2}},
		"bool":                          {`yes;ja;;N/A`, [3]int{5, 4, 1}},
		"date":                          {`2024-01-02;02/01/2024;2024-02-30;;N/A`, [3]int{6, 5, 2}},
		"timestamp 2006-01-02 15:04:05": {`2024-01-02 00:00:00;2024-01-02;`, [3]int{4, 3, 1}},
		"text":                          {`a;;N/A`, [3]int{4, 2, 0}},
	} {
		var b strings.Builder
		b.WriteString("w;x\n")
		for _, f := range strings.Split(c.fields, ";") {
			fmt.Fprintf(&b, "0;%s\n", f)
		}
		b.WriteString("a record without the field\n")
		d := open(t, textfile.CSV{Header: true, Delimiter: ';', Types: map[string]string{"x": kind},
			NullValues: []string{"N/A"}}, write(t, "a.csv", []byte(b.String())))
		if got := unparsed(t, d, "x")[0]; got != c.want {
			t.Errorf("%s: rows, nulls, unparsed: got %v, want %v", kind, got, c.want)
		}
	}
}

// Rows are marked across the ends of batches and pieces, compressed or not. Columns without unparsed texts have no
// marks.
func TestCSVUnparsedInPieces(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y,z\n")
	const rows = 300_000
	want := 0
	for i := range rows {
		x := "1"
		if i%7 == 0 {
			x, want = "one", want+1
		}
		fmt.Fprintf(&b, "%s,%d,\"a\"\n", x, i)
	}
	text := []byte(b.String())
	for name, content := range map[string][]byte{"a.csv": text, "a.csv.gz": gzipped(t, text)} {
		d := open(t, textfile.CSV{Header: true, Types: map[string]string{"x": "int", "y": "int"}}, write(t, name, content))
		got := unparsed(t, d, "x", "y", "z")
		if got[0] != [3]int{rows, want, want} || got[1] != [3]int{rows, 0, 0} || got[2] != [3]int{rows, 0, 0} {
			t.Errorf("%s: rows, nulls, unparsed: got %v, want %d of %d in the first column", name, got, want, rows)
		}
	}
}
