package yamltree

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Path is a place in a job. It is a linked list from the inside out, so that its text is made only when it is needed. A
// nil path is the job itself.
type Path struct {
	up    *Path
	key   string
	index int // the index in a list; -1 for a key
}

// At returns the path of a key below p.
func (p *Path) At(key string) *Path { return &Path{up: p, key: key, index: -1} }

// Item returns the path of an item of the list at p.
func (p *Path) Item(i int) *Path { return &Path{up: p, index: i} }

// top returns the key of the job under which the path lies.
func (p *Path) top() string {
	if p == nil {
		return ""
	}
	for p.up != nil {
		p = p.up
	}
	return p.key
}

// PlainKey matches a key that needs no quotes in a path.
var PlainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// String returns the path as users read it: queries[0].histogram.by[1].column. A key that is not a plain word is
// quoted: input.csv.types["a.b"].
func (p *Path) String() string {
	if p == nil {
		return ""
	}
	up := p.up.String()
	switch {
	case p.index >= 0:
		return up + "[" + strconv.Itoa(p.index) + "]"
	case !PlainKey.MatchString(p.key):
		return up + "[" + strconv.Quote(p.key) + "]"
	case up == "":
		return p.key
	}
	return up + "." + p.key
}

// within reports whether the path inner equals the path outer or lies below it.
func within(inner, outer string) bool {
	rest, ok := strings.CutPrefix(inner, outer)
	return ok && (outer == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

var stepText = regexp.MustCompile(`^(?:\.?([A-Za-z_][A-Za-z0-9_-]*)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\])`)

// nextStep returns the first step of a path text, which is a key or the index of an item, and the rest of the text.
// index is -1 for a key.
func nextStep(text string) (key string, index int, rest string, ok bool) {
	m := stepText.FindStringSubmatch(text)
	if m == nil {
		return "", 0, "", false
	}
	rest = text[len(m[0]):]
	if m[2] != "" {
		index, err := strconv.Atoi(m[2])
		return "", index, rest, err == nil
	}
	if m[3] != "" {
		key, err := strconv.Unquote(m[3])
		return key, -1, rest, err == nil
	}
	return m[1], -1, rest, true
}

// Find returns the node at a path, and the node whose position messages show. If the tree does not have the path, node
// is the nearest one above it, and exact is false.
func Find(root *yaml.Node, text string) (node, place *yaml.Node, exact bool) {
	node, place = root, root
	for text != "" {
		key, index, rest, ok := nextStep(text)
		if !ok {
			return node, place, false
		}
		keyNode, child := Child(node, key, index)
		if child == nil {
			return node, place, false
		}
		node, place, text = Follow(child), placeOf(keyNode, child), rest
	}
	return node, place, true
}

// Child returns the value at a key or an index, and the node of the key.
func Child(n *yaml.Node, key string, index int) (keyNode, value *yaml.Node) {
	n = Follow(n)
	if n == nil {
		return nil, nil
	}
	if index >= 0 {
		if n.Kind == yaml.SequenceNode && index < len(n.Content) {
			return nil, n.Content[index]
		}
		return nil, nil
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if k := Follow(n.Content[i]); k.Kind == yaml.ScalarNode && k.Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// Follow returns the node to which an alias refers; any other node unchanged. YAML has no aliases of aliases.
func Follow(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// placeOf returns the node whose position messages show for a value: its key if the value is a list or a mapping.
func placeOf(key, value *yaml.Node) *yaml.Node {
	if k := Follow(value).Kind; key != nil && (k == yaml.MappingNode || k == yaml.SequenceNode) {
		return key
	}
	return value
}
