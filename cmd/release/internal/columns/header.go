package columns

import (
	"slices"
	"strconv"
	"strings"
)

// hasHeader guesses whether the first record holds names: none is a number or a date, and no column repeats its name.
// One column may lack a name if it holds names of rows or is empty. If names are equal, or another name is missing,
// some column must hold only numbers or dates below its name, since the first record of a table of texts looks the
// same.
func hasHeader(records [][]string, width int) bool {
	first := records[0]
	if len(first) != width {
		return false
	}
	doubtful, seen := false, map[string]bool{}
	for i, name := range first {
		name = strings.TrimSpace(name)
		if typed(name) {
			return false
		}
		doubtful = doubtful || seen[name] || name == "" && !rowNames(records[1:], i, width)
		seen[name] = true
	}
	if doubtful && !anyTyped(records[1:], first) {
		return false
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

// headerLine returns the line, counted from 1, of a header below lines of a title or remarks, as tables for readers
// have them. It is 0 if there is none. The records above the header lack a field or a text, and some column below it
// holds only numbers or dates.
func headerLine(text string, delimiter rune, records [][]string, width int) int {
	const most = 20 // lines of remarks
	complete := func(r []string) bool { return len(r) == width && !slices.Contains(r, "") }
	for i := 1; i < min(len(records)-1, most) && !complete(records[i-1]); i++ {
		header := records[i]
		if !complete(header) || !hasHeader(records[i:], width) || !anyTyped(records[i+1:], header) ||
			slices.ContainsFunc(header, func(name string) bool { return slices.Contains(nullTexts, strings.TrimSpace(name)) }) {
			continue
		}
		at := 0
		for line := range strings.Lines(text) {
			if at++; slices.ContainsFunc(parse(line, delimiter), func(r []string) bool { return slices.Equal(r, header) }) {
				return at
			}
		}
	}
	return 0
}

// anyTyped reports whether some column that has a name holds a number or a date in each record, in at least one.
func anyTyped(records [][]string, names []string) bool {
	for i, name := range names {
		if strings.TrimSpace(name) == "" {
			continue
		}
		found := false
		for _, r := range records {
			if len(r) != len(names) {
				continue
			}
			if found = typed(strings.TrimSpace(r[i])); !found {
				break
			}
		}
		if found {
			return true
		}
	}
	return false
}

// distinctNames returns names that are all different, and whether it changed any. It appends _2 to the second of two
// equal names.
func distinctNames(names []string) (distinct []string, changed bool) {
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	taken := map[string]bool{}
	for i, name := range names {
		if taken[name] {
			changed = true
			if name == "" {
				name = "column_" + strconv.Itoa(i+1)
			}
			for stem, n := name, 2; seen[name]; n++ {
				name = stem + "_" + strconv.Itoa(n)
			}
			seen[name] = true
		}
		taken[name] = true
		distinct = append(distinct, name)
	}
	return distinct, changed
}

// rowNames reports whether a column has a different text in each record, like the index that pandas and R write, or is
// empty in all records, as after a delimiter at the end of each line.
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

// spaced reports whether most fields begin with a space, not counting the first of each record.
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
