package spark_test

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// Spark answers as the local engine does.
func TestSuite(t *testing.T) {
	sqlpushtest.Dialect{New: newSpark, Cases: 20, Pairs: 20, ManyCases: 100, Keys: []uint64{0, 2},
		Units: units, Ends: ends}.Run(t)
}

var units = []sqlpushtest.UnitColumn{
	{Type: "DECIMAL(38,0)", Values: []string{"'10000000000000000000'", "'10000000000000000001'",
		"'-10000000000000000001'", "'0'"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(16,2)", Values: []string{"'99999999999999.97'", "'99999999999999.98'", "'99999999999999.99'",
		"'0.1'", "'10'"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(18,0)", Values: []string{"'999999999999999999'", "'999999999999999998'", "'-1'"},
		Null: []string{"NULL"}},
	{Type: "BIGINT", Values: []string{"'9223372036854775807'", "'9223372036854775806'"}, Null: []string{"NULL"}},
	{Type: "TIMESTAMP", Values: []string{"'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'",
		"'9999-12-31'"}, Null: []string{"NULL"}},
	{Type: "TIMESTAMP_NTZ", Values: []string{"'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'"},
		Null: []string{"NULL"}},
	{Type: "STRING", Values: []string{"'1'", "'01'", "'1 '", "''"}, Null: []string{"NULL", "X'FF'"}},
	{Type: "STRING COLLATE UTF8_LCASE", Values: []string{"'a'", "'A'"}, Null: []string{"NULL"}},
	{Type: "BINARY", Values: []string{"X'FF'", "X'FE'", "X''"}, Null: []string{"NULL"}},
}

var ends = []sqlpushtest.UnitColumn{
	{Type: "DECIMAL(9,2)", Values: []string{"'9999999.99'", "'-9999999.99'", "'0.01'"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(15,15)", Values: []string{"'0.999999999999999'", "'-0.000000000000001'"}, Null: []string{"NULL"}},
	{Type: "FLOAT", Values: []string{"'3.4e38'", "'-3.4e38'", "'1e-45'", "'Infinity'", "'-Infinity'", "'-0'"},
		Null: []string{"NULL", "'NaN'"}},
	{Type: "DOUBLE", Values: []string{"'1.7976931348623157e308'", "'-1.7976931348623157e308'", "'5e-324'",
		"'Infinity'", "'-Infinity'", "'-0'", "1e18", "9.3e18"}, Null: []string{"NULL", "'NaN'"}},
	{Type: "DATE", Values: []string{"'2024-02-29'", "'9999-12-31'", "'0001-01-01'", "'-0001-12-31'",
		"date_from_unix_date(3000000)", "date_from_unix_date(-2147483648)", "date_from_unix_date(2147483647)"},
		Null: []string{"NULL"}},
	{Type: "TIMESTAMP", Values: []string{"'-0001-12-31 00:00:00'", "'+10000-01-01 00:00:00'",
		"timestamp_micros(9223372036854775807)", "timestamp_micros(-9223372036854775808)", "timestamp_micros(0)"},
		Null: []string{"NULL"}},
	{Type: "TIMESTAMP_NTZ", Values: []string{"'-0001-12-31 00:00:00'", "'+10000-01-01 00:00:00'",
		"'2024-03-10 02:30:00'"}, Null: []string{"NULL"}},
	{Type: "TINYINT", Values: []string{"127", "-128"}, Null: []string{"NULL"}},
	{Type: "BOOLEAN", Values: []string{"true", "false"}, Null: []string{"NULL"}},
	{Type: "STRING", Values: []string{"'it\\'s'", "'\\\\'", "X'00'", "X'C3'", "'é'", "'1e400'", "'NaN'", "'?'",
		"':x'"}, Null: []string{"NULL"}},
}
