//go:build check

package aggregate

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline"
)

// A file appears, readable only by its owner, when it is complete, and no other file appears, whatever happens before.
// On Linux no file has a name while it is written, so a killed process leaves nothing.
func TestReplaceFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.part")
	names := func() (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	cut := errors.New("cut short")
	if err := replaceFiles([]string{path}, func(to []io.Writer) error {
		if _, err := io.WriteString(to[0], "half"); err != nil {
			return err
		}
		p, err := regular.NewPending(path)
		if err != nil {
			return err
		}
		nameless := p.Name() == path
		p.Discard()
		switch found := names(); {
		case nameless && len(found) > 0:
			t.Errorf("while it is written there is %q", found)
		case !nameless:
			t.Log("this file system has no files without names")
		}
		return cut
	}); !errors.Is(err, cut) || len(names()) > 0 {
		t.Errorf("%v, and %q is left", err, names())
	}
	for _, text := range []string{"whole", "another"} {
		if err := replaceFiles([]string{path}, func(to []io.Writer) error {
			_, err := io.WriteString(to[0], text)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		info, err2 := os.Stat(path)
		if err != nil || err2 != nil || string(got) != text || info.Mode().Perm() != 0o600 || len(names()) != 1 {
			t.Errorf("%q of mode %v, %v, %v, beside %q", got, info.Mode(), err, err2, names())
		}
	}
	var e *pipeline.Error
	err := replaceFiles([]string{filepath.Join(dir, "none", "a.part")}, func([]io.Writer) error { return nil })
	if !errors.As(err, &e) || e.Cause != pipeline.CauseOutput || e.Hint == "" {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := os.WriteFile(path, []byte("a table"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := vacant(path); !errors.As(err, &e) || e.Code != "occupied" {
		t.Errorf("something else is there: %v", err)
	}
}
