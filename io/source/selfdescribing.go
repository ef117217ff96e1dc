package source

import (
	"slices"
	"strings"
)

// DescribesItself reports whether a file of this name holds the types of its columns: a Parquet or Arrow file. format
// is one of [Formats]; if it is empty, the name gives it. The types of other files come from the options.
func DescribesItself(format, name string) bool {
	name = strings.ToLower(name)
	for _, f := range formats {
		said := slices.ContainsFunc(f.endings, func(e string) bool { return strings.HasSuffix(name, e) })
		if format == f.name || format == "" && said {
			return !f.text
		}
	}
	return false
}
