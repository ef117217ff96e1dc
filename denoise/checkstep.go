package denoise

import (
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// Kind is the kind of a vector's values, such as counts. Some methods do not suit all kinds.
type Kind string

// The kinds of vectors.
const (
	// Counts are counts, or sums that cannot be below 0.
	Counts Kind = "counts"
	// SignedSums are sums that may be below 0.
	SignedSums Kind = "signed sums"
	// CentredSums are the sums from which a mean is computed: sums of differences from the centre of the range. Their unit
	// is not the unit of the answer.
	CentredSums Kind = "centred sums"
	// Quotient is an answer that is computed from several noisy vectors. No step can be applied to it.
	Quotient Kind = "quotient"
)

// CheckStep returns all errors in one step of a job. kind describes the vector to which the step is applied; graph is
// true if the job gives the step a graph. CheckStep needs no data. Each error names its parameter, so that it can be
// shown at the parameter's line of the job.
func CheckStep(method string, args Args, graph bool, kind Kind) (errs []*Error) {
	m, errs := checkArgs(method, args)
	if len(errs) > 0 && errs[0].Code == CodeUnknownMethod {
		return errs
	}
	bad := func(param, message, hint string) {
		errs = append(errs, &Error{Code: CodeContradiction, Message: message, Hint: hint, Param: param})
	}
	for _, e := range errs {
		owners := ownersOf(func(o Method) bool { return slices.Contains(o.paramNames(), e.Param) })
		if e.Code == CodeUnknownParameter && len(owners) > 0 {
			e.Code, e.Message, e.Hint = CodeContradiction, e.Param+" goes with method: "+strings.Join(owners, ", "), "remove it"
		}
	}
	if graph && !m.TakesGraph {
		bad("graph", "graph goes with method: "+strings.Join(ownersOf(func(o Method) bool { return o.TakesGraph }), ", "),
			"remove it")
	}
	for _, p := range m.Params {
		if x, err := calibrate.ParseNearest(args[p.Name]); p.Positive && err == nil && x == 0 {
			errs = append(errs, &Error{Code: CodeBadValue, Message: "must be greater than 0, is " + args[p.Name], Param: p.Name})
		}
	}
	switch kind {
	case Quotient:
		bad("", "no step goes with a variance, a quotient of three noisy vectors", "remove denoise")
	case CentredSums:
		m.checkCentred(args, bad)
	case SignedSums:
		if _, said := args[nonnegativeName]; !said && m.isNonnegative(args) {
			bad("", m.Name+" moves sums below 0 to 0, and these may be below 0",
				"write nonnegative: false, or clamp the values to at least 0")
		}
	}
	return errs
}

// checkCentred calls bad for each parameter that does not suit the sums of a mean. A parameter in the unit of the mean
// would be too small for sums.
func (m Method) checkCentred(args Args, bad func(param, message, hint string)) {
	const hint = "a mean's steps act on the sums of differences from the centre of the range, which may be negative; " +
		"the mean itself never leaves its range"
	switch {
	case m.ForCounts:
		bad("", m.Name+" does not go with a mean", hint)
	case m.isNonnegative(args):
		bad("", "the sums of a mean may be negative", "write nonnegative: false; "+hint)
	}
	for _, p := range m.Params {
		if _, err := calibrate.ParseDecimal(args[p.Name]); p.InUnit && err == nil {
			bad(p.Name, "a number for the "+p.Name+" of a mean would act on sums, not on the mean",
				"leave "+p.Name+" out, or give a word: it then follows the noise")
		}
	}
}

// isNonnegative reports whether a step of the method, with these parameters, returns no negative value.
func (m Method) isNonnegative(args Args) bool {
	for _, p := range m.Params {
		if p.Name == nonnegativeName {
			return args.text(p) == "true"
		}
	}
	return false
}
