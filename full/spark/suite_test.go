package spark_test

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// Spark answers as the local engine does.
func TestSuite(t *testing.T) {
	sqlpushtest.Dialect{New: newSpark, Cases: 20, Pairs: 20, ManyCases: 1000, Keys: []uint64{0, 2}, Units: units}.Run(t)
}

var units = []sqlpushtest.UnitColumn{
	{Type: "DECIMAL(38,0)", Values: []string{"'10000000000000000000'", "'10000000000000000001'",
		"'-10000000000000000001'", "'0'"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(16,2)", Values: []string{"'99999999999999.97'", "'99999999999999.98'", "'99999999999999.99'", "'0.1'",
		"'10'"}, Null: []string{"NULL"}},
	{Type: "DECIMAL(18,0)", Values: []string{"'999999999999999999'", "'999999999999999998'", "'-1'"},
		Null: []string{"NULL"}},
	{Type: "BIGINT", Values: []string{"'9223372036854775807'", "'9223372036854775806'"}, Null: []string{"NULL"}},
	{Type: "TIMESTAMP", Values: []string{"'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'", "'9999-12-31'"},
		Null: []string{"NULL"}},
	{Type: "TIMESTAMP_NTZ", Values: []string{"'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'"},
		Null: []string{"NULL"}},
	{Type: "STRING", Values: []string{"'1'", "'01'", "'1 '", "''"}, Null: []string{"NULL", "X'FF'"}},
	{Type: "STRING COLLATE UTF8_LCASE", Values: []string{"'a'", "'A'"}, Null: []string{"NULL"}},
	{Type: "BINARY", Values: []string{"X'FF'", "X'FE'", "X''"}, Null: []string{"NULL"}},
}
