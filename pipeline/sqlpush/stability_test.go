//go:build unix

package sqlpush_test

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// The answers of neighbouring tables differ by at most the declared sensitivity.
func TestPostgresStability(t *testing.T) {
	sqlpushtest.Stability(t, newPostgres(t), sqlpushtest.Cases(t, 300, 20_000))
}

// Many labels and many edges are looked up in other ways than few.
func TestPostgresWideDomains(t *testing.T) { sqlpushtest.Wide(t, statements(t)) }

// Empty texts are no nulls, whatever rows are before them.
func TestPostgresTexts(t *testing.T) { sqlpushtest.Texts(t, statements(t)) }

// Clamps and bounds that are chosen later, and cells that share noise.
func TestPostgresChosen(t *testing.T) { sqlpushtest.Chosen(t, statements(t)) }

// Units of times.
func TestPostgresUnitsOfTimes(t *testing.T) { sqlpushtest.Times(t, statements(t)) }

// Texts of which differences in case and white space do not count.
func TestPostgresFoldedTexts(t *testing.T) { sqlpushtest.Folded(t, statements(t)) }

// Vectors that are shortened.
func TestPostgresVectors(t *testing.T) { sqlpushtest.Vectors(t, statements(t)) }

// The points that are nearest to places.
func TestPostgresPlaces(t *testing.T) { sqlpushtest.Places(t, statements(t)) }

// Keys that are discovered, of two units and more.
func TestPostgresKeys(t *testing.T) { sqlpushtest.Keys(t, newPostgres(t), 0) }

// Keys that a database is not asked for.
func TestPostgresRefusedKeys(t *testing.T) { sqlpushtest.RefusedKeys(t, newPostgres(t), 1) }

// Texts that are read as numbers.
func TestPostgresNumerals(t *testing.T) { sqlpushtest.Numerals(t, statements(t)) }

// Each kind of question, by name. Keys of single units are not discovered by a database.
func TestPostgresKinds(t *testing.T) {
	sqlpushtest.Kinds(t, statements(t), "keys_that_are_found", "sums_by_keys_that_are_found", "means_by_keys_that_are_found", "variances_by_keys_that_are_found")
}

// Numbers at and beside edges and the ends of clamps, and those that arithmetic loses.
func TestPostgresBorders(t *testing.T) { sqlpushtest.Borders(t, statements(t)) }

func TestPostgresWholes(t *testing.T) { sqlpushtest.Wholes(t, statements(t)) }
