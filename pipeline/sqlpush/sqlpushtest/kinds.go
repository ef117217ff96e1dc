package sqlpushtest

import (
	"errors"
	"path"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Kinds compares the answers to each kind of query, one by one. The database must refuse the kinds in refused, and
// answer at least one query of each other kind.
func Kinds(t *testing.T, s *Server, refused ...string) {
	t.Helper()
	// No database computes derived columns, or reads texts as numbers.
	refused = append(refused, "columns_of_lookups", "computed_columns", "numbers_in_texts")
	asked := map[string]bool{}
	stabilitytest.EachKind(t, &stabilitytest.Lab{TB: t, Dir: t.TempDir()}, func(t *testing.T, c *stabilitytest.Case) {
		_, kind := path.Split(t.Name())
		types := s.loadKind(t, c)
		asked[kind] = asked[kind] || false
		for _, q := range c.Job.Queries {
			alone := *c.Job
			alone.Queries = []string{q}
			if _, diags := alone.Plan("job.yaml", "t.csv"); len(diags) > 0 {
				alone.Queries = []string{c.Job.Queries[0], q} // the first query discovers its keys
			}
			same, err := s.Same(t, planOf(t, &alone), "kinds")
			switch {
			case errors.Is(err, ErrRefused):
			case err != nil || same != "":
				t.Fatalf("%s: %v %s\n%s%v%v", c.Note, err, same, alone.YAML(), types, c.Pair.Table(0))
			default:
				asked[kind] = true
			}
		}
	})
	for kind, is := range asked {
		if slices.Contains(refused, kind) == is {
			t.Errorf("%s: asked is %v", kind, is)
		}
	}
}

// loadKind makes the table of a case. Databases have no columns of lists, so these are texts that are null.
func (s *Server) loadKind(t *testing.T, c *stabilitytest.Case) (types []string) {
	t.Helper()
	rows := slices.Concat(c.Pair.Table(0)...)
	columns := slices.Clone(c.Job.Columns)
	for i := range columns {
		of := s.Type(columns[i].Kind, c)
		if of == "" {
			columns[i].Kind = stabilitytest.Text
			of = s.Type(stabilitytest.Text, c)
			for n := range rows {
				rows[n] = slices.Clone(rows[n])
				rows[n][i] = nil
			}
		}
		types = append(types, of)
	}
	if err := s.Load("kinds", columns, types, rows); err != nil {
		t.Fatalf("%s: %v\n%s", c.Note, err, c.Job.YAML())
	}
	return types
}
