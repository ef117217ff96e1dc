package spark_test

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// Random jobs about random tables: Spark's answers equal those of the local engine over the same table.
func TestAnswers(t *testing.T) {
	sqlpushtest.Equality(t, newSlow(t), sqlpushtest.Cases(t, 20, 1000))
}

// The answers for neighbouring tables differ by at most the declared sensitivity.
func TestStability(t *testing.T) {
	sqlpushtest.Stability(t, newSlow(t), sqlpushtest.Cases(t, 20, 1000))
}

// An empty text is not null, whatever rows come before it.
func TestTexts(t *testing.T) { sqlpushtest.Texts(t, newSpark(t)) }

// Many labels and many edges have other SQL expressions than few.
func TestWideDomains(t *testing.T) { sqlpushtest.Wide(t, newSlow(t)) }

// Clamps and bounds that are discovered, and cells with common noise.
func TestChosen(t *testing.T) { sqlpushtest.Chosen(t, newSlow(t)) }

// Units in columns of times.
func TestUnitsOfTimes(t *testing.T) { sqlpushtest.Times(t, newSlow(t)) }

// Texts that are compared without case and white space.
func TestFoldedTexts(t *testing.T) { sqlpushtest.Folded(t, newSlow(t)) }

// Vectors that are clipped to a norm.
func TestVectors(t *testing.T) { sqlpushtest.Vectors(t, newSlow(t)) }

// Dimensions of the nearest point.
func TestPlaces(t *testing.T) { sqlpushtest.Places(t, newSlow(t)) }

// Discovered keys of at least two units, in texts of any collation.
func TestKeys(t *testing.T) { sqlpushtest.Keys(t, newSlow(t), 0, 2) }

// Discovered keys that push-down refuses.
func TestRefusedKeys(t *testing.T) { sqlpushtest.RefusedKeys(t, newSlow(t), 1) }

// Each kind of query, in a subtest of its name. A database discovers no keys of single units.
func TestKinds(t *testing.T) {
	sqlpushtest.Kinds(t, newSlow(t), "keys_that_are_found", "sums_by_keys_that_are_found",
		"means_by_keys_that_are_found", "variances_by_keys_that_are_found")
}

// Numbers at and next to edges and the ends of clamps, and numbers that floating-point arithmetic rounds.
func TestBorders(t *testing.T) { sqlpushtest.Borders(t, newSlow(t)) }

func TestWholes(t *testing.T) { sqlpushtest.Wholes(t, newSlow(t)) }

// Different values of a column are different units, even if their nearest double is the same.
func TestUnits(t *testing.T) {
	sqlpushtest.Units(t, newSlow(t), []sqlpushtest.UnitColumn{
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
	})
}
