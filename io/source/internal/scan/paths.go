package scan

import "github.com/dprelease/dprelease/io/table"

// A column within structs is named by its path: `address.city`. The name of a top-level column may contain dots too, so
// two columns may have the same name; DropDoubles chooses one of them. A short schema can have very long paths, so the
// total length of a file's paths is limited.

const (
	// MaxDepth is the maximum nesting of types whose columns are read.
	MaxDepth = 32
	// maxPaths is the maximum total length of a file's paths, in bytes: some 100,000 long paths.
	maxPaths = 16 << 20
)

// Paths makes the paths of a file's columns, and bounds their total length.
type Paths struct{ used int }

// Join returns the path of the column name within the column at path. ok is false if the paths of the file would be too
// long together.
func (p *Paths) Join(path, name string) (joined string, ok bool) {
	if p.used += len(path) + 1 + len(name); p.used > maxPaths {
		return "", false
	}
	return path + "." + name, true
}

// DropDoubles drops a nested column whose path is the name of another column. look returns the field of a column and
// whether it is nested. If two nested columns have the same path, only one is kept, and that cannot be read.
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
			f.Type, paths[f.Name] = UnreadableType("ambiguous path"), 0
		}
		kept = append(kept, c)
	}
	return kept
}
