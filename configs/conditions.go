package configs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	maxListed = 8   // how many values of a list are written out
	maxShown  = 120 // each value is cut after this many characters
)

// Conditions returns the conditions under which rows count in each query of a job, by the query's name: "Only rows with
// status = active and age from 18 to 65." A query without conditions is left out. The input is the JSON of
// [Job.Effective], so that values from the environment stay references.
func Conditions(effective []byte) map[string]string {
	type source struct {
		Where []condition
		Unit  []string
		Join  []struct{ Table string }
	}
	var job struct {
		Input struct {
			source
			Tables map[string]source
		}
		Queries []struct {
			source
			Name, From, Over string
		}
	}
	_ = json.Unmarshal(effective, &job) // no error: Effective wrote this JSON
	all := map[string]string{}
	for i := range job.Queries {
		q := &job.Queries[i]
		rows, own := conditionsOf(job.Input.Where), conditionsOf(q.Where)
		var texts []string
		if q.From != "" {
			rows = conditionsOf(job.Input.Tables[q.From].Where)
		}
		// If the table has no unit, its rows get one from the table of their first join: rows without a partner there
		// count nowhere.
		t := job.Input.Tables[q.From]
		for range job.Input.Tables {
			if len(t.Unit) > 0 || len(t.Join) == 0 {
				break
			}
			name := t.Join[0].Table
			t = job.Input.Tables[name]
			if partner := conditionsOf(t.Where); len(partner) > 0 {
				texts = append(texts, "Only rows with a partner in "+name+" with "+strings.Join(partner, " and ")+".")
			}
		}
		if q.Over == "units" && len(own) > 0 {
			texts, own = append(texts, "Only units with "+strings.Join(own, " and ")+"."), nil
		}
		if rows = slices.Concat(rows, own); len(rows) > 0 {
			texts = append(texts, "Only rows with "+strings.Join(rows, " and ")+".")
		}
		if len(texts) > 0 {
			all[q.Name] = strings.Join(texts, " ")
		}
	}
	return all
}

// condition is the JSON of a [Filter].
type condition struct {
	Filter
	NotNull any      `json:"not_null"` // a bool, or the text of a reference such as ${flag}
	NotIn   []Scalar `json:"not_in"`
}

// conditionsOf describes each condition in words.
func conditionsOf(where []condition) (texts []string) {
	for i := range where {
		texts = append(texts, where[i].words()...)
	}
	return texts
}

// words returns the conditions that f sets on its column, each in words.
func (f *condition) words() (texts []string) {
	add := func(format string, args ...any) { texts = append(texts, f.Column+fmt.Sprintf(format, args...)) }
	is, reference := f.NotNull.(string)
	switch {
	case f.NotNull == true || len(f.NotIn) > 0: // not_in drops nulls too
		add(" not null")
	case reference:
		add(" not null if %s", is)
	}
	if len(f.In) > 0 {
		add(" %s", listed("=", "in", f.In))
	}
	if len(f.NotIn) > 0 {
		add(" %s", listed("not", "not in", f.NotIn))
	}
	switch {
	case f.From != nil && f.For != "":
		add(" from %s for %s", f.From.words(), f.For)
	case f.From != nil && f.Before != nil:
		add(" from %s and before %s", f.From.words(), f.Before.words())
	case f.From != nil:
		add(" from %s on", f.From.words())
	case f.Before != nil:
		add(" before %s", f.Before.words())
	}
	switch {
	case f.Min != nil && f.Max != nil:
		add(" at least %s and at most %s", f.Min.words(), f.Max.words())
	case f.Min != nil:
		add(" at least %s", f.Min.words())
	case f.Max != nil:
		add(" at most %s", f.Max.words())
	}
	return texts
}

// listed returns a list of values in words. The list begins with the word one (such as =) if there is a single value,
// and otherwise with the word several (such as in).
func listed(one, several string, values []Scalar) string {
	if len(values) == 1 {
		return one + " " + values[0].words()
	}
	var texts []string
	for _, v := range values[:min(len(values), maxListed)] {
		texts = append(texts, v.words())
	}
	if more := len(values) - maxListed; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return several + " (" + strings.Join(texts, ", ") + ")"
}

// words returns a value as text, shortened if it is long. It is in quotes if it could be mistaken for another text or
// for several.
func (s Scalar) words() string {
	text := string(s)
	if at := []rune(text[:min(len(text), 4*maxShown+4)]); len(at) > maxShown {
		text = string(at[:maxShown]) + "…"
	}
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsAny(text, `,()"`) {
		return strconv.Quote(text)
	}
	return text
}
