//go:build unix

package sqlpush_test

import (
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// PostgreSQL answers as the local engine does.
func TestPostgresSuite(t *testing.T) {
	owntest.Slow(t)
	wide := []string{"'10000000000000000000'", "'10000000000000000001'", "'10000000000000000002'",
		"'-10000000000000000001'", "'0'"}
	cents := []string{"'99999999999999.97'", "'99999999999999.98'", "'99999999999999.99'", "'0.1'"}
	null, numberNull := []string{"NULL"}, []string{"'NaN'", "NULL"}
	sqlpushtest.Dialect{New: newPostgres, Cases: 30, Pairs: 100, ManyCases: 20_000, Keys: []uint64{0},
		Units: []sqlpushtest.UnitColumn{
			{Type: "NUMERIC(20,0)", Values: wide, Null: numberNull},
			{Type: "NUMERIC(38,0)", Values: append(wide, "'9999999999999999999999999999999999999'"), Null: numberNull},
			{Type: "NUMERIC(16,2)", Values: cents, Null: numberNull},
			{
				Type: "NUMERIC", Values: slices.Concat(wide, cents, []string{"'1e40'", "'1e-40'"}), Null: append(numberNull,
					"'Infinity'", "'-Infinity'"),
				Equal: []string{"'1e19'", "'10000000000000000000.00'"},
			},
			{Type: "NUMERIC(18,0)", Values: []string{"'999999999999999999'", "'999999999999999998'", "'-1'"},
				Null: numberNull},
			{Type: "BIGINT", Values: []string{"'9223372036854775807'", "'9223372036854775806'", "'-9223372036854775808'"},
				Null: null},
			{Type: "UUID", Values: []string{"'00000000-0000-0000-0000-000000000000'",
				"'00000000-0000-0000-0000-000000000001'"}, Null: null},
			{Type: "TIMESTAMP", Values: []string{"'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'",
				"'9999-12-31'", "'10000-01-01'", "'0001-12-31 BC'", "'4713-01-01 BC'", "'294239-12-31 23:59:59.999999'"},
				Null: append(null, "'infinity'", "'-infinity'", "'294276-12-31 23:59:59.999999'")},
			{Type: "TIMESTAMPTZ", Values: []string{"'2024-11-03 01:30:00-04'", "'2024-11-03 01:30:00-05'",
				"'10000-01-01 00:00:00Z'", "'0001-12-31 00:00:00Z BC'", "'4713-01-01 00:00:00Z BC'",
				"'294239-12-31 23:59:59.999999Z'"}, Null: append(null, "'infinity'", "'-infinity'")},
			{Type: "DATE", Values: []string{"'2024-02-29'", "'9999-12-31'", "'10000-01-01'", "'0001-01-01'",
				"'0001-12-31 BC'", "'0002-01-01 BC'", "'4713-01-01 BC'", "'5874897-12-31'"}, Null: append(null,
				"'infinity'", "'-infinity'")},
			{Type: "TEXT", Values: []string{"'1'", "'01'", "'1 '", "''", `E'\u00e9'`, `E'e\u0301'`, "'it''s'", `E'\\\\'`,
				`E'\x01'`, "'1e400'", "'NaN'", "'infinity'", "'$1'", "':x'", "'?'"}, Null: null},
			{Type: "BYTEA", Values: []string{`'\x00'`, `'\xff'`, `'\xfe'`, `'\x'`, `'\x00ff'`, `'\xc3'`, `'\xc3a9'`},
				Null: null},
		}, Ends: []sqlpushtest.UnitColumn{
			{Type: "NUMERIC(9,2)", Values: []string{"9999999.99", "-9999999.99", "0.01", "0"}, Null: numberNull},
			{Type: "NUMERIC(100,50)", Values: []string{"'1e49'", "'-1e49'", "'1e-50'", "'-1e-50'", "9007199254740993.5"},
				Null: numberNull},
			{Type: "NUMERIC(100,100)", Values: []string{"'1e-100'", "'-0.5'"}, Null: numberNull},
			{Type: "REAL", Values: []string{"'3.4e38'", "'-3.4e38'", "'1e-45'", "'Infinity'", "'-Infinity'", "'-0'"},
				Null: numberNull},
			{Type: "FLOAT8", Values: []string{"'1.7976931348623157e308'", "'-1.7976931348623157e308'", "'5e-324'",
				"'-5e-324'", "'Infinity'", "'-Infinity'", "'-0'", "1e18", "9.3e18"}, Null: numberNull},
			{Type: "SMALLINT", Values: []string{"32767", "'-32768'"}, Null: null},
			{Type: "BOOLEAN", Values: []string{"true", "false"}, Null: null},
			{Type: "CHAR(3)", Values: []string{"'a'", "' a'", "''", `E'\u00e9'`}, Null: null},
		}}.Run(t)
}
