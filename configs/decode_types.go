package configs

import (
	"reflect"

	"go.yaml.in/yaml/v4"
)

// jobFormat is the format of job files.
var jobFormat = format{
	custom: map[reflect.Type]decodeFunc{
		reflect.TypeFor[Scalar]():  decodeWith(decodeScalar),
		reflect.TypeFor[Decimal](): decodeWith(decodeDecimal),
		reflect.TypeFor[Unit]():    decodeWith(decodeUnit),
		reflect.TypeFor[Param]():   decodeWith(decodeParam),
		reflect.TypeFor[Values]():  decodeWith(decodeValues),
		reflect.TypeFor[Denoise](): decodeWith(decodeStep),
	},
	unknownKey:  unknownKey,
	missingHint: missingHint,
	envKeys:     []string{"input", "ledger"},
}

func decodeScalar(d *decoder, v *Scalar, s spot) {
	if text, ok := d.text(s, "a text or a number"); ok {
		*v = Scalar(text)
	}
}

func decodeDecimal(d *decoder, v *Decimal, s spot) {
	if text, ok := d.number(s); ok {
		*v = Decimal(text)
	}
}

// decodeUnit decodes `row` or a list of columns.
func decodeUnit(d *decoder, u *Unit, s spot) {
	if s.node.Kind == yaml.SequenceNode {
		d.items(reflect.ValueOf((*[]string)(u)).Elem(), s)
		return
	}
	text, ok := d.text(s, "row or a list of columns")
	if ok && text != "row" {
		d.wrong(s, CodeBadValue, "expected row or a list of columns, found "+d.show(s.at, text), "write ["+shown(s.node.Value)+"] for a column, or row where each row is a unit of its own")
	}
}

// decodeParam decodes a default value, or a mapping with type, every and default.
func decodeParam(d *decoder, p *Param, s spot) {
	if s.node.Kind == yaml.MappingNode {
		type mapping Param
		d.fields(reflect.ValueOf((*mapping)(p)).Elem(), s)
		return
	}
	if isNull(s.node) {
		d.expected(s, "a default value, or a mapping with type, every and default", "write {type: text} for a parameter that must be given")
		return
	}
	if text, ok := d.text(s, "a default value, or a mapping with type, every and default"); ok {
		value := Scalar(text)
		p.Default = &value
	}
}

// decodeValues decodes a list of cells, or a mapping from each cell to the texts that belong to it.
func decodeValues(d *decoder, vs *Values, s spot) {
	switch s.node.Kind {
	case yaml.SequenceNode:
		var cells []Scalar
		d.items(reflect.ValueOf(&cells).Elem(), s)
		for _, c := range cells {
			*vs = append(*vs, Label{Name: c, Members: []Scalar{c}})
		}
	case yaml.MappingNode:
		for _, e := range d.pairs(s) {
			*vs = append(*vs, Label{Name: Scalar(e.name), Members: members(d, e)})
		}
		if len(s.node.Content) == 0 {
			d.wrong(s, CodeBadValue, "the mapping is empty", "give at least one cell")
		}
	default:
		d.expected(s, "a list of cells, or a mapping from each cell to its aliases", listHint(s.node))
	}
}

// members decodes the texts of one cell: one text or a list.
func members(d *decoder, e entry) []Scalar {
	var out []Scalar
	if follow(e.node).Kind == yaml.ScalarNode {
		var one Scalar
		d.value(reflect.ValueOf(&one).Elem(), e.spot)
		return []Scalar{one}
	}
	d.value(reflect.ValueOf(&out).Elem(), e.spot)
	return out
}
