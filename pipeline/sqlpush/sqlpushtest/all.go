package sqlpushtest

import (
	"slices"
	"testing"
)

// Dialect describes a database engine to the suite: how to make a database, and the types that its columns can have.
type Dialect struct {
	// New makes a database or a schema for a test, or skips the test.
	New func(t *testing.T) *Server
	// Units lists column types for privacy units. Ends lists further types, with the smallest and largest values of
	// each.
	Units, Ends []UnitColumn
	// Cases and Pairs are the numbers of random cases of the tests answers and stability. With DPRELEASE_LONG both have
	// ManyCases.
	Cases, Pairs, ManyCases int
	// Keys holds values of stabilitytest.Case.Layout for which Server.Type gives texts a character type.
	Keys []uint64
}

// Run runs the whole suite; each test is a subtest with a database of its own. With -short it leaves out the tests that
// run many statements on one connection. If all subtests are skipped, the test is skipped too.
func (d Dialect) Run(t *testing.T) {
	ran := false
	for _, test := range []struct {
		name string
		run  func(*testing.T, *Server)
		many bool // it runs many statements on one connection
	}{
		// Random jobs about random tables: the database and the local engine answer alike over the same table.
		{"answers", func(t *testing.T, s *Server) { Equality(t, s, Cases(t, d.Cases, d.ManyCases)) }, false},
		// The answers for neighbouring tables differ by at most the declared sensitivity.
		{"stability", func(t *testing.T, s *Server) { Stability(t, s, Cases(t, d.Pairs, d.ManyCases)) }, false},
		// An empty text is not null, whatever rows come before it.
		{"texts", Texts, true},
		// Long lists of labels and edges are written as other SQL expressions than short ones.
		{"wide domains", Wide, true},
		// Queries whose clamp or row bound is discovered, and queries whose cells have common noise (strategies).
		{"discovered clamps", Chosen, true},
		// Privacy units in columns of times.
		{"units of times", Times, true},
		// Texts that are compared without regard to case and white space.
		{"folded texts", Folded, true},
		// Vectors that are shortened to a length.
		{"vectors", Vectors, true},
		// Queries with the same rows and cells, which one statement may answer.
		{"together", Together, true},
		// Tables whose columns change during a run.
		{"altered", Altered, false},
		// Rows of units that are chosen by the columns in sample_by.
		{"sampled rows", Sampled, true},
		// Dimensions of the point nearest to a row's coordinates.
		{"places", Places, true},
		// Discovered keys with min_units: 2 or more, in texts of any collation.
		{"keys", func(t *testing.T, s *Server) { Keys(t, s, d.Keys...) }, false},
		// Discovered keys that a database refuses.
		{"refused keys", func(t *testing.T, s *Server) { RefusedKeys(t, s, 1) }, false},
		// Each kind of query, in a subtest of its name. A database refuses to discover keys that a single unit may
		// have.
		{"kinds", func(t *testing.T, s *Server) {
			Kinds(t, s, "keys_that_are_found", "keys_by_weights", "sums_by_keys_that_are_found",
				"means_by_keys_that_are_found",
				"variances_by_keys_that_are_found")
		}, true},
		// Numbers at and next to edges and the ends of clamps, and numbers that floating-point arithmetic must round.
		{"borders", Borders, true},
		// Integers, in columns of integers and of decimals.
		{"integers", Wholes, true},
		// Different values of a column are different units, even if the nearest doubles are equal.
		{"units", func(t *testing.T, s *Server) { Units(t, s, d.Units) }, false},
		// The smallest and largest values of types: no row makes a statement fail.
		{"values", func(t *testing.T, s *Server) { Values(t, s, slices.Concat(d.Units, d.Ends)) }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.many && testing.Short() {
				t.Skip("many statements on one connection")
			}
			server := d.New(t)
			ran = true
			test.run(t, server)
		})
	}
	if !ran && !t.Failed() {
		t.Skip("no test of the suite ran")
	}
}
