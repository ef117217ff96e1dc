package experiment

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"
	"golang.org/x/term"
)

// Each calls f for 0 … n-1 on all cores and shows a progress bar. It stops at the first error.
func (s *Session) Each(ctx context.Context, what string, n int, f func(ctx context.Context, i int) error) error {
	bar := progress(what, n)
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := f(ctx, i); err != nil {
					return err
				}
				_ = bar.Add(1) // an error of the bar does not matter
			}
			return nil
		})
	}
	err := group.Wait()
	_ = bar.Finish()
	return err
}

// progress returns a bar if stderr is a terminal. Otherwise the bar draws nothing.
func progress(what string, n int) *progressbar.ProgressBar {
	return progressbar.NewOptions(n, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(what),
		progressbar.OptionClearOnFinish(), progressbar.OptionShowCount(), progressbar.OptionThrottle(50e6),
		progressbar.OptionSetVisibility(term.IsTerminal(int(os.Stderr.Fd()))))
}

// Random returns the random generator of a task. It depends only on the name and the task's number, not on the core
// that runs the task.
func Random(name string, task int) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // writing to a hash cannot fail
	return rand.New(rand.NewPCG(h.Sum64(), uint64(task)))
}
