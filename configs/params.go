package configs

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// paramReader reads the params block.
type paramReader struct {
	*decoder
	job    *Job
	sample bool // a parameter without a value gets a sample
}

// parameters decodes the params block. The value of a parameter comes from --param, or is its default.
func (d *paramReader) parameters(given map[string]string) {
	key, node := child(d.src.root, "params", -1)
	at := (*path)(nil).at("params")
	if node != nil {
		d.vars.literal = true
		d.value(reflect.ValueOf(&d.job.Params).Elem(), spot{key: key, node: node, at: at})
		d.vars.literal = false
	}
	d.vars.declared = slices.Sorted(maps.Keys(d.job.Params))
	d.vars.broken = d.wrongAbove("params")
	for _, name := range d.vars.declared {
		p := d.job.Params[name]
		fillDefaults(reflect.ValueOf(&p).Elem())
		if d.parameterValue(name, &p, given) {
			d.vars.values[name] = string(*p.Default)
		}
		d.job.Params[name] = p
	}
	d.unknownGiven(given)
}

// unknownGiven reports values of --param that the job does not declare.
func (d *paramReader) unknownGiven(given map[string]string) {
	if d.vars.broken {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(d.vars.declared, name) {
			continue
		}
		hint := "declare it under params, or leave it out"
		if meant := nearest(name, d.vars.declared); meant != "" {
			hint = "did you mean " + quote(meant) + "?"
		}
		_, place, _ := find(d.src.root, "params")
		d.addFinding("params", place, problem{CodeUnknownParam, "--param " + quote(name) + " is not declared", hint})
	}
}

// parameterValue sets and checks the value of one parameter.
func (d *paramReader) parameterValue(name string, p *Param, given map[string]string) bool {
	s := d.paramSpot(name)
	value, isGiven := given[name]
	switch {
	case d.troubled(s.at.String()):
		return false
	case !plainKey.MatchString(name):
		d.addFinding(s.at.String(), s.key, problem{CodeBadValue, "a parameter's name has letters, digits, _ and -, and begins with a letter or _", "rename it"})
		return false
	case p.Every != "" && p.Type != "date":
		every := s.at.at("every")
		_, place, _ := find(d.src.root, every.String())
		d.addFinding(every.String(), place, problem{CodeContradiction, "goes with type: date", "add type: date, or remove every"})
		return false
	case isGiven:
		p.Default = (*Scalar)(&value)
	case p.Default == nil && d.sample:
		sample := paramSample(p)
		p.Default = (*Scalar)(&sample)
	case p.Default == nil:
		d.addFinding(s.at.String(), s.key, problem{CodeMissingParam, "the parameter has no default and was not given", "give it: --param " + name + "=" + paramSample(p)})
		return false
	}
	return d.checkParam(s, p, isGiven)
}

// paramSpot returns the place of a parameter's declaration.
func (d *paramReader) paramSpot(name string) spot {
	key, node := child(d.src.root, "params", -1)
	if k, v := child(node, name, -1); v != nil {
		key, node = k, v
	}
	return spot{key: key, node: node, at: (*path)(nil).at("params").at(name)}
}

func paramSample(p *Param) string {
	if p.Type == "date" {
		return dateForms(p.Every)[0].sample
	}
	return "VALUE"
}

// checkParam checks the text of a parameter's value.
func (d *paramReader) checkParam(s spot, p *Param, given bool) bool {
	text := string(*p.Default)
	from := "the default "
	if given {
		from = "the value of --param "
	}
	if !clean(text) {
		d.wrong(s, CodeBadValue, from+"holds control characters or is not UTF-8", "")
		return false
	}
	if p.Type != "date" || isDate(text, p.Every) {
		return true
	}
	var samples []string
	for _, f := range dateForms(p.Every) {
		samples = append(samples, f.sample)
	}
	d.wrong(s, CodeBadValue, from+quote(text)+" is not a date"+everyText(p.Every), "write it as "+strings.Join(samples, " or "))
	return false
}

func everyText(every string) string {
	if every == "month" || every == "year" {
		return " on which a " + every + " begins"
	}
	return ""
}

// dateForm is one way to write a date: its layout and a sample.
type dateForm struct{ layout, sample string }

// dateForms returns the ways to write a date. A month or a year is named by its first day only, so that a window has
// few names.
func dateForms(every string) []dateForm {
	switch every {
	case "month":
		return []dateForm{{"2006-01", "2013-02"}, {"2006-01-02", "2013-02-01"}}
	case "year":
		return []dateForm{{"2006", "2013"}, {"2006-01", "2013-01"}, {"2006-01-02", "2013-01-01"}}
	}
	return []dateForm{{"2006-01-02", "2013-01-31"}}
}

func isDate(text, every string) bool {
	for _, f := range dateForms(every) {
		t, err := time.Parse(f.layout, text)
		if err == nil && (every != "month" || t.Day() == 1) && (every != "year" || t.YearDay() == 1) {
			return true
		}
	}
	return false
}

// unusedParams reports declared parameters that nothing refers to. A job that ignores its date would release the same
// data again under each date.
func (d *paramReader) unusedParams() {
	used := map[string]bool{}
	for i := 0; i+1 < len(d.src.root.Content); i += 2 {
		if k := follow(d.src.root.Content[i]); k.Value != "params" {
			references(d.src.root.Content[i+1], func(name string) { used[name] = true })
		}
	}
	for _, name := range d.vars.declared {
		if s := d.paramSpot(name); !used[name] && !d.wrongBelow(s.at.String()) {
			d.addFinding(s.at.String(), s.key, problem{CodeUnusedParam, "nothing refers to ${" + name + "}", "use it, or remove it"})
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

// Series returns the name of the job with the references to its dates unreplaced, such as fares-${day}. All windows of
// a dated job have the same series.
func (j *Job) Series() string {
	if j.src == nil {
		return j.Name
	}
	_, node := child(j.src.root, "name", -1)
	if node == nil {
		return j.Name
	}
	ps, ok := pieces(follow(node).Value)
	if !ok {
		return j.Name
	}
	values := j.ParamValues()
	var b strings.Builder
	for _, p := range ps {
		switch {
		case !p.ref:
			b.WriteString(p.text)
		case j.Params[p.text].Type == "date":
			b.WriteString("${" + p.text + "}")
		default:
			b.WriteString(values[p.text])
		}
	}
	return b.String()
}
