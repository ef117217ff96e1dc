package configs

import (
	"reflect"
	"strconv"
)

// fillDefaults gives every absent key its default, from the tags.
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

// fillSteps fills the defaults that depend on another key.
func fillSteps(job *Job) {
	for i := range job.Queries {
		for k := range job.Queries[i].Denoise {
			if s := &job.Queries[i].Denoise[k]; s.Method == "james-stein" && s.PositivePart == nil {
				yes := true
				s.PositivePart = &yes
			}
		}
	}
}
