package duckdb

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// The answers for neighbouring tables differ by at most the declared sensitivity.
func TestStability(t *testing.T) {
	sqlpushtest.Stability(t, newDuckDB(t), sqlpushtest.Cases(t, 160, 20_000))
}

// Many labels and many edges have other SQL expressions than few.
func TestWideDomains(t *testing.T) { sqlpushtest.Wide(t, newDuckDB(t)) }

// An empty text is not null, whatever rows come before it.
func TestTexts(t *testing.T) { sqlpushtest.Texts(t, newDuckDB(t)) }

// Clamps and bounds that are discovered, and cells with common noise.
func TestChosen(t *testing.T) { sqlpushtest.Chosen(t, newDuckDB(t)) }

// Units in columns of times.
func TestUnitsOfTimes(t *testing.T) { sqlpushtest.Times(t, newDuckDB(t)) }

// Texts that are compared without case and white space.
func TestFoldedTexts(t *testing.T) { sqlpushtest.Folded(t, newDuckDB(t)) }

// Vectors that are clipped to a norm.
func TestVectors(t *testing.T) { sqlpushtest.Vectors(t, newDuckDB(t)) }

// Dimensions of the nearest point.
func TestPlaces(t *testing.T) { sqlpushtest.Places(t, newDuckDB(t)) }

// Discovered keys of at least two units, in texts of any collation.
func TestKeys(t *testing.T) { sqlpushtest.Keys(t, newDuckDB(t), 0, 2) }

// Discovered keys that push-down refuses.
func TestRefusedKeys(t *testing.T) { sqlpushtest.RefusedKeys(t, newDuckDB(t), 1) }

// Each kind of query, in a subtest of its name. A database discovers no keys of single units.
func TestKinds(t *testing.T) {
	sqlpushtest.Kinds(t, newDuckDB(t), "keys_that_are_found", "sums_by_keys_that_are_found",
		"means_by_keys_that_are_found", "variances_by_keys_that_are_found")
}

// Numbers at and next to edges and the ends of clamps, and numbers that floating-point arithmetic rounds.
func TestBorders(t *testing.T) { sqlpushtest.Borders(t, newDuckDB(t)) }

func TestWholes(t *testing.T) { sqlpushtest.Wholes(t, newDuckDB(t)) }

// Different values of a column are different units, even if their nearest double is the same.
func TestUnits(t *testing.T) {
	sqlpushtest.Units(t, newDuckDB(t), []sqlpushtest.UnitColumn{
		{Type: "DECIMAL(38,0)", Values: []string{"'10000000000000000000'", "'10000000000000000001'",
			"'-10000000000000000001'", "'0'"}, Null: []string{"NULL"}},
		{Type: "DECIMAL(16,2)", Values: []string{"'99999999999999.97'", "'99999999999999.98'", "'99999999999999.99'", "'0.1'",
			"'10'"}, Null: []string{"NULL"}},
		{Type: "DECIMAL(18,0)", Values: []string{"'999999999999999999'", "'999999999999999998'", "'-1'"},
			Null: []string{"NULL"}},
		{Type: "HUGEINT", Values: []string{"'170141183460469231731687303715884105727'",
			"'170141183460469231731687303715884105726'", "'-1'"}, Null: []string{"NULL"}},
		{Type: "UBIGINT", Values: []string{"'18446744073709551615'", "'18446744073709551614'", "'0'"},
			Null: []string{"NULL"}},
		{Type: "BIGINT", Values: []string{"'9223372036854775807'", "'9223372036854775806'"}, Null: []string{"NULL"}},
		{Type: "UUID", Values: []string{"'00000000-0000-0000-0000-000000000000'", "'00000000-0000-0000-0000-000000000001'"},
			Null: []string{"NULL"}},
		{Type: "TIMESTAMP", Values: []string{"'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'", "'9999-12-31'"},
			Null: []string{"'infinity'", "NULL"}},
		{Type: "VARCHAR", Values: []string{"'1'", "'01'", "'1 '", "''"}, Null: []string{"NULL"}},
	})
}
