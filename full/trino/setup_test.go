package trino_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/dprelease/dprelease/full/setuptest"
	"github.com/dprelease/dprelease/full/trino/trinotest"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// shared is the server of all tests. Each test has a schema of its own.
var (
	shared  setuptest.Shared[trinotest.Server]
	schemas int
)

func TestMain(m *testing.M) {
	code := m.Run()
	shared.Stop()
	os.Exit(code)
}

func server(t *testing.T) *trinotest.Server {
	t.Helper()
	return shared.Get(t, "DPRELEASE_TRINO", trinotest.Start)
}

// newTrino makes a new schema on the server.
func newTrino(t *testing.T) *sqlpushtest.Server {
	t.Helper()
	schemas++
	dsn, exec := server(t).Schema(t, "memory", fmt.Sprintf("d%d_%d", os.Getpid(), schemas))
	return &sqlpushtest.Server{Driver: "trino", DSN: dsn, Exec: exec, Type: typeOf, Literal: literal, Slow: true}
}

var types = map[stabilitytest.Kind]string{
	stabilitytest.Int64: "BIGINT", stabilitytest.Int32: "INTEGER", stabilitytest.Float64: "DOUBLE",
	stabilitytest.Float32: "REAL", stabilitytest.Bool: "BOOLEAN", stabilitytest.Date: "DATE",
	stabilitytest.Instant: "TIMESTAMP(6) WITH TIME ZONE", stabilitytest.Clock: "TIMESTAMP(6)",
	stabilitytest.Cents: "DECIMAL(9,2)", stabilitytest.Whole: "DECIMAL(12,0)",
}

// typeOf returns the column type of a kind. Texts have character types in some cases and byte types in others.
func typeOf(k stabilitytest.Kind, c *stabilitytest.Case) string {
	if k == stabilitytest.Text {
		return []string{"VARCHAR", "VARBINARY"}[c.Layout%2]
	}
	return types[k]
}

func literal(k stabilitytest.Kind, columnType string, cell any) string {
	switch v := cell.(type) {
	case string:
		bytes := "X'" + hex.EncodeToString([]byte(v)) + "'"
		switch {
		case columnType == "VARBINARY":
			return bytes
		case !utf8.ValidString(v):
			return "NULL"
		}
		return "from_utf8(" + bytes + ")"
	case float64:
		switch {
		case math.IsNaN(v):
			return "CAST(nan() AS " + columnType + ")"
		case math.IsInf(v, 0):
			return fmt.Sprintf("CAST(%sinfinity() AS %s)", map[bool]string{true: "-"}[v < 0], columnType)
		}
		return fmt.Sprintf("CAST('%s' AS %s)", strconv.FormatFloat(v, 'g', -1, 64), columnType)
	case int64:
		const most = 1 << 60 // Trino stores milliseconds in 52 bits
		nanos := fmt.Sprintf("from_unixtime_nanos(DECIMAL '%d000')", v)
		switch k {
		case stabilitytest.Date:
			if v < -2_000_000 || v > 100_000_000 {
				return "NULL"
			}
			return fmt.Sprintf("date_add('day', %d, DATE '1970-01-01')", v)
		case stabilitytest.Instant, stabilitytest.Clock:
			if v < -most || v > most {
				return "NULL"
			}
			if k == stabilitytest.Clock {
				return "CAST(" + nanos + " AT TIME ZONE 'UTC' AS TIMESTAMP(6))"
			}
			return "CAST(" + nanos + " AS TIMESTAMP(6) WITH TIME ZONE)"
		case stabilitytest.Cents:
			return fmt.Sprintf("CAST(CAST(%d AS DECIMAL(12,2)) / 100 AS DECIMAL(9,2))", v)
		}
		if v == math.MinInt64 {
			return "(-9223372036854775807 - 1)"
		}
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(cell)
}
