package pipeline

import (
	"slices"
	"sync/atomic"

	"github.com/dprelease/dprelease/queries/query"
)

// minReportedCells is the number of written cells from which on a release reports the progress of writing.
const minReportedCells = 1 << 20

// WithProgress returns a copy of the release that reports the progress of writing to the observer. It assumes that the
// sink writes each table and reads it back once per format. A small release is returned unchanged.
func (r *Release) WithProgress(o Observer) *Release {
	w := &writing{observer: o}
	for _, result := range r.results {
		w.total += 2 * int64(result.Answer.Cells) * int64(len(r.formats))
	}
	if w.total < minReportedCells {
		return r
	}
	out := *r
	out.results = slices.Clone(r.results)
	for i := range out.results {
		out.results[i].Answer.Estimate = w.count(out.results[i].Answer.Estimate)
	}
	return &out
}

// writing counts the cells that a sink reads, for progress. It counts each cell's estimate twice per format: when the
// sink writes it and when it compares it.
type writing struct {
	observer    Observer
	total       int64
	done, shown atomic.Int64
}

func (w *writing) count(s query.Series) query.Series {
	return func(start int, dst []float64) {
		s(start, dst)
		share := percent * w.done.Add(int64(len(dst))) / w.total
		if shown := w.shown.Load(); share > shown && share < percent && w.shown.CompareAndSwap(shown, share) {
			w.observer.Progress(StagePublish, int(share), percent)
		}
	}
}
