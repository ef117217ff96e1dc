//go:build unix

package sqlstore_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
)

const stranger = 65534 // a user and a group that own no file of the tests

// asRoot skips a test that must give files to another user, if it does not run as root.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to other users")
	}
}

// nested returns a ledger with some runs, in a folder inside a folder of the test.
func nested(t *testing.T) (path string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "above", "folder")
	must(t, os.MkdirAll(folder, 0o755))
	path = filepath.Join(folder, "ledger.db")
	sound(t, path)
	return path
}

func reopen(t *testing.T, name string) error {
	t.Helper()
	s, err := sqlstore.Named(t.Context(), name, false)
	if err == nil {
		must(t, s.Close())
	}
	return err
}

// If anybody else may write to a ledger, next to it or above it, they could replace it by an older copy. Such a ledger
// is refused, with the command that corrects its permissions.
func TestSurroundings(t *testing.T) {
	t.Parallel()
	chmod := func(mode os.FileMode, up ...string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			must(t, os.Chmod(filepath.Join(append([]string{path}, up...)...), mode))
		}
	}
	plant := func(ending string, mode os.FileMode) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			write(t, path+ending, nil, mode)
			must(t, os.Chmod(path+ending, mode))
		}
	}
	folder, above := "..", filepath.Join("..", "..")
	for name, c := range map[string]struct {
		change func(t *testing.T, path string)
		want   error
		say    string // the required error; PATH is the ledger's path
	}{
		"untouched":                   {func(*testing.T, string) {}, nil, ""},
		"a group may write the file":  {chmod(0o660), ledger.ErrExposed, "chmod 600 PATH"},
		"all may read the file":       {chmod(0o604), ledger.ErrExposed, "chmod 600 PATH"},
		"the folder is for the group": {chmod(0o770, folder), ledger.ErrExposed, "chmod g-w FOLDER"},
		"the folder is for all":       {chmod(0o777, folder), ledger.ErrExposed, "chmod go-w FOLDER"},
		"the folder is as /tmp is":    {chmod(0o777|os.ModeSticky, folder), ledger.ErrExposed, "chmod go-w FOLDER"},
		"a folder above is for all":   {chmod(0o777, above), ledger.ErrExposed, "chmod go-w ABOVE"},
		"one above is for the group":  {chmod(0o775, above), ledger.ErrExposed, "chmod go-w ABOVE"},
		"a folder above is as /tmp":   {chmod(0o777|os.ModeSticky, above), nil, ""},
		"an own empty journal":        {plant("-journal", 0o600), nil, ""},
		"a journal for all":           {plant("-journal", 0o666), ledger.ErrExposed, "chmod go-w PATH-journal"},
		"a journal for the group":     {plant("-journal", 0o660), ledger.ErrExposed, "chmod go-w PATH-journal"},
		"a log for all":               {plant("-wal", 0o666), ledger.ErrExposed, "chmod go-w PATH-wal"},
		"a shared index for all":      {plant("-shm", 0o666), ledger.ErrExposed, "chmod go-w PATH-shm"},
		"a lock for all": {func(t *testing.T, path string) { must(t, os.Chmod(path+".lock", 0o666)) },
			ledger.ErrExposed, "chmod go-w PATH.lock"},
		"a journal that is a link": {func(t *testing.T, path string) { must(t, os.Symlink(path+".old", path+"-journal")) },
			ledger.ErrExposed, "mv PATH-journal PATH-journal.planted"},
		"a journal with two names": {func(t *testing.T, path string) {
			write(t, path+".old", nil, 0o600)
			must(t, os.Link(path+".old", path+"-journal"))
		}, ledger.ErrExposed, "second name"},
		"a hard link beside": {func(t *testing.T, path string) { must(t, os.Link(path, path+".two")) },
			ledger.ErrSecondPath, "-samefile PATH"},
		"a hard link elsewhere": {func(t *testing.T, path string) {
			must(t,
				os.Link(path, filepath.Join(path, above, "two")))
		}, ledger.ErrSecondPath, "-samefile PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := nested(t)
			c.change(t, path)
			err := reopen(t, "sqlite:"+path)
			expect(t, err, c.want, c.say, path)
			if c.want != nil && !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("not an ErrUnavailable: %v", err)
			}
		})
	}
}

