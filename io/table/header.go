package table

import (
	"strings"
)

// delimiters are characters that often separate fields, with their names and how a job writes them.
var delimiters = []struct{ char, name, written string }{
	{"\t", "a tab", `"\t"`}, {";", "a semicolon", `";"`}, {"|", "a bar", `"|"`}, {",", "a comma", `","`},
}

// HeaderAdvice describes what may be wrong with the header of a text file that lacks the column wanted. names are the
// fields of the first line. The advice quotes none of them: if the file has no header, they are private values.
func HeaderAdvice(names []string, wanted string) string {
	joined := strings.Join(names, "")
	if advice := LineEndAdvice(joined); advice != "" {
		return advice
	}
	if len(names) == 1 {
		for _, d := range delimiters {
			if strings.Contains(joined, d.char) {
				return "one column was found: is the delimiter " + d.name + "? then write input.csv.delimiter: " + d.written
			}
		}
		return "one column was found: is the first line a title? remove the lines above the header; else " +
			"input.csv.delimiter is the character between fields"
	}
	for _, n := range names {
		if plainName(n) == plainName(wanted) {
			return "the header has this name with other case, blanks or underscores: write it as it stands there; " +
				"input.csv.trim_space: true takes blanks off its ends"
		}
	}
	return "column names are compared letter by letter; if the first line is data, set input.csv.header: false and list " +
		"input.csv.columns"
}

// LineEndAdvice describes what is wrong with the line ends of a text file, if its header holds a carriage return; "" if
// it holds none.
func LineEndAdvice(header string) string {
	if strings.Contains(header, "\r") {
		return `lines seem to end with a carriage return alone: tr '\r' '\n' <FILE >NEW rewrites the file`
	}
	return ""
}

// plainName returns a name in lower case, without blanks, tabs, underscores and hyphens.
func plainName(s string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "\t", "", "-", "").Replace(s))
}
