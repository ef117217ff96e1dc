package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The run fingerprint
//
// The run fingerprint is a digest of everything that decides which noisy values are drawn (docs/adr/0017). Two runs
// with the same fingerprint are the same run, which is charged once. The name, the formats and the denoising steps of a
// release are no part of the fingerprint: they are its rendering. A job that differs only in its rendering re-renders
// the noisy values of the first release, and costs nothing. Both the fingerprint and the rendering are digests of the
// job as it is run. Every key that is not known to be rendering is part of the fingerprint. So a key that is added to
// the format and forgotten here costs a second charge, and never draws new noise under an old charge.

// publicFile describes which part of a public file of the job the plan uses.
type publicFile struct {
	File   string   `json:"file"`
	Column string   `json:"column"`
	Values []string `json:"values"`

	// Presents is set if only the rendering uses the file: a denoising step or a rate.
	Presents bool `json:"-"`
}

// Identity holds the two digests that identify a plan's run and its rendering.
type Identity struct {
	// Run is the run fingerprint.
	Run string
	// Rendering is the digest of how the noisy values are presented.
	Rendering string
}

// identify computes the identity. question is the job with the values of environment variables inserted; public has the
// contents of its public files.
func identify(question []byte, public []publicFile, dataset string, params map[string]string) (id Identity, err error) {
	if id.Rendering, err = renderingOf(question, public); err != nil {
		return id, err
	}
	var asked []publicFile // nil if only the rendering uses files
	for _, f := range public {
		if !f.Presents {
			asked = append(asked, f)
		}
	}
	whole, err := digestOf(question, asked)
	if err != nil {
		return id, err
	}
	id.Run = runKey(dataset, whole, params)
	return id, nil
}

