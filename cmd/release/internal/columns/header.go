package columns

import (
	"strings"
)

// hasHeader guesses whether the first record holds names: no two are equal, none is a number or a date, and no column
// repeats its name. One column may have no name if it holds the names of rows, or nothing.
func hasHeader(records [][]string, width int) bool {
	first := records[0]
	if len(first) != width {
		return false
	}
	seen := map[string]bool{}
	for i, name := range first {
		name = strings.TrimSpace(name)
		if name == "" && !rowNames(records[1:], i, width) || seen[name] || typed(name) {
			return false
		}
		seen[name] = true
	}
	for i, name := range first {
		if strings.TrimSpace(name) == "" {
			continue
		}
		for _, r := range records[1:] {
			if len(r) == width && strings.TrimSpace(r[i]) == strings.TrimSpace(name) {
				return false
			}
		}
	}
	return true
}

// rowNames reports whether a column has another text in each record, as the index that pandas and R write, or no text
// in any, as after a delimiter that ends each line.
func rowNames(records [][]string, column, width int) bool {
	seen, empty := map[string]bool{}, 0
	for _, r := range records {
		if len(r) != width {
			continue
		}
		text := strings.TrimSpace(r[column])
		if text == "" {
			empty++
		} else if seen[text] {
			return false
		}
		seen[text] = true
	}
	return len(records) > 0 && (empty == 0 || len(seen) == 1)
}

// spaced reports whether most fields after the first begin with a space.
func spaced(records [][]string) bool {
	fields, spaces := 0, 0
	for _, r := range records {
		for _, f := range r[min(1, len(r)):] {
			fields++
			if strings.HasPrefix(f, " ") || strings.HasSuffix(f, " ") {
				spaces++
			}
		}
	}
	return fields > 0 && spaces*2 > fields
}
