package dprelease

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/internal/combine"
)

// Cells is a description of some cells of one table of a release. Text has the form
//
//	[WEIGHT *] TABLE [where COLUMN = LABEL [and COLUMN in (LABEL, LABEL) …]]
//
// A condition has =, !=, <, <=, >, >= or in. Names and labels with spaces stand in double quotes. A negative weight
// subtracts cells.
type Cells struct {
	Release *Release
	Text    string
}

// Combined is the result of [Combine]: a sum of noisy cells, or a ratio of two sums. Stated is false if noise alone
// could explain the denominator of the ratio; then all other fields are NaN.
type Combined struct {
	Stated bool
	// Noisy is the sum or ratio of the noisy values. A sum is unbiased, a ratio is not. Deviation is the standard
	// deviation of Noisy.
	Noisy, Deviation float64
	// Low and High are a 95 % confidence interval for the same sum or ratio of the exact answers, after bounds and clamps.
	Low, High float64
}

// Combine adds up the cells of sum. If denominator is not nil, it divides this sum by the sum of the cells of
// denominator. It spends no budget. The interval is exact for Gaussian noise; the interval of a ratio is Fieller's
// (1954). It takes into account which cells have noise in common. Errors: an [*Error] with the code "not-a-sum" for
// tables whose cells cannot be added up, such as means and counts of discovered keys, or "bad-cells" for a text that
// selects no cell; the errors of [Open] and [Release.Table]; or ctx's.
func Combine(ctx context.Context, sum, denominator []Cells) (Combined, error) {
	above, err := termsOf(ctx, sum)
	if err != nil {
		return Combined{}, err
	}
	below, err := termsOf(ctx, denominator)
	if err != nil {
		return Combined{}, err
	}
	var r combine.Result
	if denominator == nil {
		r, err = combine.Sum(above)
	} else {
		r, err = combine.Ratio(above, below)
	}
	return Combined{r.Stated, r.Value, r.Deviation, r.Low, r.High}, errorOf(err)
}

// termsOf reads the table of each element of cells, and finds the cells that the element's text describes.
func termsOf(ctx context.Context, cells []Cells) (terms []combine.Term, err error) {
	for _, c := range cells {
		s, err := combine.Parse(c.Text)
		if err == nil && s.Release != "" {
			err = fmt.Errorf("%q names a release", c.Text)
		}
		if err != nil {
			return nil, badCells(err)
		}
		t, err := c.Release.combinable(ctx, s.Table)
		if err != nil {
			return nil, err
		}
		term, err := s.In(t)
		if err != nil {
			return nil, badCells(err)
		}
		terms = append(terms, term)
	}
	return terms, nil
}

func badCells(err error) error {
	return &Error{Cause: CauseJob, Code: "bad-cells", Message: err.Error(), err: err}
}

// combinable returns the table with this name, for a sum of its cells. It fails if the cells of the table cannot be
// added up.
func (r *Release) combinable(ctx context.Context, name string) (*combine.Table, error) {
	for i := range r.manifest.Queries {
		q := &r.manifest.Queries[i]
		for _, f := range q.Files {
			if tableName(q.Name, f.Holds) == name {
				t, err := combine.Open(ctx, r.dir, r.digest, &r.manifest, q, f.Holds)
				return t, errorOf(err)
			}
		}
	}
	return nil, r.noTable(name)
}
