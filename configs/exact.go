package configs

import "slices"

// ExactColumns lists the input columns in which different values must stay different: the columns of the privacy unit,
// since two units must not become one; the columns in which no two rows of a unit are alike; the columns of discovered
// keys; and the keys of joins. Joined columns are exact in the table from which they come.
func (j *Job) ExactColumns() []string {
	names := j.exactInQueries()
	if j.whole != nil {
		names = append(names, j.exactInJoins()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// exactInQueries lists the columns of the unit, those that tell its rows apart, and those of discovered keys.
func (j *Job) exactInQueries() []string {
	names := slices.Clone(j.Privacy.Unit.Columns)
	if u := j.Privacy.Unit.Upstream; u != nil {
		names = append(names, u.Distinct...)
	}
	for i := range j.Queries {
		q := &j.Queries[i]
		if q.Histogram == nil || !j.Reads(q) {
			continue
		}
		// Sums, means and variances by discovered keys use the keys of a histogram.
		for _, d := range q.Histogram.By {
			if d.Keys == "" {
				continue
			}
			names = append(names, d.Column)
			for _, event := range j.Input.Events {
				if column := event[d.Column]; column != "" {
					names = append(names, column)
				}
			}
		}
	}
	return names
}

// exactInJoins lists the columns of this table that must be exact because of joins: the keys of joins, and the columns
// that another table adds from this table and in which different values must stay different.
func (j *Job) exactInJoins() (names []string) {
	for _, join := range j.Joins() {
		names = append(names, join.Own...)
	}
	for _, name := range j.whole.TableNames() {
		other := j.whole.Of(name)
		exact := other.exactInQueries()
		for _, join := range other.Joins() {
			exact = append(exact, join.Own...) // a joined column can be a key of the next join
		}
		for _, join := range other.Joins() {
			if join.Table != j.table {
				continue
			}
			names = append(names, join.Theirs...)
			for i, as := range join.As {
				if slices.Contains(exact, as) {
					names = append(names, join.Add[i])
				}
			}
		}
	}
	return names
}
