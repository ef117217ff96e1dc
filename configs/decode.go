package configs

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v4"
)

// maxExpanded is the largest number of values that the aliases of a file may add.
const maxExpanded = 100_000

// spot is one value in the file. Its key is nil for an item of a list and for the job itself. tag holds the tags of its
// field.
type spot struct {
	key, node *yaml.Node
	at        *path
	tag       reflect.StructTag
}

func (s spot) place() *yaml.Node { return placeOf(s.key, s.node) }

// # Decoding
//
// decoder fills the structs from the YAML tree by their tags. It reports everything that does not fit, and goes on, so
// that the user sees all problems at once.
type decoder struct {
	*report
	vars   variables
	format *format
	steps  int // how many more values may be decoded
	done   bool
}

// format is what the decoder knows about a format besides its structs.
type format struct {
	// custom holds the types that have a decoder of their own.
	custom map[reflect.Type]decodeFunc
	// unknownKey returns the key that is probably meant by one that a mapping cannot have, or "", and a hint. known are
	// the keys that the mapping can have.
	unknownKey func(key string, known []string) (meant, hint string)
	// missingHint returns the hint for a required key that is missing.
	missingHint func(key, example string) string
	// envKeys are the keys of the job under which ${env:NAME} is allowed.
	envKeys []string
}

// decodeFunc decodes a value of one type.
type decodeFunc func(d *decoder, v reflect.Value, s spot)

// decodeWith makes a decodeFunc of a function with a typed argument.
func decodeWith[T any](f func(d *decoder, v *T, s spot)) decodeFunc {
	return func(d *decoder, v reflect.Value, s spot) { f(d, v.Addr().Interface().(*T), s) }
}

// newDecoder returns a decoder of a tree. env looks up ${env:NAME}; if it is nil, no variable is set.
func newDecoder(root *yaml.Node, f *format, env func(string) (string, bool)) *decoder {
	src := &source{root: root, public: map[string]string{}}
	return &decoder{
		report: &report{src: src, expanded: map[string]string{}}, format: f, steps: size(root) + maxExpanded,
		vars: variables{values: map[string]string{}, env: env},
	}
}

// size counts the nodes of a tree. It does not follow aliases.
func size(n *yaml.Node) int {
	total := 1
	for _, c := range n.Content {
		total += size(c)
	}
	return total
}

// wrong reports a problem of form.
func (d *decoder) wrong(s spot, code, text, hint string) {
	d.addFinding(s.at.String(), s.place(), problem{code, text, hint})
}

func (d *decoder) expected(s spot, want, hint string) {
	d.wrong(s, codeWrongType, "expected "+want+", found "+kindName(follow(s.node)), hint)
}

// value decodes one value of any type.
func (d *decoder) value(v reflect.Value, s spot) {
	if !d.step(s) || !d.untagged(s) {
		return
	}
	s.node = aliased(s.node)
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if decode := d.format.custom[v.Type()]; decode != nil {
		decode(d, v, s)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.fields(v, s)
	case reflect.Slice:
		d.items(v, s)
	case reflect.Map:
		d.entries(v, s)
	default:
		d.scalar(v, s)
	}
}

// aliased follows an alias. It returns the node to decode, and reports problems at the position of the alias.
func aliased(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.AliasNode {
		return n
	}
	target := *n.Alias
	target.Line, target.Column = n.Line, n.Column
	return &target
}

// step counts the decoded values. It stops the decoding of aliases that expand to too many.
func (d *decoder) step(s spot) bool {
	d.steps--
	if d.steps < 0 && !d.done {
		d.done = true
		d.wrong(s, codeYAML, fmt.Sprintf("the file's aliases (*name) expand to more than %d values", maxExpanded), "write the values out, or move them into a file and name it with values_from")
	}
	return !d.done
}

func (d *decoder) untagged(s spot) bool {
	n := follow(s.node)
	if n.Style&yaml.TaggedStyle == 0 {
		return true
	}
	d.wrong(s, codeYAML, "tags such as "+quote(n.Tag)+" are not used in jobs", "remove the tag; quote the value if it is text")
	return false
}

// fields decodes a mapping whose keys are those of a struct.
func (d *decoder) fields(v reflect.Value, s spot) {
	known := keysOf(v.Type())
	if s.node.Kind != yaml.MappingNode {
		d.expected(s, "a mapping (key: value)", mappingHint(s, known.required))
		return
	}
	for _, e := range d.pairs(s) {
		i, ok := known.index[e.name]
		if !ok {
			d.unknown(e, s, known.names)
			continue
		}
		if f := v.Type().Field(i); f.Tag.Get("order") != "first" {
			e.tag = f.Tag
			d.value(v.Field(i), e.spot)
		}
	}
	for _, name := range known.required {
		d.need(s, name, v.Type().Field(known.index[name]).Tag.Get("example"))
	}
}

