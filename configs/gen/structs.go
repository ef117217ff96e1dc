package gen

import (
	"reflect"
	"strings"

	"github.com/dprelease/dprelease/configs"
)

// fieldsOf returns the keys of a struct.
func fieldsOf(t reflect.Type, d docs) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if key == "" {
			continue
		}
		typ := f.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		out = append(out, field{key, typ, options != "omitempty", f.Tag, d.commentOf(t, f.Name)})
	}
	if t == reflect.TypeFor[configs.Denoise]() {
		return withSteps(out)
	}
	return out
}

// structs returns the structs of the format in the order in which a reader meets them, and the first path of each.
func structs() (types []reflect.Type, paths map[reflect.Type][]string) {
	paths = map[reflect.Type][]string{}
	var walk func(t reflect.Type, at string)
	walk = func(t reflect.Type, at string) {
		switch {
		case t == reflect.TypeFor[configs.Values]():
		case t == reflect.TypeFor[configs.Unit]():
			walk(reflect.TypeFor[configs.Upstream](), at)
		case t.Kind() == reflect.Pointer:
			walk(t.Elem(), at)
		case t.Kind() == reflect.Slice:
			walk(t.Elem(), at+"[]")
		case t.Kind() == reflect.Map:
			walk(t.Elem(), at+".NAME")
		case t.Kind() == reflect.Struct:
			if paths[t] == nil {
				types = append(types, t)
			}
			paths[t] = append(paths[t], at)
			for _, f := range fieldsOf(t, nil) {
				walk(f.typ, strings.TrimPrefix(at+"."+f.key, "."))
			}
		}
	}
	walk(reflect.TypeFor[configs.Job](), "")
	return types, paths
}
