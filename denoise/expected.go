package denoise

import (
	"context"
	"fmt"
	"math"
)

// Estimate carries out steps, in order, on noisy values. Their noise must be independent with standard deviation s > 0.
// It returns the estimates with the notes of all steps; y is not changed. DF is the degrees of freedom of the last
// step. Errors: the errors of [Check], and an [*Error] if s or a value is not a finite number.
func Estimate(ctx context.Context, y []float64, s float64, steps []*Step) (Fit, error) {
	if err := checkInput(y, s); err != nil {
		return Fit{}, err
	}
	if err := Check(steps); err != nil {
		return Fit{}, err
	}
	f := unchanged(y)
	var notes []string
	for _, st := range steps {
		var err error
		if f, err = st.fit(ctx, f.X, s); err != nil {
			return Fit{}, fmt.Errorf("denoise %s: %w", st.Name(), err)
		}
		for _, text := range f.Notes {
			notes = append(notes, st.Name()+": "+text)
		}
	}
	f.Notes = notes
	return f, nil
}

func checkInput(y []float64, s float64) error {
	if !(s > 0) || math.IsInf(s, 1) {
		return &Error{Code: CodeBadValue, Message: "the noise's standard deviation is not a number above 0"}
	}
	for _, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &Error{Code: CodeBadValue, Message: "a noisy value is not a finite number"}
		}
	}
	return nil
}

// Risk is the expected error of an estimate, averaged over a query's cells.
type Risk struct {
	// RMSE is the root of the expected mean squared error of a cell, in the query's unit. It is at least s·√Uncertainty,
	// or s if Uncertainty is above 1.
	RMSE float64
	// Low and High are the limits of an interval that contains, in about 95 % of the cases, both the expected RMSE and the
	// actual RMSE of these estimates.
	Low, High float64
	// Relative is the mean squared error divided by s², the error of the noisy values. If there are many cells, it is
	// unbiased, so it may be below 0. Few cells do not show their error well, so Relative is then nearly 1.
	Relative float64
	// Uncertainty is the standard deviation of Relative.
	Uncertainty float64
}

const (
	// fission is γ: an estimator is applied to y + γ·w, whose noise has the standard deviation s·√(1+γ²), 0.8 % above s.
	fission = 0.125
	// riskSeed is public and arbitrary. The noisy values are mixed into it: with the same random w for all tables, the
	// estimated errors of all releases would deviate in the same direction.
	riskSeed = 0x6470_7265_6c65_6173
	// riskNumbers is the approximate number of normal random numbers that are drawn in all. maxTries is the largest number
	// drawn per cell.
	riskNumbers, maxTries = 1 << 13, 32
	// fewCells decides how the estimated error is averaged with the error of the noisy values: their weights are n² and
	// fewCells for n cells. The two weights are equal at √200 ≈ 14 cells.
	fewCells = 200
)

