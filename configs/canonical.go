package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// This file writes a job as canonical JSON: equal jobs give equal bytes. Keys are written in the order of the fields in
// the structs of this package.

// writer writes a job as JSON.
type writer struct {
	job *Job
	// Public holds the texts to write for values that come from the environment, by path: the references ${env:NAME}.
	Public map[string]string
	buf    bytes.Buffer
	err    error
}

func (w *writer) Bytes() ([]byte, error) { return w.buf.Bytes(), w.err }

// Raw writes JSON unchanged.
func (w *writer) Raw(text string) { w.buf.WriteString(text) }

// Value writes the value at a path.
func (w *writer) Value(v reflect.Value, at *yamltree.Path) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !w.Custom(v, at) {
		w.Plain(v, at)
	}
}

// Plain writes a string, a number, a boolean, a list or a mapping.
func (w *writer) Plain(v reflect.Value, at *yamltree.Path) {
	switch v.Kind() {
	case reflect.Struct:
		w.Fields(v, at)
	case reflect.Slice:
		w.Items("[]", v.Len(), func(i int) { w.Value(v.Index(i), at.Item(i)) })
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		w.Items("{}", len(keys), func(i int) {
			w.Key(keys[i].String())
			w.Value(v.MapIndex(keys[i]), at.At(keys[i].String()))
		})
	case reflect.String:
		w.Text(v.String(), at)
	default:
		if !w.reference(at) {
			w.JSON(v.Interface())
		}
	}
}

// Fields writes the keys of a struct that are set, and all booleans.
func (w *writer) Fields(v reflect.Value, at *yamltree.Path) {
	k := yamltree.KeysOf(v.Type())
	var set []string
	for _, name := range k.Names {
		f := v.Field(k.Index[name])
		if !unpublished[at.At(name).String()] && (!f.IsZero() || f.Kind() == reflect.Bool ||
			slices.Contains(k.Required, name)) {
			set = append(set, name)
		}
	}
	w.Items("{}", len(set), func(i int) {
		w.Key(set[i])
		w.Value(v.Field(k.Index[set[i]]), at.At(set[i]))
	})
}

// Items writes n items, separated by commas, between two brackets.
func (w *writer) Items(brackets string, n int, item func(i int)) {
	w.buf.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		item(i)
	}
	w.buf.WriteByte(brackets[1])
}

// Key writes a key and a colon.
func (w *writer) Key(name string) {
	w.JSON(name)
	w.buf.WriteByte(':')
}

// Text writes a string or, if it comes from the environment, its reference.
func (w *writer) Text(s string, at *yamltree.Path) {
	if public, ok := w.Public[at.String()]; ok {
		s = public
	}
	w.JSON(w.job.withoutFolder(s, at.String()))
}

// reference writes the reference of a value that comes from the environment. It returns false if the value does not.
func (w *writer) reference(at *yamltree.Path) bool {
	public, ok := w.Public[at.String()]
	if ok {
		w.JSON(public)
	}
	return ok
}

// Decimal writes a number with the digits of the job file, or its reference if it comes from the environment.
func (w *writer) Decimal(d string, at *yamltree.Path) {
	if w.reference(at) {
		return
	}
	if n := yamltree.Literal(d); n != "" {
		w.buf.WriteString(n)
		return
	}
	w.JSON(d)
}

// JSON writes a value without escaping <, > and &.
func (w *writer) JSON(v any) {
	e := json.NewEncoder(&w.buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && w.err == nil {
		w.err = fmt.Errorf("effective job: %w", err)
	}
	w.buf.Truncate(w.buf.Len() - 1) // remove the line break that Encode adds
}
