package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// Aligned writes rows as aligned columns.
func Aligned(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = OneLine(cell)
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t")) // a Builder never fails
	}
	_ = w.Flush()
	return b.String()
}

// Here returns a path below the working folder as a user would type it, on one line; other paths stay absolute.
func Here(path string) string { return OneLine(relative(path)) }

func relative(path string) string {
	folder, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// OrDash returns a text for the cell of a table: - if it is empty.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Count formats a number of things: 1 file, 2 files.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "ry"); ok {
		return fmt.Sprintf("%d %sries", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