// ExpectedError estimates the error of the estimates that steps compute from y. The noise of y must be independent with
// standard deviation s > 0. The estimated error includes everything that the steps decide from y: a threshold found by
// SURE, the choice of the method auto, clipping, rounding. So these choices do not bias it, as they bias the smallest
// of several SURE values. ExpectedError reads no values except y.
//
// With w ~ N(0, s²) from a public seed, y + γ·w and y − w/γ are independent. The steps are applied to y + γ·w, and the
// result is compared with y − w/γ. If the mean of a term over w is known, the mean is used instead of the term:
//
//	‖x(y+γw) − y‖² + (2/γ)·w·(x(y+γw) − x(y)) − d·s²
//
// is an unbiased estimate of the squared error at noise s·√(1+γ²), which is 0.8 % larger.
//
// Over few cells this estimate varies so much that its root is often far too small. Therefore it is averaged with s²,
// the error of the noisy values. With n cells the weights are n² and 200, equal at 14 cells. Steps that do not fit the
// values are no better than noise. So if the estimate exceeds s² by z times twice the standard deviation that the noise
// gives it, the weight of s² is reduced by the factor e^(−z²/2).
//
// The uncertainty of the estimate follows from the variation of its terms over the cells. It is large if there are few
// cells, or if the error is far below s². The result is an expectation over the query's cells and gives no interval for
// one cell. Only the noisy value gives a valid interval for a cell.
//
// Source: Oliveira, Lei & Tibshirani, "Unbiased risk estimation in the normal means problem via coupled bootstrap
// techniques", 2021; Leiner, Duan, Wasserman & Ramdas, "Data fission", JASA 2023.
func ExpectedError(ctx context.Context, y []float64, s float64, steps []*Step) (Risk, error) {
	f, err := Estimate(ctx, y, s, steps)
	if err != nil {
		return Risk{}, err
	}
	t := trial{y: y, x: f.X, s: s, losses: make([]float64, len(y)), stream: public{state: riskSeed}}
	for _, v := range y {
		t.stream.state = t.stream.next() ^ math.Float64bits(v)
	}
	tries := max(1, min(riskNumbers/max(len(y), 1), maxTries))
	for range tries {
		if err := t.try(ctx, steps, float64(tries)); err != nil {
			return Risk{}, err
		}
	}
	return t.risk(), nil
}

// trial applies an estimator to y + γ·w, and sums its losses cell by cell, in units of s².
type trial struct {
	y, x   []float64
	s      float64
	losses []float64
	stream public
}

// try draws new noise w and adds the losses, divided by the number of tries.
func (t *trial) try(ctx context.Context, steps []*Step, tries float64) error {
	w := make([]float64, len(t.y))
	noisier := make([]float64, len(t.y))
	for i, v := range t.y {
		w[i] = t.stream.normal()
		noisier[i] = publishable(v + fission*t.s*w[i])
	}
	f, err := Estimate(ctx, noisier, min(t.s*math.Sqrt(1+fission*fission), math.MaxFloat64), steps)
	if err != nil {
		return err
	}
	for i, x := range f.X {
		off, moved := clampFar((x-t.y[i])/t.s), clampFar((x-t.x[i])/t.s)
		t.losses[i] += (off*off + 2/fission*w[i]*moved - 1) / tries
	}
	return nil
}

func (t *trial) risk() Risk {
	n := float64(len(t.y))
	if n == 0 {
		return Risk{}
	}
	r := Risk{Relative: mean(t.losses), Uncertainty: spreadOfSum(t.losses) / n}
	noise := math.Sqrt(2 / n) // the mean squared error of the noisy values, divided by s², has this standard deviation
	few := fewCells / (n*n + fewCells)
	if z := (r.Relative - 1) / (2 * noise); z > 0 {
		few *= math.Exp(-z * z / 2)
	}
	r.Relative += few * (1 - r.Relative)
	r.Uncertainty = max(r.Uncertainty, few*noise)
	r.RMSE = t.root(max(r.Relative, min(r.Uncertainty, 1)))
	// The actual error of one table varies around its expectation. Low is divided, because the trial's noise was larger
	// than the noise of y.
	own := max(r.Relative, 0)
	width := 1.96 * math.Hypot(r.Uncertainty, own*noise)
	r.Low = t.root(r.Relative-width) / math.Sqrt(1+fission*fission)
	r.High = t.root(own + width)
	return r
}

func (t *trial) root(relative float64) float64 {
	return publishable(t.s * math.Sqrt(max(relative, 0)))
}

// spreadOfSum returns the standard deviation of the sum of independent values, estimated by their sample variance.
func spreadOfSum(values []float64) float64 {
	n := float64(len(values))
	if n < 2 {
		return 0
	}
	m := mean(values)
	var sum float64
	for _, v := range values {
		sum += float64((v - m) * (v - m))
	}
	return math.Sqrt(sum * n / (n - 1))
}
