package main

import (
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/dprelease/dprelease/pipeline"
)

// observer returns what shows progress on stderr, and a function that ends it: a bar on a terminal, JSON lines with
// --log json, nothing with --quiet or in a file.
func (a *app) observer() (pipeline.Observer, func()) {
	switch {
	case a.quiet:
		return pipeline.Silent{}, func() {}
	case a.log == "json":
		return jsonProgress{a}, func() {}
	}
	if f, ok := a.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b := &barProgress{app: a}
		return b, b.finish
	}
	return pipeline.Silent{}, func() {}
}

type jsonProgress struct{ *app }

func (j jsonProgress) Progress(s pipeline.Stage, done, total int) {
	j.logger().Info("progress", "stage", string(s), "done", done, "total", total)
}

// barProgress draws one bar a stage.
type barProgress struct {
	*app
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
		b.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.stderr), progressbar.OptionSetDescription(string(s)),
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
