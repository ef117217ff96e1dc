package yamltree

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/wording"
)

// MaxFindings is the largest number of diagnostics of one job.
const MaxFindings = 200

// Source is the YAML tree of a job.
type Source struct {
	Root *yaml.Node
	// Public holds the text of each scalar that has a ${env:…} in it, by path. The text has the reference, not the
	// value.
	Public map[string]string
}

// Problem is a fault without its place: a code, a sentence, and a hint what to write instead.
type Problem struct{ Code, Text, Hint string }

// Fault is a problem and its place. Line and Column count from 1, and Column counts characters.
type Fault struct {
	Line, Column        int
	Code, Message, Hint string
}

// Finding is a fault with its path. meaning is set if the form of the value is right (its type and text), but its
// meaning is wrong, for instance because it contradicts another value.
type Finding struct {
	Fault
	at      string
	meaning bool
}

// Report collects the findings of one job.
type Report struct {
	Src      *Source
	expanded map[string]string // the texts in which a reference was replaced, by path
	findings []Finding
	left     int // how many findings were dropped beyond MaxFindings
}

// AddFinding records a problem at a node.
func (r *Report) AddFinding(at string, place *yaml.Node, p Problem) *Finding {
	if len(r.findings) >= MaxFindings {
		r.left++
		return &Finding{}
	}
	text := p.Text
	if at != "" {
		text = wording.Short(at, 200) + ": " + text
	}
	r.findings = append(r.findings, Finding{at: at, Fault: Fault{max(1, place.Line), max(1, place.Column), p.Code, text,
		p.Hint}})
	return &r.findings[len(r.findings)-1]
}

// AddMeaning records a problem of meaning, unless the form is wrong at its path or above it.
func (r *Report) AddMeaning(at *Path, p Problem) {
	if where := at.String(); len(r.findings) >= MaxFindings || !r.WrongAbove(where) {
		_, place, _ := Find(r.Src.Root, where)
		r.AddFinding(where, place, p).meaning = true
	}
}

// Has reports whether the job has a value at a path.
func (r *Report) Has(at *Path) bool {
	_, _, exact := Find(r.Src.Root, at.String())
	return exact
}

// mute marks a value as unknown, because of a problem that is reported at another path. Checks then ignore the value.
func (r *Report) mute(at string) {
	if len(r.findings) < MaxFindings {
		r.findings = append(r.findings, Finding{at: at})
	}
}

// Troubled reports whether the form is wrong at a path, above it or below it.
func (r *Report) Troubled(at string) bool {
	return r.WrongAbove(at) || r.WrongBelow(at)
}

// WrongAbove reports whether the form is wrong at a path or above it.
func (r *Report) WrongAbove(at string) bool {
	return slices.ContainsFunc(r.findings, func(f Finding) bool { return !f.meaning && within(at, f.at) })
}

// WrongBelow reports whether the form is wrong at a path or below it.
func (r *Report) WrongBelow(at string) bool {
	return slices.ContainsFunc(r.findings, func(f Finding) bool { return !f.meaning && within(f.at, at) })
}

// Faults returns the recorded faults, and how many were dropped beyond MaxFindings.
func (r *Report) Faults() (found []Fault, left int) {
	for _, f := range r.findings {
		if f.Code != "" {
			found = append(found, f.Fault)
		}
	}
	return found, r.left
}

// Show returns a text of the job as a message may quote it. If the text has the value of an environment variable, Show
// returns the text with the reference ${env:NAME} instead.
func (r *Report) Show(at *Path, text string) string {
	if public, secret := r.Src.Public[at.String()]; secret {
		text = public
	}
	return Shown(text)
}

// Shown returns a text for a message. It is quoted only if necessary.
func Shown(s string) string {
	if _, number := ParseNumber(s); len(s) <= 60 && (number || PlainKey.MatchString(s)) {
		return s
	}
	return wording.Quote(s)
}
