// Package showntest records the visible output of a run, such as its ledger entries and release folder, as lines of
// text. Tests compare the lines of runs on two neighbouring tables that draw the same noise: they must be equal.
package showntest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/ledger"
)

// Lines is the recorded output of a run on one table.
type Lines struct{ lines []string }

// Addf adds one line, formatted as by fmt.Sprintf.
func (s *Lines) Addf(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// Difference describes the first line in which two runs differ; "" if there is none.
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

// Ledger adds the entries of a ledger, without their times and the digests of the input and of the release.
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

// Folder adds the names and modes of all files below a folder, and the folder's manifest after [Manifest] has masked
// it. Values of the manifest's keys in without are masked too.
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
