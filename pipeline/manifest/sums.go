package manifest

import (
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// WhyNoSum explains why the error of a sum of the table's noisy cells is unknown; "" if it is known. holds is
// [File].Holds of the table: "" for the answer of the query itself.
func (q *Query) WhyNoSum(holds string) string {
	crosstabs := q.Kind == string(query.Crosstab)
	switch {
	case len(q.Mechanisms) == 0 || crosstabs && q.Strategy == nil:
		return "its manifest does not state its noise"
	case q.Discovered():
		return "its keys were selected by their noisy counts, so that the noise of those that are shown is not 0 on " +
			"average; list the keys in the job"
	case crosstabs && holds == "":
		return "it has the noisy numbers of which its tables are made; name one of these"
	case !crosstabs && holds != "":
		return "it was computed from the noisy cells of " + q.Name + ": add those up"
	case !crosstabs && q.Strategy != nil && q.Strategy.SumsOfCells == nil && q.Strategy.Name != string(strategy.FormCells):
		return "the noise of its cells depends on each other; the release has their sums, in the table " + q.Name + ".sums"
	case query.Kind(q.Kind).IsQuotient():
		return "it is a quotient: ask the job for sums and counts, and divide these"
	case !crosstabs && q.Strategy == nil && len(q.Mechanisms) != 1:
		return "it is made of several noisy vectors"
	}
	if i := slices.IndexFunc(q.Files, func(f File) bool { return f.Holds == holds }); i >= 0 && !crosstabs &&
		q.Files[i].Rows != q.Cells {
		return "it leaves cells out by their noisy values; remove sparse from the job"
	}
	return ""
}

// GeometricStep returns the step of geometric noise, in the unit of the answer: the noise is a multiple of the step. It
// is 0 for other noise, or if there is no mechanism.
func (q *Query) GeometricStep() float64 {
	if len(q.Mechanisms) == 0 {
		return 0
	}
	m := q.Mechanisms[0].calibrated(q.Name)
	if m.Noise != calibrate.Geometric {
		return 0
	}
	return q.Scaled(m.Grid)
}
