package verify

import (
	"context"
	"errors"
	"slices"

	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// keys checks the tables of discovered keys. The noisy counts of the query that selects keys must reach the threshold,
// and the queries that use these keys must have them. If no query discovers keys, the check is left out.
func (v *verifying) keys(ctx context.Context) error {
	if !v.readable || !slices.ContainsFunc(v.manifest.Queries, func(q manifest.Query) bool { return q.Discovered() }) {
		return nil
	}
	s := selected{ctx: ctx, dir: v.dir, manifest: &v.manifest, tables: map[string]*sink.ReadBack{}}
	for i := range v.manifest.Queries {
		if err := s.check(&v.manifest.Queries[i]); err != nil {
			return err
		}
	}
	for _, f := range s.findings {
		v.add("keys", failed, "%s", f)
	}
	if len(s.findings) == 0 {
		v.add("keys", passed, "%s of discovered keys: each noisy count reaches its threshold, and tables of one selection "+
			"have the same keys", spelling.Count(s.checked, "table"))
	}
	return nil
}

// selected is a check of discovered keys in progress, with the tables that it has read.
type selected struct {
	ctx      context.Context
	dir      string
	manifest *manifest.Manifest
	tables   map[string]*sink.ReadBack // tables of queries that select keys, by query; nil if unreadable
	checked  int
	findings []string
}

func (s *selected) addFinding(q *manifest.Query, text string) {
	s.findings = append(s.findings, q.Name+": "+text)
}

// check checks the keys of one query. It returns an error only if ctx ended.
func (s *selected) check(q *manifest.Query) error {
	if !q.Discovered() {
		return nil
	}
	t, err := s.table(q)
	if t == nil || err != nil {
		return err
	}
	s.checked++
	if q.Selection != nil {
		s.checkSelection(q, t)
		return nil
	}
	i := slices.IndexFunc(s.manifest.Queries, func(other manifest.Query) bool { return other.Name == q.KeysOf })
	if i < 0 {
		s.addFinding(q, "there is no query "+q.KeysOf)
		return nil
	}
	leader, err := s.table(&s.manifest.Queries[i])
	if leader == nil || err != nil {
		return err
	}
	if !sameKeys(leader, t) {
		s.addFinding(q, "its keys are not those that "+q.KeysOf+" selected")
	}
	return nil
}

// table reads the answer of a query. If the answer cannot be read, table records a finding and returns nil.
func (s *selected) table(q *manifest.Query) (*sink.ReadBack, error) {
	if t, ok := s.tables[q.Name]; ok {
		return t, nil
	}
	t, err := sink.ReadTable(s.ctx, s.dir, q, "")
	if s.ctx.Err() != nil {
		return nil, s.ctx.Err()
	}
	if err != nil {
		t = nil
		text := "its table cannot be read"
		if errors.Is(err, pipeline.ErrIncomplete) {
			text = "its table is not as the manifest says"
		}
		s.addFinding(q, text)
	}
	if q.Selection != nil {
		s.tables[q.Name] = t
	}
	return t, nil
}

// checkSelection checks that the noisy counts of keys reach the threshold. It skips counts that a publish rule left
// empty.
func (s *selected) checkSelection(q *manifest.Query, t *sink.ReadBack) {
	if t.Rows != q.Cells {
		s.addFinding(q, "its table does not have a row for each key")
	}
	if t.Rows > 0 && slices.ContainsFunc(t.Values[0], func(noisy float64) bool { return noisy < q.Selection.Threshold }) {
		s.addFinding(q, "a noisy count is below the threshold of its keys")
	}
}

// sameKeys reports whether the table t has the same keys as the table of, in the same order, each in an equal number of
// rows.
func sameKeys(of, t *sink.ReadBack) bool {
	if of.Rows == 0 || t.Rows == 0 {
		return of.Rows == t.Rows
	}
	if len(t.Keys) < len(of.Keys) || t.Rows%of.Rows != 0 {
		return false
	}
	perKey := t.Rows / of.Rows
	for i := range of.Keys {
		for row := range t.Rows {
			if t.Keys[i].Text(row) != of.Keys[i].Text(row/perKey) {
				return false
			}
		}
	}
	return true
}
