package configs

import (
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// Effective returns the job as it was run, as canonical JSON: defaults and parameters are filled in, keys have a fixed
// order, and equal jobs give equal bytes. It is public. It leaves out ledger.store, memory_limit, input.sql.dsn and the
// folders of private files and of a lake's table. A value that comes from `${env:…}` is replaced by its reference.
func (j *Job) Effective() ([]byte, error) { return j.canonical(j.references()) }

// Identity returns the JSON of [Job.Effective] with the values of the environment in it. Two runs whose jobs have the
// same identity make the same release, so the run fingerprint is made from it. It may hold secrets of the environment.
// It may go into digests that the operator keeps, but never into a release, a log or a message.
//
// The query string of a web server's URL is a signature that changes from day to day, so its reference is not replaced.
func (j *Job) Identity() ([]byte, error) {
	signed := maps.Clone(j.references())
	maps.DeleteFunc(signed, func(_, text string) bool { return !signedByEnvironment.MatchString(text) })
	return j.canonical(signed)
}

// references returns the texts of the scalars with a ${env:…} in them, by path.
func (j *Job) references() map[string]string {
	if j.src == nil {
		return nil
	}
	return j.src.Public
}

func (j *Job) canonical(public map[string]string) ([]byte, error) {
	w := &writer{job: j, Public: public}
	w.Fields(reflect.ValueOf(j).Elem(), nil)
	return w.Bytes()
}

// unpublished are the keys that no release contains.
var unpublished = map[string]bool{"ledger.store": true, "memory_limit": true, "input.sql.dsn": true}

// fileOfInput matches the path of a private file.
var fileOfInput = regexp.MustCompile(`^input\.(tables\.[a-z0-9_-]+\.)?files\[`)

// withoutFolder returns a text of the job without its folder, if it is the path of a private file; otherwise unchanged.
func (j *Job) withoutFolder(s, at string) string {
	if fileOfInput.MatchString(at) || at == "input.sql.table" && j.Input.SQL.Format != "" {
		s = filepath.Base(s)
	}
	return s
}

// Custom writes a value that has its own form in JSON, such as a unit, or a clamp that is to be discovered. It returns
// false if the value is written like any other.
func (w *writer) Custom(v reflect.Value, at *yamltree.Path) bool {
	switch x := v.Interface().(type) {
	case Unit:
		writeUnit(w, x, at)
	case Values:
		writeValues(w, x)
	case Clamp:
		if !x.Discovers() {
			return false
		}
		w.Text(Discover, at)
	case MaxRows:
		if !x.Discovers() {
			return false
		}
		w.Text(Discover, at)
	case Param:
		w.JSON(x.Default)
	case Decimal:
		w.Decimal(string(x), at)
	case Denoise:
		writeStep(w, &x, at)
	default:
		return false
	}
	return true
}

func writeUnit(w *writer, u Unit, at *yamltree.Path) {
	switch {
	case u.Upstream != nil:
		w.Fields(reflect.ValueOf(u.Upstream).Elem(), at)
	case len(u.Columns) == 0:
		w.JSON("row")
	default:
		w.Items("[]", len(u.Columns), func(i int) { w.Text(u.Columns[i], at.Item(i)) })
	}
}

// writeValues writes the labels as a list. If any label has aliases, it writes a list of labels with their members,
// because a mapping would lose their order.
func writeValues(w *writer, vs Values) {
	plain := !slices.ContainsFunc(vs, func(l Label) bool { return len(l.Members) != 1 || l.Members[0] != l.Name })
	w.Items("[]", len(vs), func(i int) {
		if plain {
			w.JSON(vs[i].Name)
			return
		}
		w.Raw(`{"label":`)
		w.JSON(vs[i].Name)
		w.Raw(`,"members":`)
		w.JSON(vs[i].Members)
		w.Raw("}")
	})
}