// A file that cannot be a ledger is named as such. Its permissions are not to be corrected.
func TestNoLedgerForAll(t *testing.T) {
	t.Parallel()
	path := nested(t)
	write(t, path, []byte("branch,loans\n"), 0o644)
	must(t, os.Chmod(path, 0o644))
	if err := reopen(t, "sqlite:"+path); !errors.Is(err, ledger.ErrNotLedger) || strings.Contains(err.Error(), "chmod") {
		t.Error(err)
	}
}

func expect(t *testing.T, err, want error, say, path string) {
	t.Helper()
	say = strings.NewReplacer("PATH", path, "FOLDER", filepath.Dir(path), "ABOVE",
		filepath.Dir(filepath.Dir(path))).Replace(say)
	if !errors.Is(err, want) || err != nil && !strings.Contains(err.Error(), say) {
		t.Errorf("%v, want %v with %q", err, want, say)
	}
}

// A file of another user is refused whatever its mode, because that user can change it.
func TestStrangers(t *testing.T) {
	t.Parallel()
	asRoot(t)
	for what, say := range map[string]string{
		".": "as root, chown 0 PATH", "..": "chown -h 0 FOLDER", filepath.Join("..", ".."): "chown -h 0 ABOVE",
		"-journal": "mv PATH-journal PATH-journal.planted", "-wal": "mv PATH-wal", "-shm": "mv PATH-shm",
		".lock": "mv PATH.lock",
	} {
		path := nested(t)
		file := filepath.Join(path, what)
		if !strings.HasPrefix(what, ".") || what == ".lock" {
			file = path + what
			write(t, file, nil, 0o600)
		}
		must(t, os.Chown(file, stranger, stranger))
		expect(t, reopen(t, "sqlite:"+path), ledger.ErrExposed, say, path)
	}
}

// If another user puts a journal next to a ledger, the journal would restore an older state: here a charge is missing.
// It is refused, also if the folder was closed to others in the meantime.
func TestPlantedJournal(t *testing.T) {
	t.Parallel()
	path := nested(t)
	old := newPath(t)
	content, err := os.ReadFile(path)
	must(t, err)
	write(t, old, content, 0o600)
	s := open(t, path)
	if _, err := ledger.NewBook(s, time.Now).Charge(t.Context(), ledgertest.Quarter(t, "large")); err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
	p := startProcess(t, "stall", old, "")
	p.line(t)
	p.kill(t)
	journal, err := os.ReadFile(old + "-journal")
	must(t, err)
	write(t, path+"-journal", journal, 0o600)

	before, err := os.ReadFile(path)
	must(t, err)
	must(t, os.Chmod(filepath.Dir(path), 0o777))
	expect(t, reopen(t, "sqlite:"+path), ledger.ErrExposed, "chmod go-w FOLDER", path)
	must(t, os.Chmod(filepath.Dir(path), 0o755))
	if os.Geteuid() == 0 {
		must(t, os.Chown(path+"-journal", stranger, stranger))
		expect(t, reopen(t, "sqlite:"+path), ledger.ErrExposed, "mv PATH-journal PATH-journal.planted", path)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the ledger was changed (%v)", err)
	}
	must(t, os.Rename(path+"-journal", path+"-journal.planted"))
	if n, _ := total(t, path); n != 9 {
		t.Errorf("%d runs, want 9", n)
	}
}

// A journal whose ledger is missing would be replayed into the new one. It is refused.
func TestJournalWithoutLedger(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{"-journal", "-wal"} {
		path := newPath(t)
		write(t, path+ending, []byte("left"), 0o600)
		if _, err := sqlstore.Open(t.Context(), path); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("%s: %v", ending, err)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s: a ledger was made", ending)
		}
	}
}

// A ledger file that is a mount of its own is refused, because containers mount single files. A ledger in a mounted
// folder is not refused.
func TestMountedFile(t *testing.T) {
	t.Parallel()
	path := nested(t)
	other := filepath.Join(t.TempDir(), "other")
	must(t, os.Mkdir(other, 0o755))
	file, folder := filepath.Join(other, "ledger.db"), filepath.Join(other, "folder")
	write(t, file, nil, 0o600)
	must(t, os.Mkdir(folder, 0o755))
	out := inMounts(t, fmt.Sprintf("mount --bind '%s' '%s' && mount --bind '%s' '%s'", path, file, filepath.Dir(path),
		folder), file)
	if !strings.Contains(out, "mount the folder that holds it instead") {
		t.Errorf("a file: %s", out)
	}
	out = inMounts(t, fmt.Sprintf("mount --bind '%s' '%s'", filepath.Dir(path), folder),
		filepath.Join(folder, "ledger.db"))
	if !strings.HasPrefix(out, "charged") {
		t.Errorf("a folder: %s", out)
	}
}

