package dprelease

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/internal/combine"
)

// Cells names noisy cells of a release: Text is
//
//	[WEIGHT *] TABLE [where COLUMN = LABEL [and COLUMN in (LABEL, LABEL) …]]
//
// A condition has =, !=, <, <=, >, >= or in. Names and labels with spaces stand in double quotes. A negative weight
// subtracts cells.
type Cells struct {
	Release *Release
	Text    string
}

// Combined is a combination of noisy cells. The fields are NaN if it is a ratio and noise alone could explain its
// denominator; Stated is false then.
type Combined struct {
	Stated bool
	// Noisy is the noisy value: unbiased, if it is not a ratio. Deviation is the standard deviation of its noise.
	Noisy, Deviation float64
	// Low and High enclose the same combination of the exact, bounded answers in 95 of 100 cases.
	Low, High float64
}

// Combine adds up cells, and divides their sum by the sum of the cells of the denominator unless denominator is nil. It
// spends no budget. The interval is exact for Gaussian noise; the interval of a ratio is Fieller's (1954). It takes
// into account which cells have noise in common. Errors: an [*Error] with the code "not-a-sum" for tables whose cells
// cannot be added up, such as means and counts of discovered keys, or "bad-cells" for a text that selects no cell; the
// errors of [Open] and [Release.Table]; or ctx's.
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

// termsOf reads the tables that cells name.
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

// combinable reads a table for a sum of its cells.
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
