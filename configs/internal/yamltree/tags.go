package yamltree

import (
	"reflect"
	"strconv"
	"strings"
)

// Keys are the keys of a struct, read from its tags.
type Keys struct {
	Names    []string
	Required []string
	Index    map[string]int
}

// KeysOf returns the keys of a struct type. A key without omitempty is required.
func KeysOf(t reflect.Type) Keys {
	k := Keys{Index: map[string]int{}}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		k.Names = append(k.Names, name)
		k.Index[name] = i
		if options != "omitempty" {
			k.Required = append(k.Required, name)
		}
	}
	return k
}

// words returns the words in a tag, which | separates.
func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

// FillDefaults sets each absent key to the default value in its tag.
func FillDefaults(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			FillDefaults(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			FillDefaults(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fillField(v.Field(i), f.Tag.Get("default"))
				FillDefaults(v.Field(i))
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
