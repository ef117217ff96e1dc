package dprelease_test

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// # Arrows
//
// A file points to another file of its package if it names a function, type, constant or variable that is declared there.
// Arrows that point one way give a package an order to read it in: first the files that point to no other. So no two
// files point to each other, and no longer way leads back to where it starts.
//
// Few files are mutual by their nature, such as those of a recursive grammar. A comment before the first declaration of
// one of the two says why, on a line that begins with
//
//	Both ways with OTHER.go: REASON
//
// The two then count as one file.

// maxBothWays is how many pairs of files of the whole tree may be explained.
const maxBothWays = 10

var bothWays = regexp.MustCompile(`(?m)^Both ways with (\S+\.go): \S`)

// arrows holds, for each file of a package, the files that it points to and what it names of them.
type arrows map[string]map[string][]string

// packages returns the files of each package by its folder and name. Test files are left out.
func (tr *tree) packages() map[[2]string][]source {
	out := map[[2]string][]source{}
	for _, s := range tr.production() {
		name := [2]string{s.dir, s.file.Name.Name}
		out[name] = append(out[name], s)
	}
	return out
}

// declared returns the names that a file declares for its package. Methods belong to their types.
func (s source) declared() (names []string) {
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "init" || name == "_" })
}

// between returns the arrows between the files of one package. A name that each platform declares in a file of its own
// points to all of these files.
func between(files []source) arrows {
	homes := map[string][]string{}
	for _, s := range files {
		for _, name := range s.declared() {
			homes[name] = append(homes[name], path.Base(s.path))
		}
	}
	out := arrows{}
	for _, s := range files {
		from := path.Base(s.path)
		out[from] = map[string][]string{}
		for _, used := range s.file.Unresolved {
			if slices.Contains(homes[used.Name], from) {
				continue // for another platform
			}
			for _, to := range homes[used.Name] {
				if !slices.Contains(out[from][to], used.Name) {
					out[from][to] = append(out[from][to], used.Name)
				}
			}
		}
	}
	return out
}

// explained returns the files that a file is mutual with by its own comment.
func (s source) explained() (others []string) {
	for _, comment := range s.file.Comments {
		if i := slices.IndexFunc(s.file.Decls, notImport); i >= 0 && comment.Pos() > s.file.Decls[i].Pos() {
			break
		}
		for _, found := range bothWays.FindAllStringSubmatch(comment.Text(), -1) {
			others = append(others, found[1])
		}
	}
	return others
}

func notImport(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	return !ok || len(g.Specs) == 0 || !isImport(g.Specs[0])
}

func isImport(spec ast.Spec) bool {
	_, ok := spec.(*ast.ImportSpec)
	return ok
}

func circles(tr *tree) (out []string) {
	pairs := 0
	packages := tr.packages()
	inOrder := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, name := range slices.SortedFunc(maps.Keys(packages), inOrder) {
		named := between(packages[name])
		as := map[string]string{} // the file that each file counts as
		for file := range named {
			as[file] = file
		}
		for _, s := range packages[name] {
			file := path.Base(s.path)
			for _, other := range s.explained() {
				pairs++
				if named[file][other] == nil || named[other][file] == nil {
					out = append(out, fmt.Sprintf("%s: it and %s do not name each other: delete the comment", s.path, other))
					continue
				}
				unite(as, file, other)
			}
		}
		for _, circle := range named.merged(as).circles() {
			out = append(out, name[0]+": "+circle)
		}
	}
	if pairs > maxBothWays {
		out = append(out, fmt.Sprintf("%d pairs of files point both ways, at most %d", pairs, maxBothWays))
	}
	return out
}

// unite makes whatever counts as one of two files count as the other.
func unite(as map[string]string, one, other string) {
	from, to := as[one], as[other]
	for file := range as {
		if as[file] == from {
			as[file] = to
		}
	}
}

// merged returns the arrows between the files that as maps the files to.
func (a arrows) merged(as map[string]string) arrows {
	out := arrows{}
	for file := range a {
		out[as[file]] = map[string][]string{}
	}
	for _, from := range slices.Sorted(maps.Keys(a)) {
		for to, names := range a[from] {
			if as[from] != as[to] {
				out[as[from]][as[to]] = append(out[as[from]][as[to]], names...)
			}
		}
	}
	return out
}

// circles describes the pairs of files that point to each other or, if there are none, one longer circle.
func (a arrows) circles() (out []string) {
	for _, one := range slices.Sorted(maps.Keys(a)) {
		for _, other := range slices.Sorted(maps.Keys(a[one])) {
			if names, ok := a[other][one]; ok && one < other {
				out = append(out, fmt.Sprintf("%s names %s of %s, which names %s of it",
					one, strings.Join(a[one][other], ", "), other, strings.Join(names, ", ")))
			}
		}
	}
	if out != nil {
		return out
	}
	a.trim()
	if len(a) == 0 {
		return nil
	}
	// Each file that is left points to one that is left, so the way from any of them comes back to itself.
	way := []string{slices.Min(slices.Collect(maps.Keys(a)))}
	for {
		next := slices.Min(slices.Collect(maps.Keys(a[way[len(way)-1]])))
		if i := slices.Index(way, next); i >= 0 {
			return []string{strings.Join(append(way[i:], next), " names ")}
		}
		way = append(way, next)
	}
}

// trim removes each file that points to no file that is left, until none is found.
func (a arrows) trim() {
	for removed := true; removed; {
		removed = false
		for file := range a {
			if len(a[file]) > 0 {
				continue
			}
			delete(a, file)
			for _, to := range a {
				delete(to, file)
			}
			removed = true
		}
	}
}
