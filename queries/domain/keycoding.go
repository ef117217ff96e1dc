package domain

import (
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// KeyCoding returns the coding that looks up a column's values among the keys of a public table. A value that equals
// key i has the code i. All other values, nulls and NaN have the code Dropped. Keys are read as the members of a
// [Label]: numbers by value, dates and times by instant, texts byte by byte. A key that cannot be read as the column's
// type matches no row; read is the number of keys that can be read. zone is the time zone of times without an offset;
// nil is UTC. KeyCoding returns an error if values of the column's type cannot be keys, or if two keys are the same
// value.
func KeyCoding(column string, t table.Type, keys []string, zone *time.Location) (c Coding, read int,
	err *problem.Error) {
	if t.Kind == table.List || !columnar.HasCanonicalForm(t) {
		return c, 0, problem.BadType(t)
	}
	labels := make([]Label, len(keys))
	for i := range keys {
		labels[i].Members = keys[i : i+1]
	}
	c, errs := labelDomain{labels: labels, zone: zone}.coding(t, ExtraCells{})
	read = len(keys)
	for _, e := range errs {
		if e.Code != problem.CodeBadValue {
			return c, 0, e
		}
		read--
	}
	c.Column, c.Type, c.Null, c.Other = column, t, Dropped, Dropped
	return c, read, nil
}

// AppendParsed parses a public text as a value of type t, by the rules for the members of a [Label], and appends it to
// v. The type is text, int, float, bool or date.
func AppendParsed(v *table.Values, text string, t table.Type) *problem.Error {
	switch t.Kind {
	case table.String:
		if len(v.Offsets) == 0 {
			v.Offsets = []uint32{0}
		}
		v.Data = append(v.Data, text...)
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
		return nil
	case table.Float:
		x, ok := nearest(text)
		if !ok {
			return badText(text, t, "a decimal number in float64's range")
		}
		v.Floats = append(v.Floats, x)
		return nil
	}
	x, err := ParseInt(text, t, time.UTC)
	if err != nil {
		return err
	}
	v.Ints = append(v.Ints, x)
	return nil
}

// ParseInt parses a public text as a value of a type that is held in Ints: a signed integer, a boolean, a date or a
// time. zone is the time zone of instants without an offset; nil is UTC.
func ParseInt(text string, t table.Type, zone *time.Location) (int64, *problem.Error) {
	x, err := parseScalar(text, t, zone)
	switch {
	case err != nil:
		return 0, err
	case !x.IsInt() || !x.Num().IsInt64():
		return 0, badText(text, t, "a value that the type holds exactly")
	}
	return x.Num().Int64(), nil
}
