package console

import (
	"sync"

	"github.com/schollz/progressbar/v3"

	"github.com/dprelease/dprelease/pipeline"
)

// Observer returns what shows progress on stderr, and a function that ends it: a bar on a terminal, JSON lines with
// --log json, nothing with --quiet or in a file.
func (c *Console) Observer() (pipeline.Observer, func()) {
	switch {
	case c.Quiet:
		return pipeline.Silent{}, func() {}
	case c.Log == "json":
		return &jsonProgress{Console: c, next: map[pipeline.Stage]int{}}, func() {}
	}
	if c.Terminal() {
		b := &barProgress{Console: c}
		return b, b.finish
	}
	return pipeline.Silent{}, func() {}
}

// jsonProgress writes a line for each tenth of a stage, also if it passes several at once: how many parts an input has depends on its rows,
// and the lines of a log must not.
type jsonProgress struct {
	*Console
	mu   sync.Mutex
	next map[pipeline.Stage]int // the tenth of which the next line tells
}

const tenths = 10

// Progress writes the lines that are due.
func (j *jsonProgress) Progress(s pipeline.Stage, done, total int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := tenths // of an input without parts
	if total > 0 {
		now = tenths * done / total
	}
	for ; j.next[s] <= now; j.next[s]++ {
		j.Logger().Info("progress", "stage", string(s), "done", j.next[s], "total", tenths)
	}
}

// barProgress draws one bar a stage.
type barProgress struct {
	*Console
	mu    sync.Mutex
	stage pipeline.Stage
	bar   *progressbar.ProgressBar
}

func (b *barProgress) Progress(s pipeline.Stage, done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s != b.stage || b.bar == nil {
		b.clear()
		b.stage = s
		b.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.Stderr), progressbar.OptionSetDescription(string(s)),
			progressbar.OptionClearOnFinish(), progressbar.OptionShowCount())
	}
	_ = b.bar.Set(done) // a bar that can't be drawn is no reason to stop
}

func (b *barProgress) clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}

func (b *barProgress) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}
