package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// call is a system call that affects durability: fsync with the path, unlink with the path, or rename with both.
type call struct{ name, path, to string }

var (
	tracedSync   = regexp.MustCompile(`(?:fsync|fdatasync)\(\d+<([^>]*)>`)
	tracedRename = regexp.MustCompile(`(?:rename|renameat|renameat2)\((?:AT_FDCWD(?:<[^>]*>)?, )?"([^"]*)", (?:AT_FDCWD(?:<[^>]*>)?, )?"([^"]*)"`)
	tracedUnlink = regexp.MustCompile(`unlink(?:at)?\((?:AT_FDCWD(?:<[^>]*>)?, )?"([^"]*)"`)
)

// trace runs the program on the job under strace and returns its calls, in order.
func (p *processes) trace(day string) (calls []call) {
	p.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		p.Skip("no strace")
	}
	out := filepath.Join(p.TempDir(), "trace")
	cmd := exec.Command(strace, "-f", "-y", "-qq", "-s", "4096", "-e",
		"trace=fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat", "-e", "signal=none",
		"-o", out, os.Args[0], "run", "colours.yaml", "--param", "day="+day, "--quiet")
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), asRelease+"=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(text), "ptrace") {
			p.Skipf("processes can't be traced here: %s", text)
		}
		p.Fatalf("%v: %s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		p.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if m := tracedSync.FindStringSubmatch(line); m != nil {
			calls = append(calls, call{"fsync", m[1], ""})
		} else if m := tracedRename.FindStringSubmatch(line); m != nil {
			calls = append(calls, call{"rename", p.absolute(m[1]), p.absolute(m[2])})
		} else if m := tracedUnlink.FindStringSubmatch(line); m != nil {
			calls = append(calls, call{"unlink", p.absolute(m[1]), ""})
		}
	}
	return calls
}

func (p *processes) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.dir, path)
}

// In the system calls of a run, every file that is renamed or committed was synced before, and its
// folder is synced afterwards.
func TestSyncsOfARun(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the program in processes of its own, which the race detector does not join")
	}
	p := newProcesses(t, "sqlite:ledger.db", "1000")
	var err error
	if p.dir, err = filepath.EvalSymlinks(p.dir); err != nil {
		t.Fatal(err)
	}
	calls := p.trace("2001-01-01")
	synced := func(from, to int, path string) bool {
		return slices.ContainsFunc(calls[from:to], func(c call) bool { return c == call{"fsync", path, ""} })
	}
	db, dir := filepath.Join(p.dir, "ledger.db"), filepath.Join(p.dir, "out-colours", "2001-01-01")
	published, commits, last := -1, 0, 0
	for i, c := range calls {
		next := len(calls)
		switch {
		case c.name == "rename" && c.to == dir:
			published = i
		case c.name == "unlink" && c.path == db+"-journal": // a commit
			commits++
			if j := slices.IndexFunc(calls[i+1:], func(c call) bool { return c.name == "unlink" }); j >= 0 {
				next = i + 1 + j
			}
			if !synced(last, i, db+"-journal") || !synced(last, i, db) || !synced(i, next, p.dir) {
				t.Errorf("commit %d: a journal, the ledger or, after it, the folder is not synced: %v", commits, calls[last:next])
			}
			last = i + 1
		}
	}
	if published < 0 || commits < 3 {
		t.Fatalf("published at call %d, %d commits, want reserve, seal and publish: %v", published, commits, calls)
	}
	staged := calls[published].path
	for _, name := range []string{"colours.parquet", "colours.csv", "release.json", ".", "../note", ".."} {
		if path := filepath.Join(staged, name); !synced(0, published, path) {
			t.Errorf("%s is not synced before it is published", path)
		}
	}
	if !synced(published, len(calls), filepath.Dir(dir)) {
		t.Error("the folder is not synced after the release is visible")
	}
	// Nothing is staged, noise least of all, before the reservation is durable.
	reserved := slices.IndexFunc(calls, func(c call) bool { return c == call{"unlink", db + "-journal", ""} })
	note := slices.IndexFunc(calls, func(c call) bool { return c.name == "fsync" && strings.HasPrefix(c.path, staged) })
	if reserved < 0 || note < reserved {
		t.Errorf("something is staged (call %d) before the reservation is durable (call %d)", note, reserved)
	}
}
