package configs

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// variables holds the values of references.
type variables struct {
	declared []string          // the names under params
	values   map[string]string // the values of the parameters that have one
	env      func(string) (string, bool)
	literal  bool // the text is a default of a parameter, in which references are not allowed
	broken   bool // the params block is wrong, so it is not known which names it declares
}

// piece is a piece of a text: plain text or a reference.
type piece struct {
	text string
	ref  bool
}

// pieces cuts a text at its references. `$${` is a plain `${`. ok is false if a reference is not closed.
func pieces(text string) (out []piece, ok bool) {
	plain := ""
	for text != "" {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			break
		}
		plain, text = plain+text[:i], text[i:]
		switch {
		case strings.HasPrefix(text, "$${"):
			plain, text = plain+"${", text[3:]
		case strings.HasPrefix(text, "${"):
			end := strings.IndexByte(text, '}')
			if end < 0 {
				return out, false
			}
			out = append(out, piece{text: plain}, piece{text[2:end], true})
			plain, text = "", text[end+1:]
		default:
			plain, text = plain+"$", text[1:]
		}
	}
	return append(out, piece{text: plain + text}), true
}

// expand replaces the references in a text. ok is false if a reference has no value. It reports the reason once.
func (d *decoder) expand(s spot, raw string) (text string, ok bool) {
	if !strings.Contains(raw, "${") {
		return raw, true
	}
	ps, ended := pieces(raw)
	if !ended {
		d.wrong(s, codeBadValue, "a reference ${ has no closing brace", "write ${name}; for a plain ${ write $${")
		return "", false
	}
	var value, public strings.Builder
	secret, ok := false, true
	for _, p := range ps {
		v, show, known := d.resolve(s, p)
		ok = ok && known
		secret = secret || v != show
		value.WriteString(v)
		public.WriteString(show)
	}
	if secret {
		d.src.public[s.at.String()] = public.String()
	}
	if !s.isKey() {
		d.expanded[s.at.String()] = value.String()
	}
	return value.String(), ok
}

// resolve returns the value of a piece, and the text that messages may show instead.
func (d *decoder) resolve(s spot, p piece) (value, show string, ok bool) {
	if !p.ref {
		return p.text, p.text, true
	}
	if name, isEnv := strings.CutPrefix(p.text, "env:"); isEnv {
		value, ok = d.environment(s, name)
		return value, "${" + p.text + "}", ok
	}
	value, ok = d.parameter(s, p.text)
	return value, value, ok
}

func (d *decoder) parameter(s spot, name string) (string, bool) {
	if d.vars.literal {
		d.wrong(s, codeBadValue, "a parameter cannot refer to "+reference(name), "write the value out; for a plain ${ write $${")
		return "", false
	}
	if value, ok := d.vars.values[name]; ok {
		return value, true
	}
	switch {
	case slices.Contains(d.vars.declared, name) || d.vars.broken:
		d.mute(s.at.String())
	default:
		d.wrong(s, codeUnknownParam, reference(name)+" is not declared under params", paramHint(name, d.vars.declared))
	}
	return "", false
}

func paramHint(name string, declared []string) string {
	if meant := nearest(name, declared); meant != "" {
		return "did you mean " + reference(meant) + "?"
	}
	if plainKey.MatchString(name) {
		return "declare it: params: {" + name + ": VALUE}; for a plain ${ write $${"
	}
	return "references are ${name} and ${env:NAME}; for a plain ${ write $${"
}

// reference returns a reference for a message.
func reference(name string) string {
	text := "${" + name + "}"
	if plainKey.MatchString(strings.TrimPrefix(name, "env:")) {
		return text
	}
	return quote(text)
}

// environment looks up a variable. Its value goes into the job and nowhere else.
func (d *decoder) environment(s spot, name string) (string, bool) {
	value, set := "", false
	if d.vars.env != nil {
		value, set = d.vars.env(name)
	}
	switch {
	case !slices.Contains(d.format.envKeys, s.at.top()):
		d.wrong(s, codeBadValue, reference("env:"+name)+" is used outside "+list(d.format.envKeys), "use a parameter: what a release says and where it goes is public")
	case s.isKey():
		d.wrong(s, codeBadValue, reference("env:"+name)+" is used in a key", "write the key out")
	case !set:
		d.wrong(s, codeMissingEnv, "the environment variable "+quote(name)+" is not set", "set it, or use a parameter")
	case !clean(value):
		d.wrong(s, codeBadValue, "the environment variable "+quote(name)+" holds control characters or is not UTF-8", "")
	default:
		return value, true
	}
	return "", false
}

// isKey reports whether the spot is the key of a mapping. Its node is then the key.
func (s spot) isKey() bool { return s.key != nil && follow(s.key) == s.node }

// clean reports whether a text is UTF-8 without control characters.
func clean(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// references calls f for the name of each reference in the tree. It does not follow aliases.
func references(n *yaml.Node, f func(name string)) {
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "${") {
		ps, _ := pieces(n.Value)
		for _, p := range ps {
			if p.ref {
				f(p.text)
			}
		}
	}
	for _, c := range n.Content {
		references(c, f)
	}
}
