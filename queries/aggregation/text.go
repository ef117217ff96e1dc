package aggregation

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// String writes the aggregation as text: each field that is not zero, by name. Two aggregations add up the same numbers
// if their texts are equal, and equal queries have equal texts. Adding a field to the type does not change the texts of
// aggregations that leave it zero.
func (a *Aggregation) String() string {
	var out strings.Builder
	write(&out, reflect.ValueOf(a))
	return out.String()
}

// Digest returns the SHA-256 of the text of the aggregation.
func (a *Aggregation) Digest() [sha256.Size]byte { return sha256.Sum256([]byte(a.String())) }

// messageTag marks a field that is only for messages. The text of an aggregation leaves it out.
const messageTag = "message"

// write writes a value of any type. Strings are quoted, so that different values have different texts. A nil list
// differs from an empty one.
func write(out *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		write(out, v.Elem()) // nil is zero, so a struct leaves out the field
	case reflect.Struct:
		out.WriteByte('{')
		separator := ""
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Tag.Get("aggregation") == messageTag || isZero(v.Field(i)) {
				continue
			}
			out.WriteString(separator + f.Name + ": ")
			write(out, v.Field(i))
			separator = ", "
		}
		out.WriteByte('}')
	case reflect.Slice, reflect.Array:
		out.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				out.WriteString(", ")
			}
			write(out, v.Index(i))
		}
		out.WriteByte(']')
	case reflect.String:
		out.WriteString(strconv.Quote(v.String()))
	case reflect.Float64:
		out.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint64:
		fmt.Fprintf(out, "%d", number(v))
	default:
		out.WriteString("?" + v.Kind().String()) // no field has such a type: see TestEveryFieldIsWritten
	}
}

// isZero reports whether a value is zero, ignoring fields for messages.
func isZero(v reflect.Value) bool {
	if v.Kind() != reflect.Struct {
		return v.IsZero()
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("aggregation") != messageTag && !isZero(v.Field(i)) {
			return false
		}
	}
	return true
}

// number converts a reflected number or boolean to a value that fmt prints.
func number(v reflect.Value) any {
	if v.Kind() == reflect.Bool {
		return map[bool]int{false: 0, true: 1}[v.Bool()]
	}
	if v.CanUint() {
		return v.Uint()
	}
	return v.Int()
}
