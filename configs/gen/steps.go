package gen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
)

// # The keys of a denoising step
//
// Package configs does not know the denoising methods. They are read from the registry of package denoise, whose
// sentences become the descriptions of the keys. A parameter that several methods share is one key, with the
// descriptions of all of them.

// withSteps inserts the parameters of all methods after the key method, and restricts that key to the methods of the
// registry.
func withSteps(fields []field) []field {
	var names []string
	for _, m := range denoise.Methods() {
		names = append(names, m.Name)
	}
	fields[0].tag += reflect.StructTag(` enum:"` + strings.Join(names, "|") + `"`)
	return slices.Concat(fields[:1], stepFields(), fields[1:])
}

// use is one description of a parameter, and the names of the methods that give this description.
type use struct {
	methods []string
	param   denoise.Param
}

// stepFields returns the parameters of all methods, sorted, each only once.
func stepFields() []field {
	uses := map[string][]use{}
	var names []string
	for _, m := range denoise.Methods() {
		for _, p := range m.Params {
			known := uses[p.Name]
			if known == nil {
				names = append(names, p.Name)
			}
			i := slices.IndexFunc(known, func(u use) bool { return u.param.Doc == p.Doc && u.param.Default == p.Default })
			if i < 0 {
				i, known = len(known), append(known, use{param: p})
			}
			known[i].methods = append(known[i].methods, m.Name)
			uses[p.Name] = known
		}
	}
	slices.Sort(names)
	var out []field
	for _, name := range names {
		out = append(out, stepField(name, uses[name]))
	}
	return out
}

func stepField(name string, uses []use) field {
	p := uses[0].param
	var words, texts []string
	for _, u := range uses {
		for _, w := range u.param.Words {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
		absent := "; absent: " + u.param.Default
		if u.param.Default == "" {
			absent = "; required"
		}
		texts = append(texts, fmt.Sprintf("%s: %s%s", strings.Join(u.methods, ", "), u.param.Doc, absent))
	}
	f := field{key: name, text: "Of " + strings.Join(texts, ". Of ") + "."}
	f.tag = reflect.StructTag(fmt.Sprintf("example:%q", p.Example))
	list := strings.Join(words, "|")
	switch p.Type {
	case denoise.Boolean:
		f.typ = reflect.TypeFor[bool]()
	case denoise.Integer:
		f.typ, f.tag = reflect.TypeFor[int](), f.tag+reflect.StructTag(fmt.Sprintf(" min:%q", fmt.Sprint(p.Least)))
	case denoise.Word:
		f.typ, f.tag = reflect.TypeFor[string](), f.tag+reflect.StructTag(fmt.Sprintf(" enum:%q", list))
	default:
		f.typ, f.tag = reflect.TypeFor[configs.Decimal](), f.tag+reflect.StructTag(fmt.Sprintf(" words:%q", list))
	}
	return f
}
