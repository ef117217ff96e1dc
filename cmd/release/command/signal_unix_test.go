//go:build unix

package command

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// The first signal ends the process within five seconds, even if it is in a call that nothing can interrupt, such as a
// write to a pipe that nobody reads.
func TestOneSignalEndsTheProcess(t *testing.T) {
	notShort(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(os.Args[0], "schema") // longer than a pipe holds
	cmd.Env = append(os.Environ(), asRelease+"=1")
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // if the test gave up
	_ = w.Close()                             // the process has its own
	time.Sleep(time.Second)
	start := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exit(cmd); code != 143 || time.Since(start) > 5*time.Second {
		t.Errorf("exit code %d after %v", code, time.Since(start))
	}
}
