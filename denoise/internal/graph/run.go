package graph

import (
	"context"
	"runtime"
	"sync"
)

// Run holds settings for carrying out a computation, such as the number of workers. They do not change the result.
type Run struct {
	// Workers is the number of goroutines, or 0 for one per processor.
	Workers int
	// Progress, if not nil, is called with the number of tasks done and their total. Two goroutines never call it at
	// the same time.
	Progress func(done, total int)
}

func (r Run) workers(tasks int) int {
	w := r.Workers
	if w <= 0 {
		w = runtime.GOMAXPROCS(0)
	}
	return max(1, min(w, tasks))
}

// quiet returns r without progress reports, for nested computations.
func (r Run) quiet() Run { return Run{Workers: r.Workers} }

// runTasks calls task(worker, i) for i from 0 to n−1. Tasks with the same worker run one after the other, so they can
// use the same memory. It returns the error of the failed task with the lowest i, or ctx's error.
func (r Run) runTasks(ctx context.Context, n int, task func(worker, i int) error) error {
	errs := make([]error, n)
	var lock sync.Mutex
	next, done := 0, 0
	take := func() int {
		lock.Lock()
		defer lock.Unlock()
		if next >= n || ctx.Err() != nil {
			return n
		}
		next++
		return next - 1
	}
	finish := func(i int, err error) {
		lock.Lock()
		defer lock.Unlock()
		errs[i] = err
		if err != nil {
			next = n
		}
		done++
		if r.Progress != nil {
			r.Progress(done, n)
		}
	}
	var group sync.WaitGroup
	for w := range r.workers(n) {
		group.Go(func() {
			for i := take(); i < n; i = take() {
				finish(i, task(w, i))
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
