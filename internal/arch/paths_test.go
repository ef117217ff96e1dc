package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Paths of the repository in pages and comments
//
// A file that moves leaves its old name in pages and comments, which no compiler reads. A path is looked for from the
// root, from the module and from the folder that names it. A file name alone in a page belongs to the folder of the
// path before it in its line, and in a comment to any folder.

var (
	spanOfPath = regexp.MustCompile("`((?:[a-z][\\w.-]*/)*[\\w.-]+\\.(?:go|yml|s))`|`((?:[a-z][\\w-]*/)+[\\w.-]*)`")
	pathOfGo   = regexp.MustCompile(`(?:[a-z]\w*/)+\w[\w-]*\.go\b|\b[a-z]\w*\.go\b`)
)

// folders are the folders of the root that hold code, and the modules.
var folders = []string{"bench/", "calibrate/", "cmd/", "configs/", "denoise/", "docs/", "examples/", "full/",
	"internal/", "io/", "pipeline/", "python/", "queries/", "report/"}

// ours reports whether a path begins with a folder of the repository.
func ours(p string) bool {
	for _, f := range folders {
		if strings.HasPrefix(p, f) {
			return true
		}
	}
	return false
}

func exists(elem ...string) bool {
	_, err := os.Stat(filepath.Join(append([]string{root}, elem...)...))
	return err == nil
}

// Every path in the pages for contributors names a file or folder that exists.
func TestPathsInPages(t *testing.T) {
	found := 0
	for name, text := range pages(t) {
		if name != "docs/ARCHITECTURE.md" && !strings.HasPrefix(name, "docs/adr/") && !strings.HasPrefix(name, "docs/dev/") {
			continue
		}
		for _, line := range strings.Split(codeBlock.ReplaceAllString(text, ""), "\n") {
			dir := ""
			for _, m := range spanOfPath.FindAllStringSubmatch(line, -1) {
				p := m[1] + m[2]
				switch {
				case ours(p):
					dir = path.Dir(p)
					if found++; !exists(p) {
						t.Errorf("%s: there is no %s", name, p)
					}
				case !strings.Contains(p, "/") && strings.HasSuffix(p, ".go") && dir != "":
					if found++; !exists(dir, p) {
						t.Errorf("%s: there is no %s in %s", name, p, dir)
					}
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d paths were found", found)
	}
}

// Every Go file that a comment names is there.
func TestPathsInComments(t *testing.T) {
	files, names := []string{}, map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case path.Ext(name) == ".go":
			files, names[path.Base(name)] = append(files, name), true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler judges
		}
		for _, group := range file.Comments {
			for _, p := range pathOfGo.FindAllString(group.Text(), -1) {
				module, _, _ := strings.Cut(name, "/")
				switch dir, base := path.Split(p); {
				case dir == "" && !names[base], ours(dir) && !exists(p) && !exists(module, p) && !exists(path.Dir(name), p):
					t.Errorf("%s: there is no %s", set.Position(group.Pos()), p)
				default:
					found++
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d paths were found", found)
	}
}
