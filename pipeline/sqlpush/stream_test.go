package sqlpush

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
)

// listed is a driver whose answer to each statement is the same list of values in one column.
type listed []driver.Value

func (l listed) Connect(context.Context) (driver.Conn, error) { return l, nil }
func (listed) Driver() driver.Driver                          { return nil }
func (listed) Prepare(string) (driver.Stmt, error)            { return nil, errors.ErrUnsupported }
func (listed) Begin() (driver.Tx, error)                      { return nil, errors.ErrUnsupported }
func (listed) Close() error                                   { return nil }

func (l listed) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &listedRows{l}, nil
}

func (listed) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.ResultNoRows, nil
}

type listedRows struct{ left listed }

func (*listedRows) Columns() []string { return []string{"x"} }
func (*listedRows) Close() error      { return nil }

func (r *listedRows) Next(to []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	to[0], r.left = r.left[0], r.left[1:]
	return nil
}

// readTexts are the texts of the batches that a list is read as; NULL stands for null.
func readTexts(t *testing.T, values listed) (batches [][]string) {
	t.Helper()
	db := sql.OpenDB(values)
	defer db.Close()
	d := &Database{db: db, dialect: duckdb{}, from: "t AS input", columns: map[string]Column{"x": {Type: kind(table.String), Expr: "x"}}}
	err := d.read(t.Context(), []string{"x"}, func(b *table.Batch) error {
		var texts []string
		v := b.Columns[0].Values
		for i, valid := range b.Columns[0].Valid {
			texts = append(texts, "NULL")
			if valid {
				texts[i] = string(v.Data[v.Offsets[i]:v.Offsets[i+1]])
			}
		}
		batches = append(batches, texts)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return batches
}

// A text is read as the same whatever is before it, from drivers that return strings and from those that return bytes.
func TestTextsDoNotDependOnEarlierRows(t *testing.T) {
	for _, texts := range [][]string{{"", "", "NULL", "full", ""}, {"full", "", "", "NULL", ""}, {"NULL", "", "x", "NULL", "longer", ""}} {
		for _, bytes := range []bool{false, true} {
			var values listed
			for _, x := range texts {
				switch {
				case x == "NULL":
					values = append(values, nil)
				case bytes:
					values = append(values, []byte(x))
				default:
					values = append(values, x)
				}
			}
			if got := readTexts(t, values); len(got) != 1 || !slices.Equal(got[0], texts) {
				t.Errorf("bytes %v: %q is read as %q", bytes, texts, got)
			}
		}
	}
}
