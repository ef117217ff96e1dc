// Package yamltree decodes YAML files into Go structs by their tags. It keeps the place of each value, replaces
// references such as ${day}, and collects all faults. It does not know what a file means; a Format adds what it must
// know.
//
// The order: ReadTree parses the text, a Decoder fills the structs and puts faults into its Report, and FillDefaults
// sets the keys that are absent.
package yamltree

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/wording"
)

// maxExpanded is the largest number of values that the aliases of a file may add.
const maxExpanded = 100_000

// Spot is one value in the file. Key is nil for an item of a list and for the job itself. tag holds the tags of the
// struct field that gets the value, siblings the other keys of the field's mapping. example is the field's key and
// example, for hints.
type Spot struct {
	Key, Node *yaml.Node
	Path      *Path
	tag       reflect.StructTag
	siblings  []string
	example   string
}

func (s Spot) place() *yaml.Node { return placeOf(s.Key, s.Node) }

// Decoder fills the structs from the YAML tree by their tags. It reports everything that does not fit, and goes on, so
// that the user sees all problems at once.
type Decoder struct {
	*Report
	Vars    Variables
	Stopped bool // the aliases expand to too many values, and the rest was not decoded
	format  *Format
	steps   int // how many more values may be decoded
}

// Variables holds the values of references such as ${day}.
type Variables struct {
	Declared []string          // the parameters that the job declares under params
	Values   map[string]string // the values of the parameters that have one
	env      func(string) (string, bool)
	Literal  bool // the decoded text is a parameter's default, in which references are not allowed
	Replaced bool // the job is from a release: every ${ stands for itself, except in references to the environment
	Broken   bool // the params block has an error, so Declared may be incomplete
}

// Format is what the decoder knows about a file format in addition to its structs.
type Format struct {
	// Custom holds the types that have a decoder of their own.
	Custom map[reflect.Type]DecodeFunc
	// UnknownKey returns the key that is probably meant by an unknown key, or "", and a hint. known are the keys that
	// the mapping can have.
	UnknownKey func(key string, known []string) (meant, hint string)
	// MissingHint returns the hint for a required key that is missing.
	MissingHint func(key, example string) string
	// EnvKeys are the keys of the job under which ${env:NAME} is allowed.
	EnvKeys []string
}

// DecodeFunc decodes a value of one type.
type DecodeFunc func(d *Decoder, v reflect.Value, s Spot)

// DecodeWith converts a function with a typed argument to a DecodeFunc.
func DecodeWith[T any](f func(d *Decoder, v *T, s Spot)) DecodeFunc {
	return func(d *Decoder, v reflect.Value, s Spot) { f(d, v.Addr().Interface().(*T), s) }
}

