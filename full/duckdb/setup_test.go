package duckdb

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// newDuckDB makes a database in a file in the test's folder. Tests write to it while it is open, so it is not opened
// read-only.
func newDuckDB(t *testing.T) *sqlpushtest.Server {
	t.Helper()
	dsn := t.TempDir() + "/t.duckdb?access_mode=read_write&autoinstall_known_extensions=false&autoload_known_extensions=false&threads=2"
	db, err := sql.Open("duckdb", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &sqlpushtest.Server{
		Driver: "duckdb", DSN: dsn,
		Exec: func(text string) error { _, err := db.Exec(text); return err },
		Type: duckType, Literal: duckLiteral,
	}
}

var duckTypes = map[stabilitytest.Kind]string{
	stabilitytest.Int64: "BIGINT", stabilitytest.Int32: "INTEGER", stabilitytest.Float64: "DOUBLE", stabilitytest.Float32: "FLOAT",
	stabilitytest.Bool: "BOOLEAN", stabilitytest.Date: "DATE", stabilitytest.Instant: "TIMESTAMPTZ", stabilitytest.Clock: "TIMESTAMP",
	stabilitytest.Cents: "DECIMAL(9,2)", stabilitytest.Whole: "DECIMAL(12,0)",
}

// duckType returns the column type of a kind. Texts have character types in some cases and byte types in others.
func duckType(k stabilitytest.Kind, c *stabilitytest.Case) string {
	if k == stabilitytest.Text {
		return []string{"VARCHAR", "BLOB", "VARCHAR COLLATE NOCASE"}[c.Layout%3]
	}
	return duckTypes[k]
}

func duckLiteral(k stabilitytest.Kind, columnType string, cell any) string {
	switch v := cell.(type) {
	case string:
		if columnType == "BLOB" {
			return "unhex('" + hex.EncodeToString([]byte(v)) + "')"
		}
		if !utf8.ValidString(v) {
			return "NULL"
		}
		return "decode(unhex('" + hex.EncodeToString([]byte(v)) + "'))"
	case float64:
		return fmt.Sprintf("CAST('%s' AS %s)", strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+"), columnType)
	case int64:
		switch k {
		case stabilitytest.Date:
			if v < -2_000_000 || v > 100_000_000 {
				return "'infinity'"
			}
			return fmt.Sprintf("DATE '1970-01-01' + CAST(%d AS INTEGER)", v)
		case stabilitytest.Instant, stabilitytest.Clock:
			const most = 9e18
			if v > most || v < -most {
				return "'-infinity'"
			}
			return fmt.Sprintf("CAST(make_timestamp(%d) AS %s)", v, columnType)
		case stabilitytest.Cents:
			return fmt.Sprintf("CAST('%d.%02d' AS DECIMAL(9,2)) * %d", max(v, -v)/100, max(v, -v)%100,
				map[bool]int{true: -1, false: 1}[v < 0])
		}
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(cell)
}
