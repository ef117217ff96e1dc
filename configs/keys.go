package configs

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

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
		for name, i := range yamltree.KeysOf(t).Index {
			out[name] = append(out[name], at)
			gather(t.Field(i).Type, strings.TrimPrefix(at+"."+name, "."), out)
		}
	}
}

// unsupportedKeys maps keys of other tools that a job deliberately cannot have, such as seed, to an explanation.
var unsupportedKeys = map[string]string{
	"seed": hintNoSeed, "random_seed": hintNoSeed, "random_state": hintNoSeed, "rng": hintNoSeed,
	"bins": hintBins, "nbins": hintBins, "buckets": hintBins,
	"noise": hintNoise, "no_noise": hintNoise, "add_noise": hintNoise, "test_mode": hintNoise, "mechanism": hintNoise,
}

const (
	hintNoSeed = "noise comes from the system's random source and cannot be seeded"
	hintBins   = "write the width of a cell beside from and to: from: 0, to: 100, width: 10; or list the edges: [0, 18, " +
		"65]"
	hintNoise = "noise is always added and follows from privacy.epsilon and privacy.delta"
)

// unknownKey returns the key that the user probably meant by an unknown key, and a hint.
func unknownKey(name string, known []string) (key, hint string) {
	hint = unknownHint(name, known)
	if wording.InPlaceOfKind(wording.KindHint(name, known)) {
		return "histogram", hint // so that the query is not also reported as one without a kind
	}
	return wording.Meant(name, known), hint
}

// unknownHint returns a hint for an unknown key.
func unknownHint(name string, known []string) string {
	if hint, ok := unsupportedKeys[wording.Normal(name)]; ok {
		return hint
	}
	if name != "" && strings.Trim(name, "0123456789)]%") == "" {
		return "a comma separates entries: write a number with a decimal point, such as 0.5, and a list in [ ]"
	}
	if hint := wording.KindHint(name, known); hint != "" {
		return hint
	}
	if ours := wording.Meant(name, known); ours != "" {
		return "did you mean " + wording.Quote(ours) + "?"
	}
	elsewhere := slices.Sorted(slices.Values(places()[name]))
	switch n := len(elsewhere); {
	case n == 1 && elsewhere[0] == "":
		return "it belongs at the top level of the job"
	case n > 0 && n <= 3:
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
		return "write unit: row, or the columns that identify the privacy unit: unit: [user_id]"
	}
	return "for example " + name + ": " + example
}
