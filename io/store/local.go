package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LocalFiles returns the files of this machine that a pattern of the job matches, sorted, without hidden files
// ([HasHiddenName]). A relative pattern starts at dir, whose name has no wildcards. If a file has the pattern as its
// name, it is the only result; so is the path of a pattern without wildcards, whether there is such a file or not. The
// error is filepath.ErrBadPattern.
func LocalFiles(dir, pattern string) ([]string, error) {
	path := pattern
	if !filepath.IsAbs(pattern) {
		path = filepath.Join(dir, pattern)
	}
	if _, err := os.Stat(path); err == nil || !strings.ContainsAny(pattern, `*?[`) {
		return []string{path}, nil
	}
	if !filepath.IsAbs(pattern) {
		path = filepath.Join(literal(dir), pattern)
	}
	paths, err := filepath.Glob(path)
	paths = slices.DeleteFunc(paths, func(found string) bool {
		return HasHiddenName(filepath.ToSlash(filepath.Clean(path)), filepath.ToSlash(found))
	})
	slices.Sort(paths)
	return paths, err
}

// literal escapes the wildcards in a folder's name, so that a pattern in it matches only in this folder.
func literal(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
