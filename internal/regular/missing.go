package regular

import (
	"os"
	"path/filepath"
)

// Hint returns advice for a path at which there is no file. It names the entry of the path's folder whose name is most
// similar, if one is similar enough. distance returns how many letters of two names differ. start describes the folder
// from which relative paths start.
func Hint(path, start string, distance func(a, b string) int) string {
	dir, name := filepath.Dir(path), filepath.Base(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "the folder of the file is not there or cannot be read; " + start
	}
	best, least := "", 1+len([]rune(name))/3
	for _, e := range entries {
		if d := distance(name, e.Name()); d > 0 && d <= least {
			best, least = e.Name(), d-1
		}
	}
	if best == "" {
		return "check the path; " + start
	}
	return "is it " + best + "? " + start
}
