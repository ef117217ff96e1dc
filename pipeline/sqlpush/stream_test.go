package sqlpush

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
)

// listed is a database driver that answers every statement with these rows.
type listed [][]driver.Value

func (l listed) Connect(context.Context) (driver.Conn, error) { return l, nil }
func (listed) Driver() driver.Driver                          { return nil }
func (listed) Prepare(string) (driver.Stmt, error)            { return nil, errors.ErrUnsupported }
func (listed) Begin() (driver.Tx, error)                      { return nil, errors.ErrUnsupported }
func (listed) Close() error                                   { return nil }

func (l listed) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &listedRows{l, l[0]}, nil
}

func (listed) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.ResultNoRows, nil
}

type listedRows struct {
	left    listed
	columns []driver.Value
}

func (r *listedRows) Columns() []string { return make([]string, len(r.columns)) }
func (*listedRows) Close() error        { return nil }

func (r *listedRows) Next(to []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	copy(to, r.left[0])
	r.left = r.left[1:]
	return nil
}

// unasked is a dialect without a check of the server.
type unasked struct{ trino }

func (unasked) suits(context.Context, *session) error { return nil }

// readTexts returns the texts of the batches when a list is read; NULL stands for null.
func readTexts(t *testing.T, values listed) (batches [][]string) {
	t.Helper()
	db := sql.OpenDB(values)
	defer db.Close()
	d := &Database{db: db, dialect: unasked{}, from: "t AS input", types: []columnType{{Expr: `""`}}, // listed names none
		columns: map[string]column{"x": {Type: table.Type{Kind: table.String}, Expr: "x"}}}
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

// How a text is read does not depend on the rows before it, for drivers that return strings and drivers that return
// bytes.
func TestTextsDoNotDependOnEarlierRows(t *testing.T) {
	for _, texts := range [][]string{{"", "", "NULL", "full", ""}, {"full", "", "", "NULL", ""},
		{"NULL", "", "x", "NULL", "longer", ""}} {
		for _, bytes := range []bool{false, true} {
			var values listed
			for _, x := range texts {
				switch {
				case x == "NULL":
					values = append(values, []driver.Value{nil})
				case bytes:
					values = append(values, []driver.Value{[]byte(x)})
				default:
					values = append(values, []driver.Value{x})
				}
			}
			if got := readTexts(t, values); len(got) != 1 || !slices.Equal(got[0], texts) {
				t.Errorf("bytes %v: %q is read as %q", bytes, texts, got)
			}
		}
	}
}

// A sum that is NULL counts as 0 if the cell has no rows, and is an error otherwise.
func TestNullSums(t *testing.T) {
	for rows, want := range map[any]error{int64(0): nil, nil: nil, int64(3): errNoSum} {
		db := sql.OpenDB(listed{{int64(0), int64(0), rows, nil}})
		got, err := db.QueryContext(t.Context(), "")
		if err != nil || !got.Next() {
			t.Fatal(err)
		}
		totals, _, err := scanTotals(got, []answer{{aggregation: &aggregation.Aggregation{}, sums: 1}})
		if !errors.Is(err, want) || err == nil && !(totals[0].Rows == 0 && totals[0].Sums[0] == int128.Int{}) {
			t.Errorf("of %v rows: %+v, %v", rows, totals, err)
		}
		_ = got.Close()
		_ = db.Close()
	}
}

// Partial sums of Spark have more digits than an int64.
func TestSparkTotalsHoldPartialSums(t *testing.T) {
	if x := (spark{}).sum("p0", 0); x != "SUM(CAST(p0 AS DECIMAL(38, 0)))" {
		t.Error(x)
	}
}

// A batch of long texts has few rows.
func TestBatchesOfLongTexts(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	var values listed
	for range 7 {
		values = append(values, []driver.Value{long})
	}
	var sizes []int
	for _, b := range readTexts(t, values) {
		sizes = append(sizes, len(b))
	}
	if !slices.Equal(sizes, []int{3, 3, 1}) {
		t.Errorf("batches have %v rows", sizes)
	}
}

// A DuckDB whose casts round differently is refused before any statement.
func TestOtherCastsAreRefused(t *testing.T) {
	for _, c := range []struct {
		answer listed
		ok     bool
	}{{listed{{true}}, true}, {listed{{false}}, false}} {
		db := sql.OpenDB(c.answer)
		s := &session{query: func(ctx context.Context, text string) (*sql.Rows, error) { return db.QueryContext(ctx, text) }}
		if err := (duckdb{}).suits(t.Context(), s); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.answer, err)
		}
		_ = db.Close()
	}
}

// A DECIMAL can be read, but a list of DECIMALs cannot.
func TestListsAreNotRead(t *testing.T) {
	for of, ok := range map[string]bool{"DECIMAL(9,2)": true, "DECIMAL(9,2)[]": false, "DECIMAL(9,2)[3]": false,
		"ENUM('a')": true, "ENUM('a')[]": false} {
		if _, got := (duckdb{}).column(columnType{Expr: "x", Type: of}); got != ok {
			t.Errorf("%s: %v", of, got)
		}
	}
}