func mappingHint(s spot, required []string) string {
	switch {
	case isNull(s.node):
		return "write {} for a mapping without keys, or remove the key"
	case s.node.Kind == yaml.ScalarNode && len(required) == 1:
		return "write {" + required[0] + ": " + shown(s.node.Value) + "}"
	}
	return ""
}

// need reports a required key that is missing, unless an unknown key is probably a misspelling of it.
func (d *decoder) need(s spot, name, example string) {
	at := s.at.at(name)
	if _, v := child(s.node, name, -1); v != nil || d.troubled(at.String()) {
		return
	}
	d.addFinding(at.String(), s.place(), problem{codeMissing, "is required", d.format.missingHint(name, example)})
}

// entry is one entry of a mapping: the text of its key, and its value.
type entry struct {
	name string
	spot
}

// pairs returns the entries of a mapping. It reports keys that are not plain texts or that occur twice.
func (d *decoder) pairs(s spot) []entry {
	var out []entry
	seen := map[string]int{}
	for i := 0; i+1 < len(s.node.Content); i += 2 {
		k, ok := d.keyText(s, s.node.Content[i])
		if !ok {
			continue
		}
		e := entry{k, spot{key: s.node.Content[i], node: s.node.Content[i+1], at: s.at.at(k)}}
		if line, twice := seen[k]; twice {
			d.addFinding(e.at.String(), e.key, problem{codeDuplicateKey, fmt.Sprintf("the key is already there at line %d", line), "keep one of them"})
			continue
		}
		seen[k] = e.key.Line
		out = append(out, e)
	}
	return out
}

func (d *decoder) keyText(s spot, k *yaml.Node) (string, bool) {
	n := follow(k)
	switch {
	case n.Kind != yaml.ScalarNode:
		d.addFinding(s.at.String(), k, problem{codeYAML, "a key must be a text, found " + kindName(n), "quote a key that begins with [ or {"})
	case n.ShortTag() == "!!merge":
		d.addFinding(s.at.String(), k, problem{codeYAML, "merge keys (<<) are not used in jobs", "write the keys out; an alias may stand for a whole value"})
	case n.Style&yaml.TaggedStyle != 0:
		d.addFinding(s.at.String(), k, problem{codeYAML, "tags are not used in jobs", "remove the tag"})
	default:
		return d.expand(spot{key: k, node: n, at: s.at}, n.Value)
	}
	return "", false
}

// unknown reports a key that the mapping cannot have. If it is probably a misspelling, its path is that of the right
// key.
func (d *decoder) unknown(e entry, s spot, known []string) {
	at := e.at
	meant, hint := d.format.unknownKey(e.name, known)
	if meant != "" {
		at = s.at.at(meant)
	}
	f := d.addFinding(at.String(), e.key, problem{code: codeUnknownKey, hint: hint})
	f.message = "unknown key " + quote(e.name)
	if s.at != nil {
		f.message = short(s.at.String(), 200) + ": " + f.message
	}
}

// items decodes a list.
func (d *decoder) items(v reflect.Value, s spot) {
	if s.node.Kind != yaml.SequenceNode {
		d.expected(s, "a list", listHint(s.node))
		return
	}
	if len(s.node.Content) == 0 && s.tag.Get("empty") != "ok" {
		d.wrong(s, codeBadValue, "the list is empty", "give at least one item, or remove the key")
	}
	v.Set(reflect.MakeSlice(v.Type(), len(s.node.Content), len(s.node.Content)))
	for i, n := range s.node.Content {
		d.value(v.Index(i), spot{node: n, at: s.at.item(i), tag: s.tag})
	}
}

func listHint(n *yaml.Node) string {
	switch {
	case isNull(n):
		return "give a list such as [a, b], or remove the key"
	case n.Kind == yaml.ScalarNode:
		return "write [" + shown(n.Value) + "]"
	}
	return "begin each item with a dash and a space"
}

// entries decodes a mapping with any keys.
func (d *decoder) entries(v reflect.Value, s spot) {
	if s.node.Kind != yaml.MappingNode {
		d.expected(s, "a mapping (name: value)", mappingHint(s, nil))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, e := range d.pairs(s) {
		elem := reflect.New(v.Type().Elem()).Elem()
		d.value(elem, e.spot)
		v.SetMapIndex(reflect.ValueOf(e.name), elem)
	}
}
