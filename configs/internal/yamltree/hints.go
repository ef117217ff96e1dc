package yamltree

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/wording"
)

// # Hints for values of the wrong type
//
// Such a value often holds what is meant in another form: {min: 0, max: 100} or "0-100" in place of [0, 100]. The hint
// then writes the right form out. Otherwise it shows the example of the key.

// exampleHint shows the words or the example of the key to which a value belongs. It returns "" if the key has neither.
func exampleHint(s Spot) string {
	if known := words(s.tag.Get("enum")); len(known) > 0 {
		return "known: " + strings.Join(known, ", ")
	}
	if s.example == "" {
		return ""
	}
	return "for example " + s.example
}

// textHint returns the hint for a value that should be a text, a number or a boolean.
func textHint(s Spot) string {
	switch {
	case IsNull(s.Node):
		return "give a value, or remove the key; quote the word null if it is meant as text"
	case s.Node.Kind == yaml.SequenceNode && len(s.Node.Content) == 1 && isText(s.Node.Content[0]):
		return "write " + Shown(s.Node.Content[0].Value) + ", without brackets or a dash"
	case s.Key != nil && s.Node.Kind == yaml.MappingNode && len(s.Node.Content) == 2 && isText(s.Node.Content[1]) &&
		slices.Contains([]string{"name", "column", "file", s.Key.Value}, s.Node.Content[0].Value):
		return "write " + s.Key.Value + ": " + Shown(s.Node.Content[1].Value)
	}
	return exampleHint(s)
}

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && !IsNull(n) }

// MappingHint returns the hint for a value that should be a mapping with the keys of a struct. A text without blanks
// and marks, unlike a condition or a list, is the value of the only required key.
func MappingHint(s Spot, t reflect.Type) string {
	keys := KeysOf(t)
	switch {
	case IsNull(s.Node):
		return "write {} for a mapping without keys, or remove the key"
	case isText(s.Node) && !strings.ContainsAny(s.Node.Value, " ,;=<>()") && len(keys.Required) == 1 &&
		t.Field(keys.Index[keys.Required[0]]).Type.Kind() == reflect.String:
		return "write {" + keys.Required[0] + ": " + Shown(s.Node.Value) + "}"
	}
	return exampleHint(s)
}

// ListHint returns the hint for a value that should be a list. items is the type of the list's items.
func ListHint(s Spot, items reflect.Type) string {
	n := s.Node
	if IsNull(n) {
		return "give a list such as [a, b], or remove the key"
	}
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 && isWithin(n, s.siblings) {
		return "write " + wording.Join(KeysIn(n)) + " in place of " + s.Key.Value
	}
	_, example, _ := strings.Cut(s.example, ": ")
	if len(numbersIn(example)) > 0 {
		if found := NumbersOf(n); len(found) > 1 && slices.IsSortedFunc(found, compare) {
			return "write [" + wording.Short(strings.Join(found, ", "), 60) + "]"
		}
		if found := datesIn(n.Value); len(found) > 1 && slices.IsSorted(found) {
			return "write [" + wording.Short(strings.Join(found, ", "), 60) + "]"
		}
		return exampleHint(s)
	}
	switch {
	case items.Kind() == reflect.Struct && n.Kind == yaml.MappingNode && isWithin(n, KeysOf(items).Names):
		return "begin each item with a dash and a space: - " + n.Content[0].Value + ": …"
	case items.Kind() == reflect.Struct && isText(n):
		if hint := MappingHint(s, items); strings.HasPrefix(hint, "write {") {
			return "write [" + strings.TrimPrefix(hint, "write ") + "]"
		}
	case isText(n) && strings.ContainsAny(n.Value, ",;|"):
		list := strings.FieldsFunc(n.Value, func(r rune) bool { return strings.ContainsRune(",;|", r) })
		for i := range list {
			list[i] = Shown(strings.TrimSpace(list[i]))
		}
		return "write [" + wording.Short(strings.Join(list, ", "), 60) + "], or [" + Shown(n.Value) + "] for one text"
	case isText(n):
		return "write [" + Shown(n.Value) + "]"
	}
	return exampleHint(s)
}

// numberHint returns the hint for a text that is not a number.
func numberHint(s Spot) string {
	text := strings.ToLower(s.Node.Value)
	switch several := numbersIn(text); {
	case s.Key == nil && len(several) > 1:
		return "put commas between the numbers: [" + strings.Join(several, ", ") + "]"
	case strings.Contains(text, "inf") || strings.Contains(text, "nan"):
		return "write a finite number, in digits such as 0.5 or 1e-6"
	}
	return "write digits such as 0.5 or 1e-6, without units, %, _, decimal commas and leading zeros"
}

// isWithin reports whether all keys of a mapping are among the known ones.
func isWithin(n *yaml.Node, known []string) bool {
	return !slices.ContainsFunc(KeysIn(n), func(k string) bool { return !slices.Contains(known, k) })
}

// KeysIn returns the keys of a mapping.
func KeysIn(n *yaml.Node) (keys []string) {
	for i := 0; i < len(n.Content); i += 2 {
		keys = append(keys, n.Content[i].Value)
	}
	return keys
}

// nextNumber matches what separates a number from the one before, and the number. A hyphen between two numbers
// separates them: it is no sign.
var nextNumber = regexp.MustCompile(`^(?:\s+[-–—]\s+|[-–—]|\s*(?:[,;:…]|\.{2,3}|to|and)\s*|\s+)([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)`)

// numbersIn returns the numbers in a text such as "0-100", "0..100" or "[0; 100]". It returns nil if the text has
// anything else in it.
func numbersIn(text string) (found []string) {
	for rest := "," + strings.Trim(text, "[](){} "); rest != ""; {
		m := nextNumber.FindStringSubmatch(rest)
		if m == nil {
			return nil
		}
		hyphen := strings.ContainsAny(strings.TrimSuffix(m[0], m[1]), "-–—")
		if _, ok := ParseDecimal(m[1]); !ok || hyphen && len(found) > 1 {
			return nil // a date such as 2024-10-11
		}
		found, rest = append(found, m[1]), rest[len(m[0]):]
	}
	return found
}

// date matches a date or a time of the job, and between what separates two of them.
var (
	date    = regexp.MustCompile(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?`)
	between = regexp.MustCompile(`^(?:[\s,;:|…–—[\](){}-]|\.\.|to|and)*$`)
)

// datesIn returns the dates and times in a text such as "2024-01-01, 2024-02-01". It returns nil if the text has
// anything else in it.
func datesIn(text string) []string {
	if !between.MatchString(date.ReplaceAllString(text, "")) {
		return nil
	}
	return date.FindAllString(text, -1)
}

// NumbersOf returns the numbers in a value of any form; those of a mapping in ascending order, since its keys, such as
// max and min, may have any order. It returns nil if the value has anything else in it.
func NumbersOf(n *yaml.Node) (found []string) {
	if n.Kind == yaml.ScalarNode {
		return numbersIn(n.Value)
	}
	for i, c := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		numbers := NumbersOf(Follow(c))
		switch {
		case isKey && len(numbers) == 0, !isKey && n.Kind == yaml.MappingNode && IsNull(c):
			continue // a name such as min; the value of the key 0 in {0, 100}
		case len(numbers) == 0:
			return nil
		}
		found = append(found, numbers...)
	}
	if n.Kind == yaml.MappingNode {
		slices.SortStableFunc(found, compare)
	}
	return found
}

// compare compares two texts that ParseDecimal reads.
func compare(a, b string) int {
	x, _ := ParseDecimal(a)
	y, _ := ParseDecimal(b)
	return x.Cmp(y)
}
