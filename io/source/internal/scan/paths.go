package scan

import "github.com/dprelease/dprelease/io/table"

// A column within structs has the path to it as its name: `address.city`. A name of the schema's top level may contain
// dots, too, so that two columns may have one name; DropDoubles decides between them. Few bytes of a schema can say
// long paths many times, so the paths of a file have a limit together.

const (
	// MaxDepth is the deepest nesting of types whose columns are read.
	MaxDepth = 32
	// maxPaths is the most bytes of all paths of a file together: some 100,000 long ones.
	maxPaths = 16 << 20
)

// Paths makes the paths of one file's columns.
type Paths struct{ used int }

// Join returns the path of a column within another one; ok is false if the file's paths would be too long together.
func (p *Paths) Join(path, name string) (joined string, ok bool) {
	if p.used += len(path) + 1 + len(name); p.used > maxPaths {
		return "", false
	}
	return path + "." + name, true
}

// DropDoubles drops columns whose path is the name of another column. look returns the field of a column and whether it
// is within another one. A column of the top level is never dropped. If only paths are the same, one column stays,
// which cannot be read.
func DropDoubles[T any](columns []T, look func(*T) (f *table.Field, nested bool)) []T {
	top, paths := map[string]bool{}, map[string]int{}
	for i := range columns {
		if f, nested := look(&columns[i]); nested {
			paths[f.Name]++
		} else {
			top[f.Name] = true
		}
	}
	kept := columns[:0]
	for i := range columns {
		c := columns[i]
		f, nested := look(&c)
		if nested && (top[f.Name] || paths[f.Name] == 0) {
			continue
		}
		if nested && paths[f.Name] > 1 {
			f.Type, paths[f.Name] = Unread("ambiguous path"), 0
		}
		kept = append(kept, c)
	}
	return kept
}
