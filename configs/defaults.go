package configs

import (
	"cmp"
)

// Defaults that depend on other keys
//
// Most keys have a constant default in the struct tag `default`, which yamltree.FillDefaults sets. This file has the
// others: of null, nan and some denoising parameters.

// Terms returns the number of values that a mean averages, if this number is public. It is the mean's own rows key, or
// input.rows if every row of the input has one value. Terms returns 0 if the number is private, or if rows have
// weights.
func (j *Job) Terms(q *Query, a *Aggregate) int64 {
	in := &j.Input
	if a.Rows > 0 {
		return a.Rows
	}
	if filtered := len(in.Where)+len(q.Where) > 0; !filtered && a.Weight == nil && len(j.Privacy.Unit.Columns) == 0 &&
		len(a.By) == 0 && len(in.Events) == 0 {
		return in.Rows
	}
	return 0
}

// nullPolicy returns the default of the keys null and nan, for rows without a value: "drop", or "centre" if the number
// of values is public, because then no row can be left out.
func (j *Job) nullPolicy(q *Query, a *Aggregate) string {
	if a == q.Mean && j.Terms(q, a) > 0 {
		return "centre"
	}
	return "drop"
}

// fillDependentDefaults sets the defaults of this file.
func fillDependentDefaults(job *Job) {
	for i := range job.Queries {
		q := &job.Queries[i]
		for _, a := range q.Aggregates() {
			a.Null, a.NaN = cmp.Or(a.Null, job.nullPolicy(q, a)), cmp.Or(a.NaN, job.nullPolicy(q, a))
		}
		for k := range job.Queries[i].Denoise {
			// The job's digest leaves out parameters that the job leaves out. This parameter is an exception: its
			// default is part of the digest.
			if s := &job.Queries[i].Denoise[k]; s.Method == "james-stein" && s.Args["positive_part"] == "" {
				s.setParam("positive_part", "true")
			}
		}
	}
}
