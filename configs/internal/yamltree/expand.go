package yamltree

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/wording"
)

// Piece is a piece of a text: plain text or a reference.
type Piece struct {
	Text string
	Ref  bool
}

// Pieces cuts a text at its references. `$${` stands for a plain `${`. ok is false if a reference is not closed.
func Pieces(text string) (out []Piece, ok bool) {
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
			out = append(out, Piece{Text: plain}, Piece{text[2:end], true})
			plain, text = "", text[end+1:]
		default:
			plain, text = plain+"$", text[1:]
		}
	}
	return append(out, Piece{Text: plain + text}), true
}

// expand replaces the references in a text. If a reference has no value, it reports the reason once, and ok is false.
func (d *Decoder) expand(s Spot, raw string) (text string, ok bool) {
	if !strings.Contains(raw, "${") || d.Vars.Replaced && !d.holdsEnvironment(s, raw) {
		return raw, true
	}
	ps, ended := Pieces(raw)
	if !ended {
		d.Refuse(s, CodeBadValue, "a reference ${ has no closing brace", "write ${name}; for a plain ${ write $${")
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
		d.Src.Public[s.Path.String()] = public.String()
	}
	if !s.isKey() {
		d.expanded[s.Path.String()] = value.String()
	}
	return value.String(), ok
}

// holdsEnvironment reports whether a text may contain a reference ${env:NAME}.
func (d *Decoder) holdsEnvironment(s Spot, raw string) bool {
	return strings.Contains(raw, "${env:") && slices.Contains(d.format.EnvKeys, s.Path.top())
}

// resolve returns the value of a piece, and the text that messages may show instead.
func (d *Decoder) resolve(s Spot, p Piece) (value, show string, ok bool) {
	if !p.Ref {
		return p.Text, p.Text, true
	}
	if name, isEnv := strings.CutPrefix(p.Text, "env:"); isEnv {
		value, ok = d.environment(s, name)
		return value, "${" + p.Text + "}", ok
	}
	value, ok = d.parameter(s, p.Text)
	return value, value, ok
}

func (d *Decoder) parameter(s Spot, name string) (string, bool) {
	if d.Vars.Literal {
		d.Refuse(s, CodeBadValue, "a parameter cannot refer to "+reference(name),
			"write the value out; for a plain ${ write $${")
		return "", false
	}
	if value, ok := d.Vars.Values[name]; ok {
		return value, true
	}
	switch {
	case slices.Contains(d.Vars.Declared, name) || d.Vars.Broken:
		d.mute(s.Path.String())
	default:
		d.Refuse(s, CodeUnknownParam, reference(name)+" is not declared under params", paramHint(name, d.Vars.Declared))
	}
	return "", false
}

func paramHint(name string, declared []string) string {
	if meant := wording.Nearest(name, declared); meant != "" {
		return "did you mean " + reference(meant) + "?"
	}
	if PlainKey.MatchString(name) {
		return "declare it: params: {" + name + ": VALUE}; for a plain ${ write $${"
	}
	return "references are ${name} and ${env:NAME}; for a plain ${ write $${"
}

// reference returns a reference for a message.
func reference(name string) string {
	text := "${" + name + "}"
	if PlainKey.MatchString(strings.TrimPrefix(name, "env:")) {
		return text
	}
	return wording.Quote(text)
}

// environment returns the value of an environment variable. The value goes into the job and nowhere else.
func (d *Decoder) environment(s Spot, name string) (string, bool) {
	value, set := "", false
	if d.Vars.env != nil {
		value, set = d.Vars.env(name)
	}
	switch {
	case !slices.Contains(d.format.EnvKeys, s.Path.top()):
		d.Refuse(s, CodeBadValue, reference("env:"+name)+" is used outside "+wording.Join(d.format.EnvKeys),
			"use a parameter: the text and the place of a release are public")
	case s.isKey():
		d.Refuse(s, CodeBadValue, reference("env:"+name)+" is used in a key", "write the key out")
	case !set:
		d.Refuse(s, CodeMissingEnv, "the environment variable "+wording.Quote(name)+" is not set",
			"set it, or use a parameter")
	case !IsClean(value):
		d.Refuse(s, CodeBadValue, "the environment variable "+wording.Quote(name)+" holds control characters or is not UTF-8",
			"")
	default:
		return value, true
	}
	return "", false
}

// isKey reports whether the spot is the key of a mapping. Its node is then the key.
func (s Spot) isKey() bool { return s.Key != nil && Follow(s.Key) == s.Node }

// IsClean reports whether a text is UTF-8 without control characters.
func IsClean(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// References calls f for the name of each reference in the tree. It does not follow aliases.
func References(n *yaml.Node, f func(name string)) {
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "${") {
		ps, _ := Pieces(n.Value)
		for _, p := range ps {
			if p.Ref {
				f(p.Text)
			}
		}
	}
	for _, c := range n.Content {
		References(c, f)
	}
}
