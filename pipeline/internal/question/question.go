// Package question says what a run is identified by.
package question

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

// What a question is
//
// A run is identified by its question: everything that decides which noisy values are drawn (docs/adr/0017). How they are presented, by
// which name, in which formats, after which steps, is no part of it: another presentation is made of the noisy values of the first release,
// and costs nothing. Both are digests of the job as it is run. What is not known to be presentation is question, so that a key that is added
// to the format and forgotten here costs a second charge, and never a second noise under one.

// PublicFile is what the plan took from a public file of the job.
type PublicFile struct {
	File   string   `json:"file"`
	Column string   `json:"column"`
	Values []string `json:"values"`

	// Presents says that a denoising step reads it.
	Presents bool `json:"-"`
}

// Identity is what a plan's runs are known by.
type Identity struct {
	// Run is the question's key; Legacy is that of versions that told presentations apart as questions.
	Run, Legacy string
	// Presentation is the digest of how the noisy values are presented.
	Presentation string
	// Bare is the digest of the question without public files; "" if it has any. A manifest's job gives the same.
	Bare string
}

// Identify works the identity out of the job, with the environment's values in place, and the contents of its public files.
func Identify(question []byte, public []PublicFile, dataset string, params map[string]string) (id Identity, err error) {
	legacy, err := digest(question, public, legacyNotTheQuestion)
	if err != nil {
		return id, err
	}
	id.Legacy = runKey("dprelease run 1", dataset, legacy, params)
	if id.Presentation, err = digest(question, public, notThePresentation); err != nil {
		return id, err
	}
	asked := slices.DeleteFunc(slices.Clone(public), func(f PublicFile) bool { return f.Presents })
	whole, err := digestOf(question, asked)
	if err != nil {
		return id, err
	}
	id.Run = runKey("dprelease question 1", dataset, whole, params)
	if len(asked) == 0 {
		id.Bare = whole
	}
	return id, nil
}

// runKey is the digest of a question's parts.
func runKey(kind, dataset, plan string, params map[string]string) string {
	h := sha256.New()
	write := func(s string) { fmt.Fprintf(h, "%d:%s,", len(s), s) }
	write(kind)
	write(dataset)
	write(plan)
	for _, k := range slices.Sorted(maps.Keys(params)) {
		write(k)
		write(params[k])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// legacyNotTheQuestion are the blocks and keys of a job that versions up to schema 2 of the ledger left out of a run's key. "" is the block.
var legacyNotTheQuestion = map[string][]string{"deployment": {""}, "output": {"dir"}, "ledger": {"store", "budget"}}

// notThePresentation are those in which two runs that publish the same bytes may differ: the folder of the release, and the ledger that is charged.
var notThePresentation = map[string][]string{"output": {"dir"}, "ledger": {"store", "budget"}}

// digest is that of the job without some keys, and of public files.
func digest(question []byte, public []PublicFile, without map[string][]string) (string, error) {
	var job map[string]any
	if err := json.Unmarshal(question, &job); err != nil {
		return "", fmt.Errorf("job: %w", err)
	}
	// Releases of versions without reports stay what they are: only a job that wants no report presents its values in another way.
	if output, ok := job["output"].(map[string]any); ok && output["report"] == true {
		delete(output, "report")
	}
	for block, keys := range without {
		m, ok := job[block].(map[string]any)
		for _, k := range keys {
			switch {
			case k == "":
				delete(job, block)
			case ok:
				delete(m, k)
			}
		}
	}
	text, err := json.Marshal(map[string]any{"plan": 1, "job": job, "public": public})
	if err != nil {
		return "", fmt.Errorf("plan digest: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// The keys of a job that only say how noisy values are presented, by their paths.
var (
	presentsJob       = []string{"name", "deployment", "output", "ledger", "params", "memory_limit", "engine"}
	presentsQuery     = []string{"name", "denoise", "margins", "sparse", "max_error", "publish"}
	presentsHistogram = []string{"quantiles", "cdf"}
	presentsCrosstabs = []string{"nonnegative", "integers"}
	presentsDimension = []string{"as"}
)

// digestOf is the digest of what decides which noisy values are drawn. Dataset and parameters come on top (runKey).
func digestOf(effective []byte, public []PublicFile) (string, error) {
	d := json.NewDecoder(bytes.NewReader(effective))
	d.UseNumber()
	var job map[string]any
	if err := d.Decode(&job); err != nil {
		return "", fmt.Errorf("job: %w", err)
	}
	without(job, presentsJob)
	privacy, _ := job["privacy"].(map[string]any)
	for _, q := range objects(job["queries"]) {
		if questionOfQuery(q); privacy["weights"] == nil { // else the accuracy decides how much noise each query gets
			delete(q, "accuracy")
		}
	}
	text, err := json.Marshal(map[string]any{"question": 1, "job": canonical(job), "public": public})
	if err != nil {
		return "", fmt.Errorf("question digest: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func questionOfQuery(q map[string]any) {
	without(q, presentsQuery)
	for _, kind := range []string{"histogram", "sum", "mean", "variance"} {
		k, ok := q[kind].(map[string]any)
		if !ok {
			continue
		}
		switch kind {
		case "histogram":
			without(k, presentsHistogram)
		case "crosstabs":
			without(k, presentsCrosstabs)
		}
		by := objects(k["by"])
		discovers := slices.ContainsFunc(by, func(d map[string]any) bool { return d["keys"] != nil })
		for _, d := range by {
			without(d, presentsDimension)
			if !discovers { // beside keys that are discovered, a listed cell is told by its label
				unlabelled(d)
			}
		}
	}
}

// unlabelled puts the members of each label in the place of the label: what it is called changes no count.
func unlabelled(dimension map[string]any) {
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

// objects are the objects of a list.
func objects(list any) (out []map[string]any) {
	items, _ := list.([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// canonical is a value in the one form that all spellings of the same share: numbers by value, and without what says the same as its
// absence, an empty list and a truth value that is false. Only input.csv.header is true if it is absent.
func canonical(v any) any {
	switch x := v.(type) {
	case json.Number:
		return canonicalNumber(x.String())
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = canonical(x[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, v := range x {
			list, isList := v.([]any)
			if v == false && k != "header" || isList && len(list) == 0 {
				continue
			}
			out[k] = canonical(v)
		}
		return out
	}
	return v
}

// canonicalNumber writes a decimal of JSON as its digits without zeros at either end, and an exponent of ten.
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

// Bare returns the digest of the question of a job as it is run, without public files.
func Bare(job []byte) (string, error) { return digestOf(job, nil) }
