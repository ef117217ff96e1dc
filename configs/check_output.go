package configs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
	"github.com/dprelease/dprelease/io/store"
)

func (c *checker) output(at *yamltree.Path) {
	c.unique(at.At("formats"), c.job.Output.Formats, "format")
	c.publish(at.At("publish"), c.job.Output.Publish)
	c.fileNames()
	dir := at.At("dir")
	if !c.isValid(dir) {
		return
	}
	folder, ok := c.absolute(c.job.Output.Dir)
	home, ok2 := c.absolute(".")
	switch {
	case !ok || !ok2:
	case !yamltree.IsClean(c.job.Output.Dir):
		c.bad(dir, CodeBadValue, "has control characters", "give a plain path")
	case c.leavesFolder(dir):
		c.bad(dir, CodeBadValue, "a parameter leads out of the folder that output.dir names: its value has the element ..",
			"write .. into output.dir itself, and plain names into parameters")
	case inside(home, folder):
		c.bad(dir, CodeBadValue, "the release folder "+c.Show(dir, c.job.Output.Dir)+" holds the job file's own folder",
			"give it a folder of its own, such as out: the folder is replaced as a whole")
	default:
		c.checkOutsideRelease(folder)
	}
}

// leavesFolder reports whether the value of a parameter in output.dir has an element `..`, which could lead out of the
// folder that the job names.
func (c *checker) leavesFolder(at *yamltree.Path) bool {
	n, _, exact := yamltree.Find(c.Src.Root, at.String())
	if !exact {
		return false
	}
	raw, _ := yamltree.Pieces(n.Value)
	up := 0
	for _, p := range raw {
		if !p.Ref {
			up += parents(p.Text)
		}
	}
	return parents(c.job.Output.Dir) > up
}

// parents counts the elements `..` of a path.
func parents(p string) int {
	n := 0
	for _, e := range strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' }) {
		if e == ".." {
			n++
		}
	}
	return n
}

// checkOutsideRelease reports input files and ledgers that lie in the release folder, which readers see.
func (c *checker) checkOutsideRelease(folder string) {
	var top *yamltree.Path
	if file, ok := sqliteFile(c.job.Ledger.Store); ok && file != "" {
		if store, ok := c.absolute(file); ok && inside(store, folder) {
			c.bad(top.At("ledger").At("store"), CodeContradiction,
				"the ledger lies in the release folder (output.dir), which is public", "keep it beside the job file: "+
					"sqlite:ledger.db")
		}
	}
	private := func(at *yamltree.Path, f string) {
		if in, ok := c.absolute(f); ok && f != "" && !store.IsAddress(f) && inside(in, folder) {
			c.bad(at, CodeContradiction, "the input lies in the release folder (output.dir), which is public",
				"give the release a folder of its own")
		}
	}
	c.job.eachPrivateFile(private)
	if s := c.job.Input.SQL; s != nil && s.Format != "" {
		private(top.At("input").At("sql").At("table"), s.Table)
	}
}

// absolute returns a path of the job as an absolute path. ok is false if the current folder is unknown.
func (c *checker) absolute(p string) (string, bool) {
	abs, err := filepath.Abs(c.job.Path(p))
	return abs, err == nil
}

// inside reports whether a path is a folder or lies in it.
func inside(p, folder string) bool {
	rel, err := filepath.Rel(folder, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// ownFiles are the names, without .json, of the files that every release has.
var ownFiles = []string{"release", "datapackage", "csv-metadata", "croissant"}

// fileNames checks that no table has the name of a file that every release has.
func (c *checker) fileNames() {
	if !slices.Contains(c.job.Output.Formats, "json") {
		return
	}
	var top *yamltree.Path
	for i := range c.job.Queries {
		if name := c.job.Queries[i].Name; slices.Contains(ownFiles, name) {
			c.bad(top.At("queries").Item(i).At("name"), CodeDuplicate, "the release has a file "+name+".json of its own",
				"give the query another name")
		}
	}
}
