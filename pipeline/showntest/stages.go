package showntest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dprelease/dprelease/pipeline"
)

// Stages is a pipeline.Observer that records the stages that are reported to it. It leaves out the number of splits,
// which depends on the input's files.
type Stages struct {
	mu   sync.Mutex
	told []string
}

// Progress records a stage. The stages of aggregation and comparison are recorded without numbers.
func (o *Stages) Progress(s pipeline.Stage, done, total int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := fmt.Sprintf("%s %d of %d", s, done, total)
	if s == pipeline.StageAggregate || s == pipeline.StageCompare {
		text = string(s)
	}
	if !slices.Contains(o.told, text) { // once, however often workers report it
		o.told = append(o.told, text)
	}
}

// Show adds one line that lists all recorded stages.
func (o *Stages) Show(s *Lines) {
	slices.Sort(o.told)
	s.Addf("progress %s", strings.Join(o.told, ", "))
}
