//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lead makes a command the leader of a process group, so that its children end with it.
func lead(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// watch returns the largest memory of a process and all its descendants together, in MB: the sum of their resident
// sets, measured every 20 ms. Pages that processes share count for each of them. It is 0 on systems without /proc.
func watch(pid int, stop <-chan struct{}) (peak float64) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return peak
		case <-tick.C:
			peak = max(peak, resident(strconv.Itoa(pid)))
		}
	}
}

func resident(pid string) (mb float64) {
	dir := filepath.Join("/proc", pid)
	if text, err := os.ReadFile(filepath.Join(dir, "statm")); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseFloat(fields[1], 64)
			mb = pages * float64(os.Getpagesize()) / 1e6
		}
	}
	lists, _ := filepath.Glob(filepath.Join(dir, "task", "*", "children"))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, child := range bytes.Fields(text) {
			mb += resident(string(child))
		}
	}
	return mb
}
