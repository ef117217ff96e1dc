//go:build unix

package sqlpush_test

import (
	"slices"
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// PostgreSQL answers as the local engine does.
func TestPostgresSuite(t *testing.T) {
	wide := []string{"'10000000000000000000'", "'10000000000000000001'", "'10000000000000000002'",
		"'-10000000000000000001'", "'0'"}
	cents := []string{"'99999999999999.97'", "'99999999999999.98'", "'99999999999999.99'", "'0.1'"}
	null, numberNull := []string{"NULL"}, []string{"'NaN'", "NULL"}
	sqlpushtest.Dialect{New: newPostgres, Cases: 30, Pairs: 100, ManyCases: 20_000, Keys: []uint64{0}, Units: []sqlpushtest.UnitColumn{
		{Type: "NUMERIC(20,0)", Values: wide, Null: numberNull},
		{Type: "NUMERIC(38,0)", Values: append(wide, "'9999999999999999999999999999999999999'"), Null: numberNull},
		{Type: "NUMERIC(16,2)", Values: cents, Null: numberNull},
		{
			Type: "NUMERIC", Values: slices.Concat(wide, cents, []string{"'1e40'", "'1e-40'"}), Null: append(numberNull,
				"'Infinity'", "'-Infinity'"),
			Equal: []string{"'1e19'", "'10000000000000000000.00'"},
		},
		{Type: "NUMERIC(18,0)", Values: []string{"'999999999999999999'", "'999999999999999998'", "'-1'"}, Null: numberNull},
		{Type: "BIGINT", Values: []string{"'9223372036854775807'", "'9223372036854775806'", "'-9223372036854775808'"},
			Null: null},
		{Type: "UUID", Values: []string{"'00000000-0000-0000-0000-000000000000'", "'00000000-0000-0000-0000-000000000001'"},
			Null: null},
		{Type: "TIMESTAMP", Values: []string{"'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'", "'9999-12-31'"},
			Null: append(null, "'infinity'")},
		{Type: "TEXT", Values: []string{"'1'", "'01'", "'1 '", "''", `E'\u00e9'`, `E'e\u0301'`}, Null: null},
		{Type: "BYTEA", Values: []string{`'\x00'`, `'\xff'`, `'\xfe'`, `'\x'`}, Null: null},
	}}.Run(t)
}
