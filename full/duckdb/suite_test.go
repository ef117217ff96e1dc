package duckdb

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// DuckDB answers as the local engine does.
func TestSuite(t *testing.T) {
	sqlpushtest.Dialect{New: newDuckDB, Cases: 150, Pairs: 160, ManyCases: 20000, Keys: []uint64{0, 2},
		Units: units, Ends: ends}.Run(t)
}

var units = []sqlpushtest.UnitColumn{
	{Type: "DECIMAL(38,0)", Values: []string{"'10000000000000000000'", "'10000000000000000001'",
		"'-10000000000000000001'", "'0'"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(16,2)", Values: []string{"'99999999999999.97'", "'99999999999999.98'", "'99999999999999.99'",
		"'0.1'", "'10'"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(18,0)", Values: []string{"'999999999999999999'", "'999999999999999998'", "'-1'"},
		Null: []string{"NULL"}},
	{Type: "HUGEINT", Values: []string{"'170141183460469231731687303715884105727'",
		"'170141183460469231731687303715884105726'", "'-1'"}, Null: []string{"NULL"}},
	{Type: "UBIGINT", Values: []string{"'18446744073709551615'", "'18446744073709551614'", "'0'"},
		Null: []string{"NULL"}},
	{Type: "BIGINT", Values: []string{"'9223372036854775807'", "'9223372036854775806'"}, Null: []string{"NULL"}},
	{Type: "UUID", Values: []string{"'00000000-0000-0000-0000-000000000000'", "'00000000-0000-0000-0000-000000000001'"},
		Null: []string{"NULL"}},
	{Type: "TIMESTAMP", Values: []string{"'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'", "'9999-12-31'",
		"'10000-01-01'", "'0001-12-31 (BC)'", "'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775806'"},
		Null: []string{"'infinity'", "'-infinity'", "NULL"}},
	{Type: "TIMESTAMPTZ", Values: []string{"'2024-11-03 01:30:00-04'", "'2024-11-03 01:30:00-05'",
		"'10000-01-01 00:00:00+00'", "'0001-12-31 (BC) 00:00:00+00'"}, Null: []string{"'infinity'", "'-infinity'",
		"NULL"}},
	{Type: "DATE", Values: []string{"'2024-02-29'", "'9999-12-31'", "'10000-01-01'", "'0001-01-01'",
		"'0001-12-31 (BC)'", "'5877642-06-25 (BC)'", "'5881580-07-10'"}, Null: []string{"'infinity'", "'-infinity'",
		"NULL"}},
	{Type: "VARCHAR", Values: []string{"'1'", "'01'", "'1 '", "''", "'it''s'", "'\\'", "chr(0)", "chr(233)", "'1e400'",
		"'NaN'", "'infinity'", "'$1'", "':x'", "'?'"}, Null: []string{"NULL"}},
	{Type: "BLOB", Values: []string{"'\\x00'::BLOB", "'\\xFF'::BLOB", "'\\xC3'::BLOB", "''::BLOB"},
		Null: []string{"NULL"}},
}

var ends = []sqlpushtest.UnitColumn{
	{Type: "DECIMAL(9,2)", Values: []string{"9999999.99", "-9999999.99", "0.01", "0"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(15,15)", Values: []string{"'0.999999999999999'", "'-0.000000000000001'"}, Null: []string{"NULL"}},
	{Type: "FLOAT", Values: []string{"'3.4e38'", "'-3.4e38'", "'1e-45'", "'Infinity'", "'-Infinity'", "'-0'"},
		Null: []string{"NULL", "'NaN'"}},
	{Type: "DOUBLE", Values: []string{"'1.7976931348623157e308'", "'-1.7976931348623157e308'", "'5e-324'", "'-5e-324'",
		"'Infinity'", "'-Infinity'", "'-0'", "1e18", "9.3e18"}, Null: []string{"NULL", "'NaN'"}},
	{Type: "UINTEGER", Values: []string{"4294967295", "0"}, Null: []string{"NULL"}},
	{Type: "TINYINT", Values: []string{"127", "-128"}, Null: []string{"NULL"}},
	{Type: "BOOLEAN", Values: []string{"true", "false"}, Null: []string{"NULL"}},
}