// runKey returns the run fingerprint: the digest of the dataset, the digest of the job's question, and the parameters.
func runKey(dataset, question string, params map[string]string) string {
	h := sha256.New()
	write := func(s string) { fmt.Fprintf(h, "%d:%s,", len(s), s) }
	write("dprelease question 1")
	write(dataset)
	write(question)
	for _, k := range slices.Sorted(maps.Keys(params)) {
		write(k)
		write(params[k])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// notTheRendering lists the keys that change no byte of a release: the folder, and settings of the ledger.
var notTheRendering = map[string][]string{"output": {"dir"}, "ledger": {"store", "budget"}}

// renderingOf returns the digest of the rendering: the job without the keys in notTheRendering, and the public files
// that it uses.
func renderingOf(effective []byte, public []publicFile) (string, error) {
	var job map[string]any
	if err := json.Unmarshal(effective, &job); err != nil {
		return "", fmt.Errorf("job: %w", err)
	}
	withoutRefusals(job)
	for block, keys := range notTheRendering {
		if m, ok := job[block].(map[string]any); ok {
			without(m, keys)
		}
	}
	text, err := json.Marshal(map[string]any{"plan": 1, "job": job, "public": public})
	if err != nil {
		return "", fmt.Errorf("plan digest: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// withoutRefusals removes the keys that decide whether a release appears, but no byte of it.
func withoutRefusals(job map[string]any) {
	without(job, []string{"data_checks"})
	input, _ := job["input"].(map[string]any)
	without(input, []string{"missing"})
	tables, _ := input["tables"].(map[string]any)
	for _, t := range tables {
		if table, ok := t.(map[string]any); ok {
			without(table, []string{"missing"})
		}
	}
}

// Paths of the job's keys that affect only how noisy values are presented.
var (
	presentsJob = []string{"name", "title", "columns", "deployment", "output", "ledger", "params", "memory_limit",
		"engine"}
	presentsQuery = []string{"name", "title", "description", "unit", "denoise", "margins", "sparse", "max_error",
		"publish", "rates"}
	presentsKind = map[string][]string{"histogram": {"quantiles", "cdf"}, "crosstabs": {"nonnegative", "integers",
		"round_to"}}
	presentsDimension = []string{"as"}
)

// digestOf returns the digest of all that decides the noisy values, except the dataset and the parameters, which runKey
// adds.
func digestOf(effective []byte, public []publicFile) (string, error) {
	d := json.NewDecoder(bytes.NewReader(effective))
	d.UseNumber()
	var job map[string]any
	if err := d.Decode(&job); err != nil {
		return "", fmt.Errorf("job: %w", err)
	}
	without(job, presentsJob)
	withoutRefusals(job)
	privacy, _ := job["privacy"].(map[string]any)
	for _, q := range objectsOf(job["queries"]) {
		// without weights, the accuracy targets decide how much noise each query gets, so they stay
		if questionOfQuery(q); privacy["weights"] == nil {
			delete(q, "accuracy")
		}
	}
	text, err := json.Marshal(map[string]any{"question": 1, "job": canonicalJSON(job), "public": public})
	if err != nil {
		return "", fmt.Errorf("question digest: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// questionOfQuery removes the keys that only present a query's answer. It treats every mapping with dimensions as a
// query kind, so that no list of kinds can become incomplete.
func questionOfQuery(q map[string]any) {
	without(q, presentsQuery)
	for kind, value := range q {
		k, ok := value.(map[string]any)
		if !ok {
			continue
		}
		without(k, presentsKind[kind])
		by := objectsOf(k["by"])
		for _, t := range objectsOf(k["tables"]) {
			renumber(t, "by", by)
		}
		if accuracy, ok := q["accuracy"].(map[string]any); ok && len(by) > 0 {
			renumber(accuracy, "table", by)
		}
		discovers := slices.ContainsFunc(by, func(d map[string]any) bool { return d["keys"] != nil })
		for _, d := range by {
			without(d, presentsDimension)
			if !discovers { // discovered keys contain the labels of listed cells
				withoutLabels(d)
			}
		}
	}
}

// renumber replaces names of dimensions, which only present the answer, by the dimensions' indices in ascending order.
func renumber(m map[string]any, key string, by []map[string]any) {
	names, _ := m[key].([]any)
	var places []int
	for _, name := range names {
		places = append(places, slices.IndexFunc(by, func(d map[string]any) bool { return dimensionName(d) == name }))
	}
	if slices.Sort(places); len(places) > 0 && places[0] >= 0 {
		m[key] = slices.Compact(places)
	}
}

// dimensionName returns the name by which a crosstab or margin refers to a dimension.
func dimensionName(dimension map[string]any) any {
	nearest, _ := dimension["nearest"].(map[string]any)
	for _, name := range []any{dimension["as"], nearest["id"], dimension["column"]} {
		if name != nil && name != "" {
			return name
		}
	}
	return "grid"
}

// withoutLabels replaces each cell's label by the values that the cell groups, since a label changes no count.
func withoutLabels(dimension map[string]any) {
	values, ok := dimension["values"].([]any)
	if !ok {
		return
	}
	for i, v := range values {
		if label, ok := v.(map[string]any); ok {
			values[i] = label["members"]
		} else {
			values[i] = []any{v}
		}
	}
}

func without(m map[string]any, keys []string) {
	for _, k := range keys {
		delete(m, k)
	}
}

// objectsOf returns the items of a list that are JSON objects.
func objectsOf(list any) (out []map[string]any) {
	items, _ := list.([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// canonicalJSON returns a value in a form that is the same for all spellings of the value. Numbers are compared by
// value. Empty lists and false booleans are removed, since they mean the same as an absent key. The exception is
// input.csv.header, which is true if absent.
func canonicalJSON(v any) any {
	switch x := v.(type) {
	case json.Number:
		return canonicalNumber(x.String())
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = canonicalJSON(x[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, v := range x {
			list, isList := v.([]any)
			if v == false && k != "header" || isList && len(list) == 0 {
				continue
			}
			out[k] = canonicalJSON(v)
		}
		return out
	}
	return v
}

// canonicalNumber writes a JSON number as digits without zeros at either end, and a power of ten, so that 1200 and
// 1.2e3 give the same text.
func canonicalNumber(text string) string {
	digits, negative := strings.CutPrefix(text, "-")
	mantissa, exponent := digits, 0
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		mantissa = digits[:i]
		if _, err := fmt.Sscanf(strings.TrimPrefix(digits[i+1:], "+"), "%d", &exponent); err != nil {
			return text
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	if negative {
		short = "-" + short
	}
	return fmt.Sprintf("%se%d", short, exponent)
}
