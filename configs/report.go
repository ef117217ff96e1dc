package configs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxFindings is the largest number of diagnostics of one job.
const maxFindings = 200

// source is the origin of a job. Diagnose, Path and Effective use it.
type source struct {
	file string
	root *yaml.Node
	// public holds, by path, the text of each scalar with a ${env:…} in it. The reference is in the text, not the
	// value.
	public map[string]string
}

// problem is what is wrong: a code, a sentence, and a hint what to write instead.
type problem struct{ code, text, hint string }

// finding is a diagnostic with its path. meaning tells problems of meaning from problems of form.
type finding struct {
	Diagnostic
	at      string
	meaning bool
}

// report collects the findings of one job.
type report struct {
	src      *source
	expanded map[string]string // by path, the texts in which a reference was replaced
	findings []finding
	left     int // the number of findings beyond maxFindings
}

// addFinding records a problem at a node.
func (r *report) addFinding(at string, place *yaml.Node, p problem) *finding {
	if len(r.findings) >= maxFindings {
		r.left++
		return &finding{}
	}
	text := p.text
	if at != "" {
		text = short(at, 200) + ": " + text
	}
	r.findings = append(r.findings, finding{at: at, Diagnostic: Diagnostic{
		File: r.src.file, Line: max(1, place.Line), Column: max(1, place.Column), Code: p.code, Message: text, Hint: p.hint,
	}})
	return &r.findings[len(r.findings)-1]
}

// mute marks a value that is unknown because of a problem reported elsewhere. Checks then say nothing about it.
func (r *report) mute(at string) {
	if len(r.findings) < maxFindings {
		r.findings = append(r.findings, finding{at: at})
	}
}

// troubled reports whether the form is wrong at a path, above it or below it.
func (r *report) troubled(at string) bool {
	return r.wrongAbove(at) || r.wrongBelow(at)
}

func (r *report) wrongAbove(at string) bool {
	return slices.ContainsFunc(r.findings, func(f finding) bool { return !f.meaning && within(at, f.at) })
}

func (r *report) wrongBelow(at string) bool {
	return slices.ContainsFunc(r.findings, func(f finding) bool { return !f.meaning && within(f.at, at) })
}

// diagnostics returns the findings in the order of the file.
func (r *report) diagnostics() Diagnostics {
	var out Diagnostics
	for _, f := range r.findings {
		if f.Code != "" {
			out = append(out, f.Diagnostic)
		}
	}
	out.Sort()
	if r.left > 0 {
		last := out[len(out)-1]
		last.Code, last.Message, last.Hint = CodeTooMany, fmt.Sprintf("and %d more problems", r.left), "mend these first"
		out = append(out, last)
	}
	return out
}

// show returns a text of the job for a message. If it contains a value of the environment, it is shown with its
// references, as in the file.
func (r *report) show(at *path, text string) string {
	if public, secret := r.src.public[at.String()]; secret {
		text = public
	}
	return shown(text)
}

// shown returns a text for a message. It is quoted only if necessary.
func shown(s string) string {
	if _, number := Scalar(s).number(); len(s) <= 60 && (number || plainKey.MatchString(s)) {
		return s
	}
	return quote(s)
}

// quote returns a text of the job for a message, on one line and not too long.
func quote(s string) string { return strconv.Quote(short(s, 60)) }

// short cuts a text after n characters.
func short(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// list joins words: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
