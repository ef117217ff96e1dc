package sqlpushtest

import (
	"slices"
	"testing"
)

// Dialect is a database with its peculiarities.
type Dialect struct {
	// New makes a database or a schema for a test, or skips the test.
	New func(t *testing.T) *Server
	// Units are types of columns of privacy units, and Ends are other types, with values at the ends of their types.
	Units, Ends []UnitColumn
	// Cases and Pairs are the numbers of random cases of the tests Answers and Stability; ManyCases is their number
	// with DPRELEASE_LONG.
	Cases, Pairs, ManyCases int
	// Keys are the layouts of stabilitytest.Case in which texts have character types.
	Keys []uint64
}

// Run runs the whole suite: each test is a subtest with a database of its own. With -short, which the race detector
// has, it leaves out tests of many statements on one connection. If all subtests are skipped, so is the test.
func (d Dialect) Run(t *testing.T) {
	ran := false
	for _, test := range []struct {
		name string
		run  func(*testing.T, *Server)
		many bool // statements on one connection
	}{
		// Random jobs about random tables: the database and the local engine answer alike over the same table.
		{"answers", func(t *testing.T, s *Server) { Equality(t, s, Cases(t, d.Cases, d.ManyCases)) }, false},
		// The answers for neighbouring tables differ by at most the declared sensitivity.
		{"stability", func(t *testing.T, s *Server) { Stability(t, s, Cases(t, d.Pairs, d.ManyCases)) }, false},
		// An empty text is not null, whatever rows come before it.
		{"texts", Texts, true},
		// Many labels and many edges have other SQL expressions than few.
		{"wide domains", Wide, true},
		// Clamps and bounds that are discovered, and cells with common noise.
		{"discovered clamps", Chosen, true},
		// Units in columns of times.
		{"units of times", Times, true},
		// Texts that are compared without case and white space.
		{"folded texts", Folded, true},
		// Vectors that are clipped to a norm.
		{"vectors", Vectors, true},
		// Queries of the same rows and cells.
		{"together", Together, true},
		// Dimensions of the nearest point.
		{"places", Places, true},
		// Discovered keys of at least two units, in texts of any collation.
		{"keys", func(t *testing.T, s *Server) { Keys(t, s, d.Keys...) }, false},
		// Discovered keys that a database refuses.
		{"refused keys", func(t *testing.T, s *Server) { RefusedKeys(t, s, 1) }, false},
		// Each kind of query, in a subtest of its name. A database discovers no keys of single units.
		{"kinds", func(t *testing.T, s *Server) {
			Kinds(t, s, "keys_that_are_found", "keys_by_weights", "sums_by_keys_that_are_found",
				"means_by_keys_that_are_found",
				"variances_by_keys_that_are_found")
		}, true},
		// Numbers at and next to edges and the ends of clamps, and numbers that floating-point arithmetic rounds.
		{"borders", Borders, true},
		// Integers, in columns of integers and of decimals.
		{"integers", Wholes, true},
		// Different values of a column are different units, even if their nearest double is the same.
		{"units", func(t *testing.T, s *Server) { Units(t, s, d.Units) }, false},
		// Values at the ends of their types: no row makes a statement fail.
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
