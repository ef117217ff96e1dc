package configs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// mostListed is the largest number of values that the words of a condition list.
const mostListed = 8

// Conditions returns the conditions under which rows count in each query of a job, by the query's name: "Only rows with
// status = active and age from 18 to 65." A query without conditions is left out. The input is the JSON of
// [Job.Effective], so that values from the environment stay references.
func Conditions(effective []byte) map[string]string {
	type source struct{ Where json.RawMessage }
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
	_ = json.Unmarshal(effective, &job) // the program wrote it
	all := map[string]string{}
	for i := range job.Queries {
		q := &job.Queries[i]
		rows, own := conditionsOf(job.Input.Where), conditionsOf(q.Where)
		if q.From != "" {
			rows = conditionsOf(job.Input.Tables[q.From].Where)
		}
		var texts []string
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

// conditionsOf returns the words of conditions; where is their JSON.
func conditionsOf(where json.RawMessage) (texts []string) {
	var filters []Filter
	_ = yaml.Unmarshal(where, &filters) // JSON is YAML
	for i := range filters {
		texts = append(texts, filters[i].words()...)
	}
	return texts
}

// words returns the conditions on the filter's column.
func (f *Filter) words() (texts []string) {
	add := func(format string, args ...any) { texts = append(texts, f.Column+fmt.Sprintf(format, args...)) }
	if f.NotNull {
		add(" not null")
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
		add(" from %s to %s", f.Min.words(), f.Max.words())
	case f.Min != nil:
		add(" at least %s", f.Min.words())
	case f.Max != nil:
		add(" at most %s", f.Max.words())
	}
	return texts
}

// listed returns the values of a list in words; one and several are the words before one value and before several.
func listed(one, several string, values []Scalar) string {
	if len(values) == 1 {
		return one + " " + values[0].words()
	}
	var texts []string
	for _, v := range values[:min(len(values), mostListed)] {
		texts = append(texts, v.words())
	}
	if more := len(values) - mostListed; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return several + " (" + strings.Join(texts, ", ") + ")"
}

// words returns a value, in quotes if it is empty or ends in a space.
func (s Scalar) words() string {
	if text := string(s); text == "" || strings.TrimSpace(text) != text {
		return strconv.Quote(text)
	}
	return string(s)
}
