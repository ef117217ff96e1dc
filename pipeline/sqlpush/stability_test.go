//go:build unix

package sqlpush_test

import (
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// The answers for neighbouring tables differ by at most the declared sensitivity.
func TestPostgresStability(t *testing.T) {
	cases := 100
	if os.Getenv("DPRELEASE_LONG") != "" {
		cases = 300
	}
	sqlpushtest.Stability(t, newPostgres(t), sqlpushtest.Cases(t, cases, 20_000))
}

// Many labels and many edges have other SQL expressions than few.
func TestPostgresWideDomains(t *testing.T) { sqlpushtest.Wide(t, statements(t)) }

// An empty text is not null, whatever rows come before it.
func TestPostgresTexts(t *testing.T) { sqlpushtest.Texts(t, statements(t)) }

// Clamps and bounds that are discovered, and cells with common noise.
func TestPostgresChosen(t *testing.T) { sqlpushtest.Chosen(t, statements(t)) }

// Units in columns of times.
func TestPostgresUnitsOfTimes(t *testing.T) { sqlpushtest.Times(t, statements(t)) }

// Texts that are compared without case and white space.
func TestPostgresFoldedTexts(t *testing.T) { sqlpushtest.Folded(t, statements(t)) }

// Vectors that are clipped to a norm.
func TestPostgresVectors(t *testing.T) { sqlpushtest.Vectors(t, statements(t)) }

// Dimensions of the nearest point.
func TestPostgresPlaces(t *testing.T) { sqlpushtest.Places(t, statements(t)) }

// Keys that are discovered, of two units and more.
func TestPostgresKeys(t *testing.T) { sqlpushtest.Keys(t, newPostgres(t), 0) }

// Discovered keys that push-down refuses.
func TestPostgresRefusedKeys(t *testing.T) { sqlpushtest.RefusedKeys(t, newPostgres(t), 1) }

// Each kind of query, in a subtest of its name. A database discovers no keys of single units.
func TestPostgresKinds(t *testing.T) {
	sqlpushtest.Kinds(t, statements(t), "keys_that_are_found", "sums_by_keys_that_are_found",
		"means_by_keys_that_are_found", "variances_by_keys_that_are_found")
}

// Numbers at and next to edges and the ends of clamps, and numbers that floating-point arithmetic rounds.
func TestPostgresBorders(t *testing.T) { sqlpushtest.Borders(t, statements(t)) }

func TestPostgresWholes(t *testing.T) { sqlpushtest.Wholes(t, statements(t)) }

// Different values of a column are different units, whatever float64 is the nearest to them, and equal ones are one
// unit.
func TestPostgresUnits(t *testing.T) {
	wide := []string{"'10000000000000000000'", "'10000000000000000001'", "'10000000000000000002'",
		"'-10000000000000000001'", "'0'"}
	cents := []string{"'99999999999999.97'", "'99999999999999.98'", "'99999999999999.99'", "'0.1'"}
	null, numberNull := []string{"NULL"}, []string{"'NaN'", "NULL"}
	sqlpushtest.Units(t, newPostgres(t), []sqlpushtest.UnitColumn{
		{Type: "NUMERIC(20,0)", Values: wide, Null: numberNull},
		{Type: "NUMERIC(38,0)", Values: append(wide, "'9999999999999999999999999999999999999'"), Null: numberNull},
		{Type: "NUMERIC(16,2)", Values: cents, Null: numberNull},
		{
			Type: "NUMERIC", Values: slices.Concat(wide, cents, []string{"'1e40'", "'1e-40'"}), Null: append(numberNull,
				"'Infinity'", "'-Infinity'"),
			Equal: []string{"'1e19'", "'10000000000000000000.00'"},
		},
		{Type: "NUMERIC(18,0)", Values: []string{"'999999999999999999'", "'999999999999999998'", "'-1'"}, Null: numberNull},
		{Type: "BIGINT", Values: []string{"'9223372036854775807'", "'9223372036854775806'", "'-9223372036854775808'"},
			Null: null},
		{Type: "UUID", Values: []string{"'00000000-0000-0000-0000-000000000000'", "'00000000-0000-0000-0000-000000000001'"},
			Null: null},
		{Type: "TIMESTAMP", Values: []string{"'2024-01-01 00:00:00.000001'", "'2024-01-01 00:00:00.000002'", "'9999-12-31'"},
			Null: append(null, "'infinity'")},
		{Type: "TEXT", Values: []string{"'1'", "'01'", "'1 '", "''", `E'\u00e9'`, `E'e\u0301'`}, Null: null},
		{Type: "BYTEA", Values: []string{`'\x00'`, `'\xff'`, `'\xfe'`, `'\x'`}, Null: null},
	})
}
