package trino_test

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// Random jobs about random tables: Trino's answers are those of the local engine that reads the same table.
func TestAnswers(t *testing.T) {
	sqlpushtest.Equality(t, newTrino(t), sqlpushtest.Cases(t, 20, 1000))
}

// The answers of neighbouring tables differ by at most the declared sensitivity.
func TestStability(t *testing.T) {
	sqlpushtest.Stability(t, newTrino(t), sqlpushtest.Cases(t, 20, 1000))
}

// Empty texts are no nulls, whatever rows are before them.
func TestTexts(t *testing.T) { sqlpushtest.Texts(t, newTrino(t)) }

// Many labels and many edges are looked up in other ways than few.
func TestWideDomains(t *testing.T) { sqlpushtest.Wide(t, newTrino(t)) }

// Clamps and bounds that are chosen later, and cells that share noise.
func TestChosen(t *testing.T) { sqlpushtest.Chosen(t, newTrino(t)) }

// Units of times.
func TestUnitsOfTimes(t *testing.T) { sqlpushtest.Times(t, newTrino(t)) }

// Texts of which differences in case and white space do not count.
func TestFoldedTexts(t *testing.T) { sqlpushtest.Folded(t, newTrino(t)) }

// Vectors that are shortened.
func TestVectors(t *testing.T) { sqlpushtest.Vectors(t, newTrino(t)) }

// The points that are nearest to places.
func TestPlaces(t *testing.T) { sqlpushtest.Places(t, newTrino(t)) }

// Keys that are discovered, of two units and more, of texts with any collation.
func TestKeys(t *testing.T) { sqlpushtest.Keys(t, newTrino(t), 0, 2) }

// Keys that a database is not asked for.
func TestRefusedKeys(t *testing.T) { sqlpushtest.RefusedKeys(t, newTrino(t), 1) }

// Each kind of question, by name. Keys of single units are not discovered by a database.
func TestKinds(t *testing.T) {
	sqlpushtest.Kinds(t, newTrino(t), "keys_that_are_found", "sums_by_keys_that_are_found",
		"means_by_keys_that_are_found", "variances_by_keys_that_are_found")
}

// Numbers at and beside edges and the ends of clamps, and those that arithmetic loses.
func TestBorders(t *testing.T) { sqlpushtest.Borders(t, newTrino(t)) }

func TestWholes(t *testing.T) { sqlpushtest.Wholes(t, newTrino(t)) }

// Different values of a column are different units, whatever double is the nearest to them.
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
