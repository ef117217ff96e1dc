package setuptest

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// A server whose test ends without a cleanup is killed with all of its processes.
func TestEndWithTest(t *testing.T) {
	server := exec.Command("sh", "-c", "sleep 1000 & sleep 1000")
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := server.Start(); err != nil {
		t.Skip(err)
	}
	group := server.Process.Pid
	t.Cleanup(func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	alive, err := endWithTest(group)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-group, 0); err != nil {
		t.Fatal("the server ended before its test:", err)
	}
	if err := alive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err == nil {
		t.Error("the server ended by itself")
	}
	for range 100 {
		if syscall.Kill(-group, 0) != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("a process of the server is alive")
}
