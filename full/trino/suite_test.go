package trino_test

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// Random jobs about random tables: Trino's answers equal those of the local engine over the same table.
func TestAnswers(t *testing.T) {
	sqlpushtest.Equality(t, newTrino(t), sqlpushtest.Cases(t, 20, 1000))
}

// The answers for neighbouring tables differ by at most the declared sensitivity.
func TestStability(t *testing.T) {
	sqlpushtest.Stability(t, newTrino(t), sqlpushtest.Cases(t, 20, 1000))
}

// An empty text is not null, whatever rows come before it.
func TestTexts(t *testing.T) { sqlpushtest.Texts(t, newTrino(t)) }

// Many labels and many edges have other SQL expressions than few.
func TestWideDomains(t *testing.T) { sqlpushtest.Wide(t, newTrino(t)) }

// Clamps and bounds that are discovered, and cells with common noise.
func TestChosen(t *testing.T) { sqlpushtest.Chosen(t, newTrino(t)) }

// Units in columns of times.
func TestUnitsOfTimes(t *testing.T) { sqlpushtest.Times(t, newTrino(t)) }

// Texts that are compared without case and white space.
func TestFoldedTexts(t *testing.T) { sqlpushtest.Folded(t, newTrino(t)) }

// Vectors that are clipped to a norm.
func TestVectors(t *testing.T) { sqlpushtest.Vectors(t, newTrino(t)) }

// Dimensions of the nearest point.
func TestPlaces(t *testing.T) { sqlpushtest.Places(t, newTrino(t)) }

// Discovered keys of at least two units, in texts of any collation.
func TestKeys(t *testing.T) { sqlpushtest.Keys(t, newTrino(t), 0, 2) }

// Discovered keys that push-down refuses.
func TestRefusedKeys(t *testing.T) { sqlpushtest.RefusedKeys(t, newTrino(t), 1) }

// Each kind of query, in a subtest of its name. A database discovers no keys of single units.
func TestKinds(t *testing.T) {
	sqlpushtest.Kinds(t, newTrino(t), "keys_that_are_found", "sums_by_keys_that_are_found",
		"means_by_keys_that_are_found", "variances_by_keys_that_are_found")
}

// Numbers at and next to edges and the ends of clamps, and numbers that floating-point arithmetic rounds.
func TestBorders(t *testing.T) { sqlpushtest.Borders(t, newTrino(t)) }

func TestWholes(t *testing.T) { sqlpushtest.Wholes(t, newTrino(t)) }

// Different values of a column are different units, even if their nearest double is the same.
func TestUnits(t *testing.T) {
	sqlpushtest.Units(t, newTrino(t), []sqlpushtest.UnitColumn{
		{Type: "DECIMAL(38,0)", Values: []string{"DECIMAL '10000000000000000000'", "DECIMAL '10000000000000000001'",
			"DECIMAL '-10000000000000000001'", "DECIMAL '0'"}, Null: []string{"NULL"}},
		{Type: "DECIMAL(16,2)", Values: []string{"DECIMAL '99999999999999.97'", "DECIMAL '99999999999999.98'",
			"DECIMAL '99999999999999.99'", "DECIMAL '0.1'", "DECIMAL '10'"}, Null: []string{"NULL"}},
		{Type: "DECIMAL(18,0)", Values: []string{"DECIMAL '999999999999999999'", "DECIMAL '999999999999999998'", "DECIMAL '-1'"},
			Null: []string{"NULL"}},
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
	})
}
