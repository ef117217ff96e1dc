package queries

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
)

// Finish makes the answer of the noisy sums and, of a mean of two parts, the noisy counts.
//
// Sum: as for counts. Mean of a public number n of terms: centre + sum/n, with the deviation of the sum divided by n. Other
// means: see [ratio].
func (q *summing) Finish(noisy, estimate []mechanism.Noisy) (Answer, error) {
	lengths := []int{q.Cells()}
	switch {
	case q.squared():
		lengths = append(lengths, q.cells, q.cells)
	case q.ratio():
		lengths = append(lengths, q.cells)
	}
	if err := checkComponents(q.Name(), noisy, estimate, lengths...); err != nil {
		return Answer{}, err
	}
	a := q.answer(noisy, estimate)
	a.Cells, a.Keys = q.Cells(), q.keys()
	return a, nil
}

func (q *summing) answer(noisy, estimate []mechanism.Noisy) Answer {
	deviation := noisy[0].Mechanism().Deviation()
	switch {
	case q.squared():
		return q.varianceAnswer(noisy, estimate)
	case q.ratio():
		return q.ratioAnswer(noisy, estimate)
	case q.spec.Kind == Mean:
		return normal(q.mean(noisy[0].Fill), q.mean(estimate[0].Fill), math.Nextafter(deviation/float64(q.quantizer.rows), math.Inf(1)))
	}
	return normal(noisy[0].Fill, estimate[0].Fill, deviation)
}

// mean turns centred sums of a public number of terms into means.
func (q *summing) mean(sum Series) Series {
	n, centre := float64(q.quantizer.rows), q.quantizer.size(q.quantizer.centre)
	return func(start int, dst []float64) {
		sum(start, dst)
		for i, s := range dst {
			dst[i] = centre + s/n
		}
	}
}

// keys are those of the groups, with the components of each group next to each other.
func (q *summing) keys() []domain.KeyColumn {
	keys := domain.KeyColumns(q.axes)
	for i := range keys {
		keys[i].Stride *= q.quantizer.dims
	}
	if v := q.spec.Value; v.vector() {
		keys = append(keys, domain.KeyColumn{Name: componentKey, Stride: 1, Labels: v.components()})
	}
	return keys
}

// ratioAnswer makes the answer of two noisy parts, which it holds too.
func (q *summing) ratioAnswer(noisy, estimate []mechanism.Noisy) Answer {
	v := q.quantizer
	r := ratio{
		centre: v.size(v.centre), half: v.size(v.half()),
		sum: noisy[0].Mechanism().Deviation(), count: noisy[1].Mechanism().Deviation(), z: calibrate.Z95,
	}
	of := func(f func(s, n float64) float64) Series { return q.both(noisy, f) }
	return Answer{
		Noisy: of(r.mean), Estimate: q.both(estimate, r.estimate), Sigma: of(r.sigma),
		Low:   of(func(s, n float64) float64 { low, _ := r.interval(s, n); return low }),
		High:  of(func(s, n float64) float64 { _, high := r.interval(s, n); return high }),
		Extra: []Extra{{noisySum, noisy[0].Fill}, {noisyCount, of(func(_, n float64) float64 { return n })}},
	}
}

// both yields f of each component's sum and its group's count.
func (q *summing) both(parts []mechanism.Noisy, f func(s, n float64) float64) Series {
	dims := q.quantizer.dims
	return func(start int, dst []float64) {
		if len(dst) == 0 {
			return
		}
		parts[0].Fill(start, dst)
		first := start / dims
		counts := make([]float64, (start+len(dst)-1)/dims-first+1)
		parts[1].Fill(first, counts)
		for i, s := range dst {
			dst[i] = f(s, counts[(start+i)/dims-first])
		}
	}
}
