package aggregation

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

// set sets a value to a small nonzero value.
func set(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.String:
		v.SetString(`x", y: "`)
	case reflect.Array:
		set(t, v.Index(0))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.1)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("aggregation") != messageTag {
				set(t, v.Field(i))
				return
			}
		}
	default:
		if v.CanInt() {
			v.SetInt(3)
			return
		}
		if v.CanUint() {
			v.SetUint(3)
			return
		}
		t.Fatalf("no text for a field of kind %s", v.Kind())
	}
}

// typesOf adds a type and the types of its fields to seen.
func typesOf(typ reflect.Type, seen map[reflect.Type]bool) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || seen[typ] {
		return
	}
	seen[typ] = true
	for i := range typ.NumField() {
		if f := typ.Field(i); f.IsExported() {
			typesOf(f.Type, seen)
		}
	}
}

// Every field of every type in an aggregation is in the text, unless it is for messages: the type of each field is
// written, and each field changes the text of its type.
func TestEveryFieldIsWritten(t *testing.T) {
	seen := map[reflect.Type]bool{}
	typesOf(reflect.TypeFor[Aggregation](), seen)
	if len(seen) < 10 {
		t.Fatalf("%d types", len(seen))
	}
	text := func(v reflect.Value) string {
		var out strings.Builder
		write(&out, v)
		return out.String()
	}
	for typ := range seen {
		for i := range typ.NumField() {
			f, v := typ.Field(i), reflect.New(typ).Elem()
			if !f.IsExported() {
				continue
			}
			set(t, v.Field(i))
			got := text(v)
			if message := f.Tag.Get("aggregation") == messageTag; (got == "{}") != message || strings.Contains(got, "?") {
				t.Errorf("%s.%s: %s", typ, f.Name, got)
			}
		}
	}
}

func TestTextsDiffer(t *testing.T) {
	listed := func(texts ...string) *Aggregation {
		c := domain.Coding{Column: "x", Type: table.Type{Kind: table.String}, Texts: []domain.Listed[string]{}}
		for i, text := range texts {
			c.Texts = append(c.Texts, domain.Listed[string]{Value: text, Code: int32(i)})
		}
		return &Aggregation{Axes: []domain.Coding{c}}
	}
	all := []*Aggregation{{}, {Dense: true}, {Tables: [][]int{}}, {Tables: [][]int{{}}}, {Tables: [][]int{{0}}},
		{Tables: [][]int{{0, 1}}}, {Tables: [][]int{{0}, {1}}}, {Unit: []string{"a", "b"}}, {Unit: []string{`a", "b`}},
		{Second: &Second{}}, {Steps: []int64{1, 2}}, {Bins: []int64{1, 2}}, listed(), listed("a"), listed("a", "b"),
		listed("\xff"), listed("\ufffd"), {Value: &quantize.Quantizer{Min: -1}}, {Value: &quantize.Quantizer{Max: -1}}}
	of := map[string]int{}
	for i, a := range all {
		if j, ok := of[a.String()]; ok {
			t.Errorf("%d and %d: %s", i, j, a)
		}
		of[a.String()] = i
		if !a.Same(a) || a.Same(all[(i+1)%len(all)]) {
			t.Errorf("%d: %s", i, a)
		}
	}
	named := &Aggregation{By: "histogram.by", Value: &quantize.Quantizer{Options: quantize.Options{Field: "sum"}}}
	if !named.Same(&Aggregation{By: "sum.by", Value: &quantize.Quantizer{}}) {
		t.Error("what is for messages is in the text")
	}
}
