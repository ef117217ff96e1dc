package console

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/rivo/uniseg"
)

// Aligned returns rows as a text of aligned columns, with two spaces between them. East Asian characters count as two
// columns of the terminal.
func Aligned(rows [][]string) string {
	var widths []int // the width of each column; a row's last cell may be wider
	lines := make([][]string, len(rows))
	for i, row := range rows {
		for j, cell := range row {
			lines[i] = append(lines[i], OneLine(cell))
			if j == len(row)-1 {
				break
			}
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], uniseg.StringWidth(lines[i][j]))
		}
	}
	var b strings.Builder
	for _, cells := range lines {
		for j, cell := range cells {
			b.WriteString(cell)
			if j < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", widths[j]-uniseg.StringWidth(cell)+2))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Here returns a path on one line. If the path is below the working directory, it is relative, as a user would type it;
// otherwise absolute.
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

// OrDash returns text, or "-" if it is empty, for a cell of a table.
func OrDash(s string) string { return cmp.Or(s, "-") }
