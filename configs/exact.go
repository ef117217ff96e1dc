package configs

import "slices"

// ExactColumns lists the columns of the input in which two different values must stay different: those of the privacy
// unit, since two units must not become one, and those whose values are discovered keys.
func (j *Job) ExactColumns() []string {
	names := slices.Clone([]string(j.Privacy.Unit))
	for i := range j.Queries {
		if j.Queries[i].Histogram == nil {
			continue
		}
		// sums, means and variances by discovered keys have those of a histogram
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
