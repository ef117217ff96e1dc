package configs

import (
	"cmp"
	"reflect"
	"strconv"
)

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

// Terms returns the public number of terms of a mean: its own, or that of the input if every row of the input is one
// term. It is 0 if the number is private.
func (j *Job) Terms(a *Aggregate) int64 {
	in := &j.Input
	if a.Rows > 0 {
		return a.Rows
	}
	if len(j.Privacy.Unit) == 0 && len(a.By) == 0 && len(in.Where) == 0 && len(in.Events) == 0 {
		return in.Rows
	}
	return 0
}

// missing returns the setting for rows without a value. If the number of terms is public, such a row cannot be left
// out.
func (j *Job) missing(q *Query, a *Aggregate) string {
	if a == q.Mean && j.Terms(a) > 0 {
		return "centre"
	}
	return "drop"
}

// fillSteps sets the defaults that depend on another key.
func fillSteps(job *Job) {
	for i := range job.Queries {
		q := &job.Queries[i]
		for _, a := range []*Aggregate{q.Sum, q.Mean, q.Variance} {
			if a != nil {
				a.Null, a.NaN = cmp.Or(a.Null, job.missing(q, a)), cmp.Or(a.NaN, job.missing(q, a))
			}
		}
		for k := range job.Queries[i].Denoise {
			// Jobs have always been digested with this default; a method that is new leaves out what its job leaves out.
			if s := &job.Queries[i].Denoise[k]; s.Method == "james-stein" && s.Args["positive_part"] == "" {
				s.setParam("positive_part", "true")
			}
		}
	}
}
