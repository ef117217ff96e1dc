package trino_test

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// Trino answers as the local engine does.
func TestSuite(t *testing.T) {
	sqlpushtest.Dialect{New: newTrino, Cases: 20, Pairs: 20, ManyCases: 100, Keys: []uint64{0, 2},
		Units: units, Ends: ends}.Run(t)
}

var units = []sqlpushtest.UnitColumn{
	{Type: "DECIMAL(38,0)", Values: []string{"DECIMAL '10000000000000000000'", "DECIMAL '10000000000000000001'",
		"DECIMAL '-10000000000000000001'", "DECIMAL '0'"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(16,2)", Values: []string{"DECIMAL '99999999999999.97'", "DECIMAL '99999999999999.98'",
		"DECIMAL '99999999999999.99'", "DECIMAL '0.1'", "DECIMAL '10'"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(18,0)", Values: []string{"DECIMAL '999999999999999999'", "DECIMAL '999999999999999998'",
		"DECIMAL '-1'"}, Null: []string{"NULL"}},
	{Type: "BIGINT", Values: []string{"9223372036854775807", "9223372036854775806"}, Null: []string{"NULL"}},
	{Type: "TIMESTAMP(6) WITH TIME ZONE", Values: []string{"TIMESTAMP '2024-01-01 00:00:00.000001 UTC'",
		"TIMESTAMP '2024-01-01 00:00:00.000002 UTC'", "TIMESTAMP '9999-12-31 00:00:00 UTC'"}, Null: []string{"NULL"}},
	{Type: "TIMESTAMP(6)", Values: []string{"TIMESTAMP '2024-01-01 00:00:00.000001'",
		"TIMESTAMP '2024-01-01 00:00:00.000002'"}, Null: []string{"NULL"}},
	{Type: "VARCHAR", Values: []string{"'1'", "'01'", "'1 '", "''"}, Null: []string{"NULL"}},
	{Type: "UUID", Values: []string{"UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'",
		"UUID '12151fd2-7586-11e9-8f9e-2a86e4085a58'"}, Null: []string{"NULL"}},
	{Type: "CHAR(3)", Values: []string{"'a'", "'b'"}, Null: []string{"NULL"}},
	{Type: "VARBINARY", Values: []string{"X'FF'", "X'FE'", "X''"}, Null: []string{"NULL"}},
}

var ends = []sqlpushtest.UnitColumn{
	{Type: "DECIMAL(9,2)", Values: []string{"DECIMAL '9999999.99'", "DECIMAL '-9999999.99'", "DECIMAL '0.01'"},
		Null: []string{"NULL"}},
	{Type: "DECIMAL(15,15)", Values: []string{"DECIMAL '0.999999999999999'", "DECIMAL '-0.000000000000001'"},
		Null: []string{"NULL"}},
	{Type: "REAL", Values: []string{"REAL '3.4e38'", "REAL '-3.4e38'", "REAL '1e-45'", "infinity()", "-infinity()",
		"REAL '-0'"}, Null: []string{"NULL", "nan()"}},
	{Type: "DOUBLE", Values: []string{"DOUBLE '1.7976931348623157e308'", "DOUBLE '-1.7976931348623157e308'",
		"DOUBLE '5e-324'", "infinity()", "-infinity()", "DOUBLE '-0'", "1e18", "9.3e18"}, Null: []string{"NULL",
		"nan()"}},
	{Type: "DATE", Values: []string{"DATE '2024-02-29'", "DATE '9999-12-31'", "DATE '0001-01-01'", "DATE '-0001-12-31'",
		"date_add('day', 1000000, DATE '9999-12-31')", "date_add('day', -2147483648, DATE '1970-01-01')",
		"date_add('day', 2147483647, DATE '1970-01-01')"}, Null: []string{"NULL"}},
	{Type: "TIMESTAMP(6)", Values: []string{"TIMESTAMP '-0001-12-31 00:00:00'", "TIMESTAMP '10000-01-01 00:00:00'",
		"TIMESTAMP '0001-01-01 00:00:00.000001'"}, Null: []string{"NULL"}},
	{Type: "TIMESTAMP(3) WITH TIME ZONE", Values: []string{"TIMESTAMP '-0001-12-31 00:00:00 UTC'",
		"TIMESTAMP '2024-11-03 01:30:00 America/New_York'", "TIMESTAMP '10000-01-01 00:00:00 UTC'"},
		Null: []string{"NULL"}},
	{Type: "TINYINT", Values: []string{"127", "-128"}, Null: []string{"NULL"}},
	{Type: "BOOLEAN", Values: []string{"true", "false"}, Null: []string{"NULL"}},
	{Type: "VARCHAR", Values: []string{"'it''s'", "'\\'", "chr(0)", "chr(233)", "'1e400'", "'NaN'", "'?'", "':x'"},
		Null: []string{"NULL"}},
}
