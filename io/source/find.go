package source

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/store"
)

// startHint tells the user where relative paths start.
const startHint = "a relative path starts from the job file's folder"

// Exists checks that every path and pattern of the input finds a file, and that Options.Keeps keeps one. It opens none.
// It returns the errors of Open.
func Exists(ctx context.Context, o Options) error {
	stores := newStores(o.Workers)
	defer stores.close()
	folders, err := newInFolders(o)
	if err != nil {
		return err
	}
	_, err = find(ctx, o, stores, seenFiles{}, folders)
	return err
}

// find lists the files of all patterns, in order, and all problems. It adds the files on this machine to seen.
func find(ctx context.Context, o Options, stores *stores, seen seenFiles, folders inFolders) ([]found, error) {
	var out []found
	var wrong fault.Errors
	for _, pattern := range o.Files {
		if pattern == Stdin {
			f, e := stores.findStdin(o)
			if e != nil {
				return nil, e.InFile(Stdin)
			}
			out = append(out, f)
			continue
		}
		if store.IsAddress(pattern) {
			files, faults := stores.find(ctx, o.Format, pattern)
			out, wrong = append(out, files...), append(wrong, faults...)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			continue
		}
		paths, e := match(o.Dir, pattern)
		if e != nil {
			wrong = append(wrong, e)
		}
		for _, p := range paths {
			f, e := seen.identify(o.Format, p)
			if e != nil {
				wrong = append(wrong, e.InFile(filepath.ToSlash(p)))
				continue
			}
			out = append(out, f)
		}
	}
	if len(o.Files) == 0 {
		wrong = append(wrong, fault.New(fault.CodeOption, "no input files are named"))
	}
	nothing := len(out) == 0
	if e := folders.keepsSome(out); e != nil {
		wrong, nothing = append(wrong, e), true
	}
	shorten(out, wrong, o.Table)
	if nothing && !slices.ContainsFunc(wrong, func(e *fault.Error) bool { return e.Code != fault.CodeNotFound }) {
		return nil, absent{wrong}
	}
	return out, wrong.Err()
}

// ErrAbsent means that nothing of an input is there: no file, or no folder that Options.Keeps keeps.
var ErrAbsent = errors.New("nothing of the input is there")

// absent holds the errors of an input of which nothing is there.
type absent struct{ fault.Errors }

// Unwrap returns the errors, as fault.Errors.
func (a absent) Unwrap() error { return a.Errors }

// Is reports whether target is ErrAbsent.
func (absent) Is(target error) bool { return target == ErrAbsent }

// shorten replaces the paths of files by the names for messages: the base name, after as many of the folders above it
// as tell the file from the others. The name of the table, if there is one, comes first.
func shorten(files []found, wrong fault.Errors, table string) {
	var names []*string
	for i := range files {
		names = append(names, &files[i].name)
	}
	for _, e := range wrong {
		names = append(names, &e.File)
	}
	left := map[string]string{} // maps paths to names that may still be too short
	for _, path := range names {
		left[*path] = ""
	}
	short := map[string]string{}
	for parts := 1; len(left) > 0; parts++ {
		count := map[string]int{}
		for path := range left {
			left[path] = lastParts(path, parts)
			count[left[path]]++
		}
		for path, name := range left {
			if count[name] == 1 || name == path {
				short[path] = name
				delete(left, path)
			}
		}
	}
	for _, name := range names {
		*name = short[*name]
		if table != "" {
			*name = strings.TrimSuffix("table "+table+": "+*name, ": ")
		}
	}
}

// lastParts returns the last n parts of a path with slashes; the path, if it has fewer.
func lastParts(path string, n int) string {
	at := len(path)
	for range n {
		if at = strings.LastIndexByte(path[:at], '/'); at < 0 {
			return path
		}
	}
	return path[at+1:]
}

// match returns the paths that a pattern matches (store.LocalFiles).
func match(dir, pattern string) ([]string, *fault.Error) {
	paths, err := store.LocalFiles(dir, pattern)
	switch {
	case err != nil:
		return nil, fault.New(fault.CodeOption, "the pattern %q is malformed", pattern)
	case len(paths) == 0:
		return nil, fault.New(fault.CodeNotFound, "no file matches the pattern %q", pattern).
			Advise("has the data arrived? " + startHint)
	}
	return paths, nil
}

// seenFiles holds the input files found so far. A file may have several names (symbolic or hard links, overlapping
// patterns, mounts), and its rows would count twice, so files are compared by the system's identity. The map's keys are
// pairs of size and modification time, so that few files must be compared.
type seenFiles map[[2]int64][]fs.FileInfo

// add adds a file, and reports whether it is new.
func (s seenFiles) add(file fs.FileInfo) bool {
	if s.has(file) {
		return false
	}
	s[keyOf(file)] = append(s[keyOf(file)], file)
	return true
}

// has reports whether the file was added.
func (s seenFiles) has(file fs.FileInfo) bool {
	return slices.ContainsFunc(s[keyOf(file)], func(other fs.FileInfo) bool { return os.SameFile(file, other) })
}

func keyOf(file fs.FileInfo) [2]int64 { return [2]int64{file.Size(), file.ModTime().UnixNano()} }

// identify returns the file at a path. It returns an error if the file is not a regular file of a known format, or was
// found before.
func (s seenFiles) identify(format, path string) (found, *fault.Error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found{}, fault.NotOpened(err).Advise("%s", regular.Hint(path, startHint, spelling.Distance))
	case err != nil:
		return found{}, fault.NotOpened(err)
	case info.IsDir():
		return found{}, fault.New(fault.CodeNotFile, "this is a folder").Advise("name the files in it: %s/*.parquet",
			filepath.Base(path))
	case !info.Mode().IsRegular():
		return found{}, fault.New(fault.CodeNotFile, "this is not a regular file")
	}
	if !s.add(info) {
		return found{}, fault.New(fault.CodeDuplicate,
			"the file is named twice, perhaps by a link").Advise("its rows would count twice: name it once, and let no two " +
			"patterns match it")
	}
	open, packed, e := formatOf(format, path)
	return found{scan.Place{Path: path, Packed: packed}, filepath.Base(path), filepath.ToSlash(path), open}, e
}
