package denoise

import (
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// Kind says what the numbers of a vector are, as far as a method must know.
type Kind string

// The kinds.
const (
	// Counts, or sums that cannot be below 0.
	Counts Kind = "counts"
	// SignedSums may be below 0.
	SignedSums Kind = "signed sums"
	// CentredSums are those of a mean: of differences from the centre of the range, in another unit than the answer.
	CentredSums Kind = "centred sums"
	// Quotient is what no step goes with: of several noisy vectors.
	Quotient Kind = "quotient"
)

// Judge returns everything that is wrong with a step of a job, whose vector is of this kind; graph says whether the job gives the step one.
// It needs no data. The errors name the parameter that they are about, so that they can be shown at its place.
func Judge(method string, args Args, graph bool, kind Kind) (errs []*Error) {
	m, errs := judge(method, args)
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
		bad("graph", "graph goes with method: "+strings.Join(ownersOf(func(o Method) bool { return o.TakesGraph }), ", "), "remove it")
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
		m.judgeCentred(args, bad)
	case SignedSums:
		if _, said := args[nonnegativeName]; !said && m.floors(args) {
			bad("", m.Name+" moves sums below 0 to 0, and these may be below 0", "write nonnegative: false, or clamp the values to at least 0")
		}
	}
	if !slices.ContainsFunc(errs, func(e *Error) bool { return e.Code != CodeContradiction && e.Code != CodeUnknownParameter }) {
		if _, err := m.build(args); err != nil {
			errs = append(errs, asError(err))
		}
	}
	return errs
}

// judgeCentred finds what does not go with the sums of a mean: a number in the unit of the mean would be too small.
func (m Method) judgeCentred(args Args, bad func(param, message, hint string)) {
	const hint = "a mean's steps act on the sums of differences from the centre of the range, which may be negative; the mean itself never leaves its range"
	switch {
	case m.ForCounts:
		bad("", m.Name+" does not go with a mean", hint)
	case m.floors(args):
		bad("", "the sums of a mean may be negative", "write nonnegative: false; "+hint)
	}
	for _, p := range m.Params {
		if _, err := calibrate.ParseDecimal(args[p.Name]); p.InUnit && err == nil {
			bad(p.Name, "a number for the "+p.Name+" of a mean would act on sums, not on the mean", "leave "+p.Name+" out, or give a word: it then follows the noise")
		}
	}
}

// floors says whether a step of the method leaves nothing below 0, by its parameter.
func (m Method) floors(args Args) bool {
	for _, p := range m.Params {
		if p.Name == nonnegativeName {
			return args.text(p) == "true"
		}
	}
	return false
}
