package spark_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/full/setuptest"
	"github.com/dprelease/dprelease/full/spark/sparktest"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// shared is the server of all tests. Each test has a database of its own.
var (
	shared    setuptest.Shared[sparktest.Server]
	databases int
)

func TestMain(m *testing.M) {
	code := m.Run()
	house.Stop()
	shared.Stop()
	os.Exit(code)
}

func server(t *testing.T) *sparktest.Server {
	t.Helper()
	return shared.Get(t, "DPRELEASE_SPARK", func(t testing.TB) *sparktest.Server { return sparktest.Start(t) })
}

// newSpark makes a new database on the server.
func newSpark(t *testing.T) *sqlpushtest.Server {
	t.Helper()
	databases++
	dsn, exec := server(t).Database(t, fmt.Sprintf("d%d_%d", os.Getpid(), databases))
	return &sqlpushtest.Server{
		Driver: "spark", DSN: dsn, Exec: exec, Type: typeOf, Literal: literal, Slow: true,
		Quote: func(name string) string { return "`" + name + "`" },
	}
}

var types = map[stabilitytest.Kind]string{
	stabilitytest.Int64: "BIGINT", stabilitytest.Int32: "INT", stabilitytest.Float64: "DOUBLE", stabilitytest.Float32: "FLOAT",
	stabilitytest.Bool: "BOOLEAN", stabilitytest.Date: "DATE", stabilitytest.Instant: "TIMESTAMP", stabilitytest.Clock: "TIMESTAMP_NTZ",
	stabilitytest.Cents: "DECIMAL(9,2)", stabilitytest.Whole: "DECIMAL(12,0)",
}

// typeOf returns the column type of a kind. Texts have character types in some cases and byte types in others.
func typeOf(k stabilitytest.Kind, c *stabilitytest.Case) string {
	if k == stabilitytest.Text {
		return []string{"STRING", "BINARY", "STRING COLLATE UTF8_LCASE"}[c.Layout%3]
	}
	return types[k]
}

func literal(k stabilitytest.Kind, columnType string, cell any) string {
	switch v := cell.(type) {
	case string:
		bytes := "X'" + hex.EncodeToString([]byte(v)) + "'"
		if columnType == "BINARY" {
			return bytes
		}
		return "CAST(" + bytes + " AS STRING)"
	case float64:
		return fmt.Sprintf("CAST('%s' AS %s)", strconv.FormatFloat(v, 'g', -1, 64), columnType)
	case int64:
		switch k {
		case stabilitytest.Date:
			if v < -2_000_000 || v > 100_000_000 {
				return "NULL"
			}
			return fmt.Sprintf("date_from_unix_date(%d)", v)
		case stabilitytest.Instant:
			return fmt.Sprintf("timestamp_micros(%d)", v)
		case stabilitytest.Clock:
			return fmt.Sprintf("CAST(timestamp_micros(%d) AS TIMESTAMP_NTZ)", v)
		case stabilitytest.Cents:
			return fmt.Sprintf("CAST('%de-2' AS DECIMAL(9,2))", v)
		}
		if v == math.MinInt64 {
			return "(-9223372036854775807 - 1)"
		}
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(cell)
}
