package sink

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline"
)

const childEnv = "DPRELEASE_SINK_CHILD" // the folder in which the child process publishes

func childPlace(root string) place { return place{root, root + "/.staging-out", root + "/out"} }

// TestChild is the process that is killed. By itself it does nothing.
func TestChild(t *testing.T) {
	root := os.Getenv(childEnv)
	if root == "" {
		t.Skip("only as a child process")
	}
	p := childPlace(root)
	stage(t, p, releaseAs(t, []string{"parquet", "csv"}, result("a", stringKey("k", numbered(60_000)...)),
		result("b", stringKey("k", numbered(20_000)...), intKey("i", 1, 2))))
	must(t, New().Publish(t.Context(), p.staging, p.dir))
}

func child(t *testing.T, p place) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	c := exec.Command(program, "-test.run=^TestChild$")
	c.Env = append(os.Environ(), childEnv+"="+p.root)
	return c
}

// If a process is killed at any moment, the release folder is complete or absent, and an incomplete staging folder is
// recognised.
func TestKilledAtAnyMoment(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("starts many processes")
	}
	whole := childPlace(t.TempDir())
	start := time.Now()
	must(t, child(t, whole).Run())
	took := time.Since(start)
	digest, err := New().Inspect(t.Context(), whole.dir)
	must(t, err)
	const kills = 10
	for i := range kills {
		p := childPlace(t.TempDir())
		c := child(t, p)
		must(t, c.Start())
		time.Sleep(took * time.Duration(i+1) / (kills - 2))
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
		afterKill(t, p, digest)
	}
}

func afterKill(t *testing.T, p place, digest string) {
	t.Helper()
	s := New()
	got, err := s.Inspect(t.Context(), p.dir)
	switch {
	case err == nil && got == digest:
		return
	case !errors.Is(err, pipeline.ErrNoRelease):
		t.Fatalf("the release folder: %s %v", got, err)
	}
	note, got, err := s.Staged(t.Context(), p.staging)
	switch {
	case err == nil:
		if got != digest || note != "fingerprint" {
			t.Fatalf("the staging folder: %s %s", note, got)
		}
		must(t, s.Publish(t.Context(), p.staging, p.dir))
	case errors.Is(err, pipeline.ErrNoRelease), errors.Is(err, pipeline.ErrIncomplete):
		must(t, s.Discard(p.staging))
	default:
		t.Fatal(err)
	}
	if left := names(t, p.root); len(left) > 1 {
		t.Errorf("left behind: %q", left)
	}
}