// inMounts charges the ledger at path in a process with mounts of its own, and returns its output.
func inMounts(t *testing.T, mounts, path string) string {
	t.Helper()
	if _, err := exec.Command("unshare", "-m", "sh", "-c", mounts).CombinedOutput(); err != nil {
		t.Skip("this machine lets the tests mount nothing")
	}
	cmd := exec.Command("unshare", "-m", "sh", "-c", mounts+` && exec "$0" -test.run='^TestTask$' -test.v=false`,
		os.Args[0])
	cmd.Env = append(os.Environ(), taskVariable+"=charge", pathVariable+"="+path, nameVariable+"=in a container")
	out, _ := cmd.Output() // the output has the error
	return string(out)
}

// A symbolic link decides which file is opened. So the folder of the link is checked too.
func TestLinksAreChecked(t *testing.T) {
	t.Parallel()
	path, links := nested(t), filepath.Join(t.TempDir(), "links")
	must(t, os.Mkdir(links, 0o755))
	link := filepath.Join(links, "a")
	must(t, os.Symlink(filepath.Dir(path), link))
	must(t, reopen(t, "sqlite:"+filepath.Join(link, "ledger.db")))
	must(t, os.Symlink("a/../folder/ledger.db", filepath.Join(links, "b")))
	must(t, reopen(t, "sqlite:"+filepath.Join(links, "b")))
	must(t, os.Chmod(links, 0o777))
	err := reopen(t, "sqlite:"+filepath.Join(link, "ledger.db"))
	expect(t, err, ledger.ErrExposed, "chmod go-w "+links, path)
	if os.Geteuid() == 0 {
		must(t, os.Chmod(links, 0o777|os.ModeSticky))
		must(t, os.Lchown(link, stranger, stranger))
		expect(t, reopen(t, "sqlite:"+filepath.Join(link, "ledger.db")), ledger.ErrExposed, "chown -h 0 "+link, path)
	}
	must(t, os.Chmod(links, 0o755))
	loop := filepath.Join(links, "loop")
	must(t, os.Symlink("loop", loop))
	expect(t, reopen(t, "sqlite:"+filepath.Join(loop, "ledger.db")), ledger.ErrUnavailable, "", path)
}

// A group shares a ledger only if its name says so.
func TestSharedByAGroup(t *testing.T) {
	t.Parallel()
	asRoot(t)
	path := nested(t)
	folder := filepath.Dir(path)
	must(t, errors.Join(os.Remove(path), os.Remove(path+".lock")))
	must(t, errors.Join(os.Chown(folder, stranger, stranger), os.Chmod(folder, 0o770)))
	create := func() error {
		s, err := sqlstore.Named(t.Context(), "sqlite+group:"+path, true)
		if err == nil {
			must(t, s.Close())
		}
		return err
	}
	expect(t, create(), ledger.ErrExposed, "chmod g+s FOLDER", path)
	must(t, os.Chmod(folder, 0o770|os.ModeSetgid))
	must(t, create())
	for _, file := range []string{path, path + ".lock"} {
		info, err := os.Stat(file)
		if err != nil || info.Mode() != 0o660 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	must(t, os.Chown(path, stranger-1, stranger)) // another member's
	must(t, create())
	expect(t, reopen(t, "sqlite:"+path), ledger.ErrExposed, "chown -h 0 FOLDER", path)
	must(t, os.Chown(path, stranger, 1))
	expect(t, create(), ledger.ErrExposed, "as root, chown 0 PATH", path)
	must(t, errors.Join(os.Chown(path, 0, stranger), os.Chmod(path, 0o664)))
	expect(t, create(), ledger.ErrExposed, "chmod o= PATH", path)
	must(t, errors.Join(os.Chmod(path, 0o660), os.Chmod(folder, 0o777|os.ModeSetgid)))
	expect(t, create(), ledger.ErrExposed, "chmod go-w FOLDER", path)
}

// A umask that leaves the owner no permission does not make a lock file that the owner cannot open. The umask is the
// whole process's, so this test does not run beside others.
func TestLockFileHasItsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	old := syscall.Umask(0o777)
	s, err := sqlstore.Named(t.Context(), "sqlite:"+path, true)
	syscall.Umask(old)
	must(t, err)
	must(t, s.Close())
	for _, file := range []string{path, path + ".lock"} {
		if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
}
