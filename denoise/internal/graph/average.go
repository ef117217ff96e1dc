package graph

import "context"

// batch is the number of trees whose estimates are computed in parallel before they are added up. It is a constant, so
// the rounding errors of sums do not depend on the number of workers.
const batch = 8

// average adds up the estimates from several random trees, in the order of the trees. It can be reused.
type average struct {
	x             []float64
	df, threshold float64
	trees         int
	rows          [][]float64
}

func newAverage(n, trees int) *average {
	s := &average{x: make([]float64, n), trees: trees, rows: make([][]float64, min(batch, trees))}
	for i := range s.rows {
		s.rows[i] = make([]float64, n)
	}
	return s
}

// tree writes the estimate from random tree i to x. worker is the index of the calling worker, whose memory it may use.
type tree func(worker, i int, x []float64) (df, threshold float64, err error)

// run averages the estimates from all trees, which it computes in parallel.
func (s *average) run(ctx context.Context, r Run, estimate tree) error {
	clear(s.x)
	s.df, s.threshold = 0, 0
	for done := 0; done < s.trees; done += batch {
		if err := s.addBatch(ctx, r, done, estimate); err != nil {
			return err
		}
	}
	for j := range s.x {
		s.x[j] /= float64(s.trees)
	}
	s.df /= float64(s.trees)
	s.threshold /= float64(s.trees)
	return nil
}

// addBatch adds the estimates of the next trees, at most batch. done is the number of trees that were added before.
func (s *average) addBatch(ctx context.Context, r Run, done int, estimate tree) error {
	now := min(batch, s.trees-done)
	part := r.quiet()
	if r.Progress != nil {
		part.Progress = func(finished, _ int) { r.Progress(done+finished, s.trees) }
	}
	var df, threshold [batch]float64
	err := part.runTasks(ctx, now, func(worker, i int) (err error) {
		df[i], threshold[i], err = estimate(worker, done+i, s.rows[i])
		return err
	})
	for i, row := range s.rows[:now] {
		s.df += df[i]
		s.threshold += threshold[i]
		for j, v := range row {
			s.x[j] += v
		}
	}
	return err
}
