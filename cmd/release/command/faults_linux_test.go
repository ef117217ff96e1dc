package command

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// disk mounts a small file system of its own at a folder of the test.
func (p *processes) disk(name string) (resize func(options string)) {
	p.Helper()
	dir := filepath.Join(p.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		p.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8k,mode=0700"); err != nil {
		p.Skipf("a file system can't be mounted here: %v", err)
	}
	p.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return func(options string) {
		p.Helper()
		flags := uintptr(syscall.MS_REMOUNT)
		if options == "ro" {
			flags, options = flags|syscall.MS_RDONLY, ""
		}
		if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
			p.Fatal(err)
		}
	}
}

func (p *processes) expect(code int, words string) {
	p.Helper()
	cmd := p.start("colours", "2001-01-01")
	got := exit(cmd)
	text := cmd.Stderr.(*strings.Builder).String()
	if got != code || !strings.Contains(text, words) {
		p.Errorf("exit code %d, want %d: %s", got, code, text)
	}
}

// A full or read-only disk ends a run with a clear error. When there is space, the same run finishes
// under the same charge.
func TestDiskFull(t *testing.T) {
	p := newProcesses(t, "sqlite:ledger.db", "1000")
	resize := p.disk("out-colours")
	resize("ro")
	p.expect(exitOutput, "read-only")
	if runs, err := p.book().Runs(t.Context()); err != nil || len(runs) > 0 {
		t.Errorf("a folder that can't be written was paid for: %v (%v)", runs, err)
	}
	resize("size=8k,mode=0700")
	p.expect(exitOutput, "full")
	p.expect(exitOutput, "full")
	resize("size=1m")
	p.expect(exitDone, "")
	p.settled(1)
}

// TestLedgerDiskFull does the same as TestDiskFull with the ledger's disk.
func TestLedgerDiskFull(t *testing.T) {
	p := newProcesses(t, "sqlite:disk/ledger.db", "1000")
	resize := p.disk("disk")
	p.expect(exitLedger, "no space is left")
	resize("size=1m")
	p.expect(exitDone, "")
	resize("ro")
	p.expect(exitLedger, "read-only")
	if p.visible("colours", "2001-01-01") == "" {
		t.Error("the release is gone")
	}
	resize("size=1m")
	p.settled(1)
}
