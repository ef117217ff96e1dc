package configs

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// jobFormat describes job files to the YAML decoder.
var jobFormat = yamltree.Format{
	Custom: map[reflect.Type]yamltree.DecodeFunc{
		reflect.TypeFor[Scalar]():  yamltree.DecodeWith(decodeScalar),
		reflect.TypeFor[Decimal](): yamltree.DecodeWith(decodeDecimal),
		reflect.TypeFor[Unit]():    yamltree.DecodeWith(decodeUnit),
		reflect.TypeFor[Param]():   yamltree.DecodeWith(decodeParam),
		reflect.TypeFor[Values]():  yamltree.DecodeWith(decodeValues),
		reflect.TypeFor[Clamp]():   yamltree.DecodeWith(decodeClamp),
		reflect.TypeFor[MaxRows](): yamltree.DecodeWith(decodeMaxRows),
		reflect.TypeFor[Denoise](): yamltree.DecodeWith(decodeStep),
	},
	UnknownKey:  unknownKey,
	MissingHint: missingHint,
	EnvKeys:     []string{"input", "ledger"},
}

func decodeScalar(d *yamltree.Decoder, v *Scalar, s yamltree.Spot) {
	if text, ok := d.Text(s, "a text or a number"); ok {
		*v = Scalar(text)
	}
}

func decodeDecimal(d *yamltree.Decoder, v *Decimal, s yamltree.Spot) {
	if text, ok := d.Number(s); ok {
		*v = Decimal(text)
	}
}

// decodeUnit decodes `row`, a list of columns, or a mapping with upstream.
func decodeUnit(d *yamltree.Decoder, u *Unit, s yamltree.Spot) {
	switch s.Node.Kind {
	case yaml.SequenceNode:
		d.DecodeItems(reflect.ValueOf(&u.Columns).Elem(), s)
		return
	case yaml.MappingNode:
		if slices.ContainsFunc(s.Node.Content, func(n *yaml.Node) bool { return n.Value == "upstream" }) {
			u.Upstream = &Upstream{}
			d.DecodeFields(reflect.ValueOf(u.Upstream).Elem(), s)
			return
		}
	}
	text, ok := d.Text(s, "row or a list of columns")
	if ok && text != "row" {
		d.Refuse(s, CodeBadValue, "expected row or a list of columns, found "+d.Show(s.Path, text),
			"write ["+yamltree.Shown(s.Node.Value)+"] for a column, or row if each row is a unit of its own")
	}
}

// decodeClamp decodes `discover` or a list of two numbers.
func decodeClamp(d *yamltree.Decoder, c *Clamp, s yamltree.Spot) {
	if s.Node.Kind == yaml.SequenceNode {
		d.DecodeItems(reflect.ValueOf((*[]Decimal)(c)).Elem(), s)
		return
	}
	want, hint := "[lo, hi] or discover",
		"write clamp: [lo, hi] from what you know about the column, or clamp: discover and range: [lo, hi]"
	if len(yamltree.NumbersOf(s.Node)) == 2 {
		hint = yamltree.ListHint(s, reflect.TypeFor[Decimal]())
	}
	if s.Node.Kind == yaml.MappingNode {
		d.RefuseType(s, want, hint)
		return
	}
	if text, ok := d.Text(s, want); ok {
		if *c = (Clamp{Discover}); text != Discover {
			d.Refuse(s, CodeBadValue, "expected "+want+", found "+d.Show(s.Path, text), hint)
		}
	}
}

// decodeMaxRows decodes `discover` or an integer.
func decodeMaxRows(d *yamltree.Decoder, m *MaxRows, s yamltree.Spot) {
	switch text, ok := d.Text(s, "an integer or discover"); {
	case !ok:
	case text == Discover:
		*m = discoveredRows
	default:
		d.Integer(reflect.ValueOf(m).Elem(), s)
	}
}

// decodeParam decodes a default value, or a mapping with type, every and default.
func decodeParam(d *yamltree.Decoder, p *Param, s yamltree.Spot) {
	if s.Node.Kind == yaml.MappingNode {
		type mapping Param
		d.DecodeFields(reflect.ValueOf((*mapping)(p)).Elem(), s)
		return
	}
	if yamltree.IsNull(s.Node) {
		d.RefuseType(s, "a default value, or a mapping with type, every and default",
			"write {type: text} for a parameter that must be given")
		return
	}
	if text, ok := d.Text(s, "a default value, or a mapping with type, every and default"); ok {
		value := Scalar(text)
		p.Default = &value
	}
}

// decodeValues decodes a list of cells, or a mapping from each cell to the texts that belong to it.
func decodeValues(d *yamltree.Decoder, vs *Values, s yamltree.Spot) {
	switch s.Node.Kind {
	case yaml.SequenceNode:
		var cells []Scalar
		d.DecodeItems(reflect.ValueOf(&cells).Elem(), s)
		for i, c := range cells {
			*vs = append(*vs, Label{Name: cellName(s.Node.Content[i], c), Members: []Scalar{c}})
		}
	case yaml.MappingNode:
		if hint := otherForm(s.Node); hint != "" {
			d.Refuse(s, CodeBadValue, "the keys of this mapping are no cells", hint+"; for cells of these names, write each "+
				"value as a list")
			return
		}
		for _, e := range d.Pairs(s) {
			*vs = append(*vs, Label{Name: Scalar(e.Name), Members: members(d, e)})
		}
		if len(s.Node.Content) == 0 {
			d.Refuse(s, CodeBadValue, "the mapping is empty", "give at least one cell")
		}
	default:
		hint := otherForm(s.Node)
		if hint == "" {
			hint = yamltree.ListHint(s, reflect.TypeFor[Scalar]())
		}
		d.RefuseType(s, "a list of cells, or a mapping from each cell to its aliases", hint)
	}
}

// cellName returns the name of a listed value. The number 0 has no sign.
func cellName(n *yaml.Node, text Scalar) Scalar {
	if tag := n.ShortTag(); (tag == "!!int" || tag == "!!float") && strings.Trim(string(text), "-0.") == "" {
		return Scalar(strings.TrimPrefix(string(text), "-"))
	}
	return text
}

// otherForm returns a hint if a value of values shows that the dimension should have another form: a range, a public
// file or discovered keys.
func otherForm(n *yaml.Node) string {
	keys, text := []string(nil), strings.ToLower(n.Value)
	if n.Kind == yaml.MappingNode {
		keys = yamltree.KeysIn(n)
		if slices.ContainsFunc(n.Content, func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }) {
			return ""
		}
	}
	switch {
	case slices.Contains(keys, "from") && slices.Contains(keys, "to"):
		return "write from, to and width in place of values: {column: age, from: 0, to: 100, width: 10}"
	case slices.Contains(keys, "file"), strings.HasSuffix(text, ".csv"), strings.HasSuffix(text, ".parquet"):
		return "write values_from: {file: cities.csv, column: name} in place of values"
	case slices.Contains([]string{Discover, "auto", "all", "any", "*"}, text):
		return "list the values, or write keys: discover in place of values"
	}
	return ""
}

// members decodes the texts of one cell: one text or a list.
func members(d *yamltree.Decoder, e yamltree.Entry) []Scalar {
	var out []Scalar
	if yamltree.Follow(e.Node).Kind == yaml.ScalarNode {
		var one Scalar
		d.DecodeValue(reflect.ValueOf(&one).Elem(), e.Spot)
		return []Scalar{one}
	}
	d.DecodeValue(reflect.ValueOf(&out).Elem(), e.Spot)
	return out
}
