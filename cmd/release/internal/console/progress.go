package console

import (
	"fmt"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
)

// Observer returns an observer that shows progress on stderr, and a function that ends it: a bar on a terminal, JSON
// lines with --log json, nothing with --quiet or in a file.
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

// jsonProgress writes a log line for each tenth of a stage. If several tenths are passed at once, it still writes a
// line for each: the number of splits depends on the rows, and the number of log lines must not.
type jsonProgress struct {
	*Console
	mu   sync.Mutex
	next map[pipeline.Stage]int // the tenth for which the next line is due
}

const tenths = 10

// Progress writes the lines that are due.
func (j *jsonProgress) Progress(s pipeline.Stage, done, total int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := tenths // a stage without parts is finished when it is reported
	if total > 0 {
		now = tenths * done / total
	}
	for ; j.next[s] <= now; j.next[s]++ {
		j.Logger().Info("progress", "stage", string(s), "done", j.next[s], "total", tenths)
	}
}

// barProgress draws one bar for each stage, with the remaining time. While rows are read, it also shows their number
// and rate. At the end it shows the duration of each stage. It uses no colour, so it respects NO_COLOR. Its output
// depends on the rows, so only the operator at the terminal may see it.
type barProgress struct {
	*Console
	mu     sync.Mutex
	bar    *progressbar.ProgressBar
	stages []stageTime // the stages in the order in which they began; the last one is shown
	drawn  time.Time   // the time at which the number of rows was last drawn
}

// stageTime is the duration of a stage.
type stageTime struct {
	stage      pipeline.Stage
	began, end time.Time
	rows       int64
}

// redraw is the minimal time between two drawings of the bar.
const redraw = 100 * time.Millisecond

// Progress draws the bar anew.
func (b *barProgress) Progress(s pipeline.Stage, done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if n := len(b.stages); n == 0 || b.stages[n-1].stage != s {
		b.clear()
		b.stages = append(b.stages, stageTime{stage: s, began: now, end: now})
		b.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.Stderr),
			progressbar.OptionSetDescription(string(s)),
			progressbar.OptionClearOnFinish(), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(redraw))
	}
	b.stages[len(b.stages)-1].end = now
	_ = b.bar.Set(done) // an error in drawing does not stop the run
}

// Rows adds n to the rows of the current stage.
func (b *barProgress) Rows(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.stages) == 0 {
		return
	}
	s := &b.stages[len(b.stages)-1]
	s.rows += int64(n)
	s.end = time.Now()
	if s.end.Sub(b.drawn) >= redraw {
		b.drawn = s.end
		b.bar.Describe(string(s.stage) + ": " + s.rowsText())
	}
}

// rowsText formats the number of rows that were read, and their rate: 1,234,567 rows, 2.5 M/s.
func (s *stageTime) rowsText() string {
	text := spelling.Integer(s.rows) + " rows"
	if seconds := s.end.Sub(s.began).Seconds(); seconds > 0 {
		text += ", " + rateText(float64(s.rows)/seconds)
	}
	return text
}

// rateText formats a number per second with three digits.
func rateText(x float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if x >= u.size {
			return fmt.Sprintf("%.3g%s/s", x/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g/s", x)
}

func (b *barProgress) clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}

// finish removes the bar and prints the duration of each stage, if rows were read.
func (b *barProgress) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	rows := [][]string{{"stage", "time", "rows"}}
	read := false
	for i := range b.stages {
		s := &b.stages[i]
		text := "-"
		if s.rows > 0 {
			read, text = true, s.rowsText()
		}
		rows = append(rows, []string{string(s.stage), s.end.Sub(s.began).Round(time.Millisecond).String(), text})
	}
	if read {
		b.Errorf("%s\n", Aligned(rows))
	}
}