// NewDecoder returns a decoder of a tree. env looks up ${env:NAME}; if it is nil, no variable is set.
func NewDecoder(root *yaml.Node, f *Format, env func(string) (string, bool)) *Decoder {
	src := &Source{Root: root, Public: map[string]string{}}
	return &Decoder{
		Report: &Report{Src: src, expanded: map[string]string{}}, format: f, steps: size(root) + maxExpanded,
		Vars: Variables{Values: map[string]string{}, env: env},
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

// Refuse reports a problem of form: a wrong key, type or text, as opposed to a contradiction between correct values.
func (d *Decoder) Refuse(s Spot, code, text, hint string) {
	d.AddFinding(s.Path.String(), s.place(), Problem{code, text, hint})
}

// RefuseType reports a value of the wrong type. want names the right one.
func (d *Decoder) RefuseType(s Spot, want, hint string) {
	d.Refuse(s, CodeWrongType, "expected "+want+", found "+kindName(Follow(s.Node)), hint)
}

// DecodeValue decodes one value of any type.
func (d *Decoder) DecodeValue(v reflect.Value, s Spot) {
	if !d.step(s) || !d.untagged(s) {
		return
	}
	s.Node = aliased(s.Node)
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if decode := d.format.Custom[v.Type()]; decode != nil {
		decode(d, v, s)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.DecodeFields(v, s)
	case reflect.Slice:
		d.DecodeItems(v, s)
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

// step counts a decoded value. It returns false, and stops decoding, once aliases have expanded to too many values.
func (d *Decoder) step(s Spot) bool {
	d.steps--
	if d.steps < 0 && !d.Stopped {
		d.Stopped = true
		d.Refuse(s, CodeYAML, fmt.Sprintf("the file's aliases (*name) expand to more than %d values", maxExpanded),
			"write the values out, or move them into a file and name it with values_from")
	}
	return !d.Stopped
}

func (d *Decoder) untagged(s Spot) bool {
	n := Follow(s.Node)
	if n.Style&yaml.TaggedStyle == 0 {
		return true
	}
	d.Refuse(s, CodeYAML, "tags such as "+wording.Quote(n.Tag)+" are not used in jobs",
		"remove the tag; quote the value if it is text")
	return false
}

// DecodeFields decodes a mapping into a struct: each key names a field.
func (d *Decoder) DecodeFields(v reflect.Value, s Spot) {
	known := KeysOf(v.Type())
	if s.Node.Kind != yaml.MappingNode {
		d.RefuseType(s, "a mapping (key: value)", MappingHint(s, v.Type()))
		return
	}
	for _, e := range d.Pairs(s) {
		i, ok := known.Index[e.Name]
		if !ok {
			d.unknown(e, s, known.Names)
			continue
		}
		if f := v.Type().Field(i); f.Tag.Get("order") != "first" {
			e.tag, e.siblings, e.example = f.Tag, known.Names, ""
			if example := f.Tag.Get("example"); example != "" {
				e.example = e.Name + ": " + example
			}
			d.DecodeValue(v.Field(i), e.Spot)
		}
	}
	for _, name := range known.Required {
		d.Require(s, name, v.Type().Field(known.Index[name]).Tag.Get("example"))
	}
}

// Require reports a required key that is missing, unless an unknown key is probably a misspelling of it.
func (d *Decoder) Require(s Spot, name, example string) {
	at := s.Path.At(name)
	if _, v := Child(s.Node, name, -1); v != nil || d.Troubled(at.String()) {
		return
	}
	d.AddFinding(at.String(), s.place(), Problem{CodeMissing, "is required", d.format.MissingHint(name, example)})
}

// Entry is one entry of a mapping: the text of its key, and its value.
type Entry struct {
	Name string
	Spot
}

// Pairs returns the entries of a mapping. It reports keys that are not plain texts or that occur twice.
func (d *Decoder) Pairs(s Spot) []Entry {
	var out []Entry
	seen := map[string]int{}
	for i := 0; i+1 < len(s.Node.Content); i += 2 {
		k, ok := d.keyText(s, s.Node.Content[i])
		if !ok {
			continue
		}
		e := Entry{k, Spot{Key: s.Node.Content[i], Node: s.Node.Content[i+1], Path: s.Path.At(k), example: s.example}}
		if line, twice := seen[k]; twice {
			d.AddFinding(e.Path.String(), e.Key, Problem{CodeDuplicateKey,
				fmt.Sprintf("the key is already there at line %d", line), "keep one of them"})
			continue
		}
		seen[k] = e.Key.Line
		out = append(out, e)
	}
	return out
}

func (d *Decoder) keyText(s Spot, k *yaml.Node) (string, bool) {
	n := Follow(k)
	switch {
	case n.Kind != yaml.ScalarNode:
		d.AddFinding(s.Path.String(), k, Problem{CodeYAML, "a key must be a text, found " + kindName(n),
			"quote a key that begins with [ or {"})
	case n.ShortTag() == "!!merge":
		d.AddFinding(s.Path.String(), k, Problem{CodeYAML, "merge keys (<<) are not used in jobs",
			"write the keys out; an alias may stand for a whole value"})
	case n.Style&yaml.TaggedStyle != 0:
		d.AddFinding(s.Path.String(), k, Problem{CodeYAML, "tags are not used in jobs", "remove the tag"})
	default:
		return d.expand(Spot{Key: k, Node: n, Path: s.Path}, n.Value)
	}
	return "", false
}

// unknown reports a key that the mapping cannot have. If the key is probably a misspelling, the fault has the path of
// the right key.
func (d *Decoder) unknown(e Entry, s Spot, known []string) {
	at := e.Path
	meant, hint := d.format.UnknownKey(e.Name, known)
	if meant != "" {
		at = s.Path.At(meant)
	}
	f := d.AddFinding(at.String(), e.Key, Problem{Code: CodeUnknownKey, Hint: hint})
	f.Message = "unknown key " + wording.Quote(e.Name)
	if s.Path != nil {
		f.Message = wording.Short(s.Path.String(), 200) + ": " + f.Message
	}
}

// DecodeItems decodes a list.
func (d *Decoder) DecodeItems(v reflect.Value, s Spot) {
	if s.Node.Kind != yaml.SequenceNode {
		d.RefuseType(s, "a list", ListHint(s, v.Type().Elem()))
		return
	}
	if len(s.Node.Content) == 0 && s.tag.Get("empty") != "ok" {
		d.Refuse(s, CodeBadValue, "the list is empty", "give at least one item, or remove the key")
	}
	v.Set(reflect.MakeSlice(v.Type(), len(s.Node.Content), len(s.Node.Content)))
	for i, n := range s.Node.Content {
		d.DecodeValue(v.Index(i), Spot{Node: n, Path: s.Path.Item(i), tag: s.tag, example: s.example})
	}
}

// entries decodes a mapping whose keys can be any texts.
func (d *Decoder) entries(v reflect.Value, s Spot) {
	if s.Node.Kind != yaml.MappingNode {
		d.RefuseType(s, "a mapping (name: value)", MappingHint(s, reflect.TypeFor[struct{}]()))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, e := range d.Pairs(s) {
		elem := reflect.New(v.Type().Elem()).Elem()
		d.DecodeValue(elem, e.Spot)
		v.SetMapIndex(reflect.ValueOf(e.Name), elem)
	}
}
