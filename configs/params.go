package configs

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// paramReader reads the params block.
type paramReader struct {
	*yamltree.Decoder
	job    *Job
	sample bool // give a sample value to a parameter that has no value
}

// parameters decodes the params block. The value of a parameter comes from --param, or is its default.
func (d *paramReader) parameters(given map[string]string) {
	key, node := yamltree.Child(d.Src.Root, "params", -1)
	at := (*yamltree.Path)(nil).At("params")
	if node != nil {
		d.Vars.Literal = true
		d.DecodeValue(reflect.ValueOf(&d.job.Params).Elem(), yamltree.Spot{Key: key, Node: node, Path: at})
		d.Vars.Literal = false
	}
	d.Vars.Declared = slices.Sorted(maps.Keys(d.job.Params))
	d.Vars.Broken = d.WrongAbove("params")
	for _, name := range d.Vars.Declared {
		p := d.job.Params[name]
		yamltree.FillDefaults(reflect.ValueOf(&p).Elem())
		if d.parameterValue(name, &p, given) {
			d.Vars.Values[name] = string(*p.Default)
		}
		d.job.Params[name] = p
	}
	d.unknownGiven(given)
}

// unknownGiven reports values of --param that the job does not declare.
func (d *paramReader) unknownGiven(given map[string]string) {
	if d.Vars.Broken {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(d.Vars.Declared, name) {
			continue
		}
		hint := "declare it under params, or leave it out"
		if meant := wording.Nearest(name, d.Vars.Declared); meant != "" {
			hint = "did you mean " + wording.Quote(meant) + "?"
		}
		_, place, _ := yamltree.Find(d.Src.Root, "params")
		d.AddFinding("params", place, yamltree.Problem{Code: CodeUnknownParam, Text: "--param " + wording.Quote(name) +
			" is not declared", Hint: hint})
	}
}

// parameterValue puts the value given with --param, or a sample if samples are wanted, into p.Default and checks it. It
// reports problems and then returns false.
func (d *paramReader) parameterValue(name string, p *Param, given map[string]string) bool {
	s := d.paramSpot(name)
	value, isGiven := given[name]
	switch {
	case d.Troubled(s.Path.String()):
		return false
	case !yamltree.PlainKey.MatchString(name):
		d.AddFinding(s.Path.String(), s.Key, yamltree.Problem{Code: CodeBadValue,
			Text: "a parameter's name has letters, digits, _ and -, and begins with a letter or _", Hint: "rename it"})
		return false
	case p.Every != "" && p.Type != "date":
		every := s.Path.At("every")
		_, place, _ := yamltree.Find(d.Src.Root, every.String())
		d.AddFinding(every.String(), place, yamltree.Problem{Code: CodeContradiction, Text: "goes with type: date",
			Hint: "add type: date, or remove every"})
		return false
	case isGiven:
		p.Default = (*Scalar)(&value)
	case p.Default == nil && d.sample:
		sample := paramSample(p)
		p.Default = (*Scalar)(&sample)
	case p.Default == nil:
		d.AddFinding(s.Path.String(), s.Key, yamltree.Problem{Code: CodeMissingParam,
			Text: "the parameter has no default and was not given", Hint: "give it: --param " + name + "=" + paramSample(p)})
		return false
	}
	return d.checkParam(s, p, isGiven)
}

// paramSpot returns the place in the file at which a parameter is declared.
func (d *paramReader) paramSpot(name string) yamltree.Spot {
	key, node := yamltree.Child(d.Src.Root, "params", -1)
	if k, v := yamltree.Child(node, name, -1); v != nil {
		key, node = k, v
	}
	return yamltree.Spot{Key: key, Node: node, Path: (*yamltree.Path)(nil).At("params").At(name)}
}

func paramSample(p *Param) string {
	if p.Type == "date" {
		return dateSamples(p.Every)[0]
	}
	return "VALUE"
}

// checkParam checks the text of a parameter's value.
func (d *paramReader) checkParam(s yamltree.Spot, p *Param, given bool) bool {
	text := string(*p.Default)
	from := "the default "
	if given {
		from = "the value of --param "
	}
	if !yamltree.IsClean(text) {
		d.Refuse(s, CodeBadValue, from+"holds control characters or is not UTF-8", "")
		return false
	}
	if _, _, ok := readDate(text, p.Every); ok || p.Type != "date" {
		return true
	}
	d.Refuse(s, CodeBadValue, from+wording.Quote(text)+" is not a date"+kind(p.Every),
		"write it as "+strings.Join(dateSamples(p.Every), " or "))
	return false
}

// unusedParams reports declared parameters that nothing refers to. A job that ignores its date would release the same
// data again under each date.
func (d *paramReader) unusedParams() {
	used := map[string]bool{}
	for i := 0; i+1 < len(d.Src.Root.Content); i += 2 {
		if k := yamltree.Follow(d.Src.Root.Content[i]); k.Value != "params" {
			yamltree.References(d.Src.Root.Content[i+1], func(name string) { used[name] = true })
		}
	}
	for _, name := range d.Vars.Declared {
		if s := d.paramSpot(name); !used[name] && !d.WrongBelow(s.Path.String()) {
			d.AddFinding(s.Path.String(), s.Key, yamltree.Problem{Code: CodeUnusedParam, Text: "nothing refers to ${" + name +
				"}", Hint: "use it, or remove it"})
		}
	}
}

// ParamValues returns the value of each parameter.
func (j *Job) ParamValues() map[string]string {
	out := make(map[string]string, len(j.Params))
	for name, p := range j.Params {
		if p.Default != nil {
			out[name] = string(*p.Default)
		}
	}
	return out
}

// Series returns the name of the job with its dates as references, such as fares-${day}. So the runs of a dated job for
// different dates have the same series.
func (j *Job) Series() string {
	if j.src == nil {
		return j.Name
	}
	_, node := yamltree.Child(j.src.Root, "name", -1)
	if node == nil {
		return j.Name
	}
	ps, ok := yamltree.Pieces(yamltree.Follow(node).Value)
	if !ok {
		return j.Name
	}
	values := j.ParamValues()
	var b strings.Builder
	for _, p := range ps {
		switch {
		case !p.Ref:
			b.WriteString(p.Text)
		case j.Params[p.Text].Type == "date":
			b.WriteString("${" + p.Text + "}")
		default:
			b.WriteString(values[p.Text])
		}
	}
	return b.String()
}
