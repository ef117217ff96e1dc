package configs

import (
	"reflect"
	"slices"
	"strings"
	"sync"
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

// places maps each key of the format to the paths of the mappings that have it.
var places = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	gather(reflect.TypeFor[Job](), "", out)
	return out
})

func gather(t reflect.Type, at string, out map[string][]string) {
	switch t.Kind() {
	case reflect.Pointer:
		gather(t.Elem(), at, out)
	case reflect.Slice:
		gather(t.Elem(), at+"[]", out)
	case reflect.Struct:
		for name, i := range keysOf(t).index {
			out[name] = append(out[name], at)
			gather(t.Field(i).Type, strings.TrimPrefix(at+"."+name, "."), out)
		}
	}
}

// refused maps keys of other tools that this format will never have to an explanation.
var refused = map[string]string{
	"seed": hintNoSeed, "random_seed": hintNoSeed, "random_state": hintNoSeed, "rng": hintNoSeed,
	"noise": hintNoise, "no_noise": hintNoise, "add_noise": hintNoise, "test_mode": hintNoise, "mechanism": hintNoise,
}

const (
	hintNoSeed = "noise comes from the system's random source and cannot be seeded"
	hintNoise  = "noise is always added and follows from privacy.epsilon and privacy.delta"
)

// unknownHint returns the most likely meaning of an unknown key.
func unknownHint(name string, known []string) string {
	if hint, ok := refused[normal(name)]; ok {
		return hint
	}
	if hint := kindHint(name, known); hint != "" {
		return hint
	}
	if ours := meant(name, known); ours != "" {
		return "did you mean " + quote(ours) + "?"
	}
	elsewhere := slices.Sorted(slices.Values(places()[name]))
	if n := len(elsewhere); n > 0 && n <= 3 {
		return "it belongs under " + strings.Join(elsewhere, " or ")
	}
	if len(known) == 0 {
		return "write {}: no keys go here"
	}
	return "known: " + strings.Join(known, ", ")
}

// missingHint shows a required key with a sample value.
func missingHint(name, example string) string {
	switch name {
	case "epsilon", "delta":
		return "there is no default: " + name + " is a decision, for example " + name + ": " + example
	case "unit":
		return "write unit: row, or the columns of whom the release protects: unit: [user_id]"
	}
	return "for example " + name + ": " + example
}

func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}
