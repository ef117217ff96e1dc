//go:build unix

package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/pipeline"
)

// If Go's runtime ends the process, the exit code is not the one for usage errors. SIGQUIT makes the runtime do so.
func TestCrashIsNotUsage(t *testing.T) {
	folder := t.TempDir()
	cmd := exec.Command(os.Args[0], "selftest", "--seconds", "600")
	cmd.Env = append(os.Environ(), asRelease+"=1", "TMPDIR="+folder)
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for { // it is at work
		if made, _ := filepath.Glob(filepath.Join(folder, "*")); len(made) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGABRT || status.CoreDump() {
		t.Errorf("ended by %v; %.200s", cmd.ProcessState, out.String())
	}
}

// After a signal the exit code is 128 plus its number, also if the stopped code returns context.Cause instead of
// ctx.Err, as the workers that draw noise do.
func TestSignalDuringNoise(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(interrupted{signal})
		for _, err := range []error{
			ctx.Err(), context.Cause(ctx),
			&pipeline.Error{Cause: pipeline.CauseInside, Code: "internal", Message: "noise", Err: context.Cause(ctx)},
		} {
			if got := ExitCode(ctx, err); got != want {
				t.Errorf("%v: exit code %d, want %d", err, got, want)
			}
		}
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Error("a signal is no cancellation")
		}
		if got := ExitCode(ctx, &pipeline.Error{Cause: pipeline.CauseOutput, Code: "output"}); got != exitOutput {
			t.Errorf("a failure of its own after a signal: exit code %d", got)
		}
	}
}
