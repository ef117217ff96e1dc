package protocol_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/pipeline"
)

// Runs of several names for one release die at random steps. Once each name has had runs that end, no staging folder is
// left. A run can fail with "lost" until the run that had renamed the release is repeated.
func TestKilledRunsLeaveNoStaging(t *testing.T) {
	owntest.Slow(t)
	steps := []string{"Prepare", "Stage", "WriteMAC", "Publish", "Discard", "EndExchange", "Exchange", ""}
	cases := uint64(150)
	if os.Getenv("DPRELEASE_LONG") != "" {
		cases = 3000
	}
	for seed := range cases {
		r := rand.New(rand.NewPCG(seed, 1))
		b := newBench(t)
		history := fmt.Sprintf("seed %d:", seed)
		run := func(number int) error {
			name := fmt.Sprint("name", number)
			_, err := b.run(t.Context(), func(r *protocol.Request) {
				b.presented(name)(r)
				r.Dir = filepath.Join(b.dir, name)
			})
			var failed *pipeline.Error
			if err != nil && !errors.Is(err, errCut) && (!errors.As(err, &failed) || failed.Code != "lost") {
				t.Fatal(history, err)
			}
			return err
		}
		for range 2 + r.IntN(5) {
			number, at, after := r.IntN(3), steps[r.IntN(len(steps))], r.IntN(2) == 0
			history += fmt.Sprintf(" name%d dies at %q (after it: %t);", number, at, after)
			b.wrap = func(s pipeline.Sink) pipeline.Sink { return &cutSink{Sink: s, at: at, after: after, err: errCut} }
			_ = run(number)
		}
		b.wrap = nil
		for _, number := range r.Perm(3) {
			_ = run(number) // the last one can be the one that finds the release
		}
		for number := range 3 {
			if err := run(number); err != nil {
				t.Error(history, err)
			}
		}
		b.clean(history)
	}
}
