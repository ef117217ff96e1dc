package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// Effective returns the job as it was run, as canonical JSON: defaults and parameters are filled in, keys have the
// order of the format, and the same job gives the same bytes. It is public. It leaves out ledger.store, memory_limit,
// input.sql.dsn and the folders of input.files. A value that comes from `${env:…}` is replaced by its reference.
func (j *Job) Effective() ([]byte, error) { return j.canonical(j.references()) }

// Question returns the same JSON with the values of the environment in it. It tells two questions apart and is as
// private as the environment. It goes into digests that the operator keeps, and never into a release, a log or a
// message.
//
// The query of an address on a web server is a signature, which changes from day to day: its reference stays.
func (j *Job) Question() ([]byte, error) {
	signed := maps.Clone(j.references())
	maps.DeleteFunc(signed, func(_, text string) bool { return !outside.MatchString(text) })
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
	w := &writer{public: public}
	w.fields(reflect.ValueOf(j).Elem(), nil)
	return w.buf.Bytes(), w.err
}

// writer writes a job as JSON.
type writer struct {
	buf    bytes.Buffer
	public map[string]string
	err    error
}

// unpublished are the keys that no release contains.
var unpublished = map[string]bool{"ledger.store": true, "memory_limit": true, "input.sql.dsn": true}

func (w *writer) value(v reflect.Value, at *yamltree.Path) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case Unit:
		w.unit(x, at)
	case Values:
		w.values(x)
	case Clamp:
		if x.Discovers() {
			w.text(Discover, at)
			return
		}
		w.plain(v, at)
	case Param:
		w.json(x.Default)
	case Decimal:
		w.decimal(x, at)
	case Denoise:
		w.step(&x, at)
	default:
		w.plain(v, at)
	}
}

func (w *writer) plain(v reflect.Value, at *yamltree.Path) {
	switch v.Kind() {
	case reflect.Struct:
		w.fields(v, at)
	case reflect.Slice:
		w.writeItems("[]", v.Len(), func(i int) { w.value(v.Index(i), at.Item(i)) })
	case reflect.Map:
		names := slices.Sorted(maps.Keys(mapKeys(v)))
		w.writeItems("{}", len(names), func(i int) {
			w.key(names[i])
			w.value(v.MapIndex(reflect.ValueOf(names[i])), at.At(names[i]))
		})
	case reflect.String:
		w.text(v.String(), at)
	default:
		if !w.reference(at) {
			w.json(v.Interface())
		}
	}
}

func mapKeys(v reflect.Value) map[string]bool {
	out := map[string]bool{}
	for _, k := range v.MapKeys() {
		out[k.String()] = true
	}
	return out
}

// fields writes the keys that are set. It always writes truth values.
func (w *writer) fields(v reflect.Value, at *yamltree.Path) {
	k := yamltree.KeysOf(v.Type())
	var set []string
	for _, name := range k.Names {
		f := v.Field(k.Index[name])
		if !unpublished[at.At(name).String()] && (!f.IsZero() || f.Kind() == reflect.Bool || slices.Contains(k.Required, name)) {
			set = append(set, name)
		}
	}
	w.writeItems("{}", len(set), func(i int) {
		w.key(set[i])
		w.value(v.Field(k.Index[set[i]]), at.At(set[i]))
	})
}

// writeItems writes n items between two brackets.
func (w *writer) writeItems(brackets string, n int, item func(i int)) {
	w.buf.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		item(i)
	}
	w.buf.WriteByte(brackets[1])
}

func (w *writer) key(name string) {
	w.json(name)
	w.buf.WriteByte(':')
}

func (w *writer) unit(u Unit, at *yamltree.Path) {
	if len(u) == 0 {
		w.json("row")
		return
	}
	w.writeItems("[]", len(u), func(i int) { w.text(u[i], at.Item(i)) })
}

// values writes the labels as a list. If any label has aliases, it writes a list of labels with their members, because
// a mapping would lose their order.
func (w *writer) values(vs Values) {
	plain := !slices.ContainsFunc(vs, func(l Label) bool { return len(l.Members) != 1 || l.Members[0] != l.Name })
	w.writeItems("[]", len(vs), func(i int) {
		if plain {
			w.json(vs[i].Name)
			return
		}
		w.buf.WriteString(`{"label":`)
		w.json(vs[i].Name)
		w.buf.WriteString(`,"members":`)
		w.json(vs[i].Members)
		w.buf.WriteByte('}')
	})
}

func (w *writer) text(s string, at *yamltree.Path) {
	if public, ok := w.public[at.String()]; ok {
		s = public
	}
	if strings.HasPrefix(at.String(), "input.files[") {
		s = filepath.Base(s)
	}
	w.json(s)
}

// reference writes the reference of a value that comes from the environment.
func (w *writer) reference(at *yamltree.Path) bool {
	public, ok := w.public[at.String()]
	if ok {
		w.json(public)
	}
	return ok
}

// decimal writes a number digit for digit.
func (w *writer) decimal(d Decimal, at *yamltree.Path) {
	if w.reference(at) {
		return
	}
	if n := yamltree.Literal(string(d)); n != "" {
		w.buf.WriteString(n)
		return
	}
	w.json(string(d))
}

// json writes a value without escaping <, > and &.
func (w *writer) json(v any) {
	e := json.NewEncoder(&w.buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && w.err == nil {
		w.err = fmt.Errorf("effective job: %w", err)
	}
	w.buf.Truncate(w.buf.Len() - 1) // Encode ends with a line break
}
