package spark_test

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// Random jobs about random tables: Spark's answers are those of the local engine that reads the same table.
func TestAnswers(t *testing.T) {
	sqlpushtest.Equality(t, newSlow(t), sqlpushtest.Cases(t, 20, 1000))
}

// The answers of neighbouring tables differ by at most the declared sensitivity.
func TestStability(t *testing.T) {
	sqlpushtest.Stability(t, newSlow(t), sqlpushtest.Cases(t, 20, 1000))
}

// Empty texts are no nulls, whatever rows are before them.
func TestTexts(t *testing.T) { sqlpushtest.Texts(t, newSpark(t)) }

// Many labels and many edges are looked up in other ways than few.
func TestWideDomains(t *testing.T) { sqlpushtest.Wide(t, newSlow(t)) }

// Clamps and bounds that are chosen later, and cells that share noise.
func TestChosen(t *testing.T) { sqlpushtest.Chosen(t, newSlow(t)) }

// Units of times.
func TestUnitsOfTimes(t *testing.T) { sqlpushtest.Times(t, newSlow(t)) }

// Texts of which differences in case and white space do not count.
func TestFoldedTexts(t *testing.T) { sqlpushtest.Folded(t, newSlow(t)) }

// Vectors that are shortened.
func TestVectors(t *testing.T) { sqlpushtest.Vectors(t, newSlow(t)) }

// The points that are nearest to places.
func TestPlaces(t *testing.T) { sqlpushtest.Places(t, newSlow(t)) }

// Keys that are discovered, of two units and more, of texts with any collation.
func TestKeys(t *testing.T) { sqlpushtest.Keys(t, newSlow(t), 0, 2) }

// Keys that a database is not asked for.
func TestRefusedKeys(t *testing.T) { sqlpushtest.RefusedKeys(t, newSlow(t), 1) }

// Each kind of question, by name. Keys of single units are not discovered by a database.
func TestKinds(t *testing.T) {
	sqlpushtest.Kinds(t, newSlow(t), "keys_that_are_found", "sums_by_keys_that_are_found",
		"means_by_keys_that_are_found", "variances_by_keys_that_are_found")
}

// Numbers at and beside edges and the ends of clamps, and those that arithmetic loses.
func TestBorders(t *testing.T) { sqlpushtest.Borders(t, newSlow(t)) }

func TestWholes(t *testing.T) { sqlpushtest.Wholes(t, newSlow(t)) }

// Different values of a column are different units, whatever double is the nearest to them.
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
