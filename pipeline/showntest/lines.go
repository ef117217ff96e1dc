// Package showntest records the visible output of a run as lines for comparison: they must be equal for neighbouring
// tables if both runs draw the same noise.
package showntest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/ledger"
)

// Lines is the visible output of a run on one table, as lines that must be equal for both tables.
type Lines struct{ lines []string }

// Addf adds a line.
func (s *Lines) Addf(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// Difference returns the first line in which two runs differ; empty if there is none.
func (s *Lines) Difference(o *Lines) string {
	for i := range max(len(s.lines), len(o.lines)) {
		a, b := "nothing", "nothing"
		if i < len(s.lines) {
			a = s.lines[i]
		}
		if i < len(o.lines) {
			b = o.lines[i]
		}
		if a != b {
			return fmt.Sprintf("one run shows\n  %s\nand the other\n  %s", a, b)
		}
	}
	return ""
}

// Ledger adds the ledger's entries without their times, and without the fields that bind them to the input and to the
// release.
func (s *Lines) Ledger(ctx context.Context, book *ledger.Book) error {
	all, err := book.Entries(ctx)
	for _, e := range all {
		body, masked := Masked(e.Body, "input", "release")
		if masked != nil {
			return masked
		}
		s.Addf("entry %d %s %s", e.Seq, e.Kind, body)
	}
	return err
}

// Folder adds the names and modes of all files below a folder, and its manifest without the parts that depend on noisy
// values and without some more keys.
func (s *Lines) Folder(dir string, without ...string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		s.Addf("file %s %s", info.Mode(), name)
		if d.Name() != "release.json" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, err = Manifest(text, without...)
		s.Addf("manifest %s", text)
		return err
	})
}
