package console

import (
	"os"
	"path/filepath"
	"testing"
)

// Columns are aligned, a cell stays on its line, and nothing follows the last column.
func TestAligned(t *testing.T) {
	for want, rows := range map[string][][]string{
		"a    bb\nccc  d\n": {{"a", "bb"}, {"ccc", "d"}},
		"town    noisy  estimate\n東京都  12     13\nKöln    7\n": {{"town", "noisy", "estimate"}, {"東京都", "12", "13"},
			{"Köln", "7"}},
	} {
		if got := Aligned(rows); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A path below the working folder is shown from there; another one is shown whole.
func TestHere(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(filepath.Dir(folder), "beside")
	for path, want := range map[string]string{filepath.Join(folder, "out", "x"): filepath.Join("out", "x"), beside: beside,
		folder: "."} {
		if got := Here(path); got != want {
			t.Errorf("%s is shown as %s, want %s", path, got, want)
		}
	}
}

func TestOrDash(t *testing.T) {
	if OrDash("") != "-" || OrDash("x") != "x" {
		t.Error("an empty cell is no dash, or a full one is")
	}
}
