package duckdb

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// The answers of neighbouring tables differ by at most the declared sensitivity.
func TestStability(t *testing.T) {
	sqlpushtest.Stability(t, newDuckDB(t), sqlpushtest.Cases(t, 160, 20_000))
}

// Many labels and many edges are looked up in other ways than few.
func TestWideDomains(t *testing.T) { sqlpushtest.Wide(t, newDuckDB(t)) }

// Empty texts are no nulls, whatever rows are before them.
func TestTexts(t *testing.T) { sqlpushtest.Texts(t, newDuckDB(t)) }

// Clamps and bounds that are chosen later, and cells that share noise.
func TestChosen(t *testing.T) { sqlpushtest.Chosen(t, newDuckDB(t)) }

// Units of times.
func TestUnitsOfTimes(t *testing.T) { sqlpushtest.Times(t, newDuckDB(t)) }

// Texts of which differences in case and white space do not count.
func TestFoldedTexts(t *testing.T) { sqlpushtest.Folded(t, newDuckDB(t)) }

// Vectors that are shortened.
func TestVectors(t *testing.T) { sqlpushtest.Vectors(t, newDuckDB(t)) }

// The points that are nearest to places.
func TestPlaces(t *testing.T) { sqlpushtest.Places(t, newDuckDB(t)) }

// Keys that are discovered, of two units and more, of texts with any collation.
func TestKeys(t *testing.T) { sqlpushtest.Keys(t, newDuckDB(t), 0, 2) }

// Keys that a database is not asked for.
func TestRefusedKeys(t *testing.T) { sqlpushtest.RefusedKeys(t, newDuckDB(t), 1) }

// Texts that are read as numbers.
func TestNumerals(t *testing.T) { sqlpushtest.Numerals(t, newDuckDB(t)) }

// Each kind of question, by name. Keys of single units are not discovered by a database.
func TestKinds(t *testing.T) {
	sqlpushtest.Kinds(t, newDuckDB(t), "keys_that_are_found", "sums_by_keys_that_are_found", "means_by_keys_that_are_found", "variances_by_keys_that_are_found")
}

// Numbers at and beside edges and the ends of clamps, and those that arithmetic loses.
func TestBorders(t *testing.T) { sqlpushtest.Borders(t, newDuckDB(t)) }

func TestWholes(t *testing.T) { sqlpushtest.Wholes(t, newDuckDB(t)) }
