package configs

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// maxFindings is the largest number of diagnostics of one job.
const maxFindings = 200

// source is the YAML tree of a job.
type source struct {
	root *yaml.Node
	// public holds, by path, the text of each scalar with a ${env:…} in it. The reference is in the text, not the
	// value.
	public map[string]string
}

// problem is what is wrong: a code, a sentence, and a hint what to write instead.
type problem struct{ code, text, hint string }

// fault is a problem and its place. line and column count from 1, and column counts characters.
type fault struct {
	line, column        int
	code, message, hint string
}

// finding is a fault with its path. meaning tells problems of meaning from problems of form.
type finding struct {
	fault
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
	r.findings = append(r.findings, finding{at: at, fault: fault{max(1, place.Line), max(1, place.Column), p.code, text, p.hint}})
	return &r.findings[len(r.findings)-1]
}

// addMeaning records a problem of meaning, unless the form is wrong at its path or above it.
func (r *report) addMeaning(at *path, p problem) {
	if where := at.String(); len(r.findings) >= maxFindings || !r.wrongAbove(where) {
		_, place, _ := find(r.src.root, where)
		r.addFinding(where, place, p).meaning = true
	}
}

// has reports whether the job has a value at a path.
func (r *report) has(at *path) bool {
	_, _, exact := find(r.src.root, at.String())
	return exact
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

// faults returns the faults that were recorded, and the number of those beyond maxFindings.
func (r *report) faults() (found []fault, left int) {
	for _, f := range r.findings {
		if f.code != "" {
			found = append(found, f.fault)
		}
	}
	return found, r.left
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
	if _, number := number(s); len(s) <= 60 && (number || plainKey.MatchString(s)) {
		return s
	}
	return quote(s)
}
