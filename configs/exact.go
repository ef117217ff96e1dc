package configs

import "slices"

// ExactColumns lists the input columns in which different values must stay different: the columns of the privacy unit,
// since two units must not become one, and the columns of discovered keys.
func (j *Job) ExactColumns() []string {
	names := slices.Clone(j.Privacy.Unit.Columns)
	for i := range j.Queries {
		if j.Queries[i].Histogram == nil {
			continue
		}
		// sums, means and variances by discovered keys use the keys of a histogram
		for _, d := range j.Queries[i].Histogram.By {
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
	slices.Sort(names)
	return slices.Compact(names)
}
