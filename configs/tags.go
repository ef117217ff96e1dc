package configs

import (
	"reflect"
	"strconv"
	"strings"
)

// keys are the keys of a struct, read from its tags.
type keys struct {
	names    []string
	required []string
	index    map[string]int
}

// keysOf returns the keys of a struct type. A key without omitempty is required.
func keysOf(t reflect.Type) keys {
	k := keys{index: map[string]int{}}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		k.names = append(k.names, name)
		k.index[name] = i
		if options != "omitempty" {
			k.required = append(k.required, name)
		}
	}
	return k
}

// words returns the words of a tag.
func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

// fillDefaults sets each absent key to the default in its tag.
func fillDefaults(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillDefaults(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			fillDefaults(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fillField(v.Field(i), f.Tag.Get("default"))
				fillDefaults(v.Field(i))
			}
		}
	}
}

func fillField(v reflect.Value, value string) {
	if value == "" || !v.IsZero() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(value)
	case reflect.Slice:
		v.Set(reflect.ValueOf(words(value)))
	case reflect.Pointer:
		if truth, err := strconv.ParseBool(value); err == nil {
			v.Set(reflect.ValueOf(&truth))
		}
	}
}
