package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// publicFile is what the plan took from a public file of the job.
type publicFile struct {
	File   string   `json:"file"`
	Column string   `json:"column"`
	Values []string `json:"values"`
}

// notTheQuestion are the parts of a job that may change without asking a new question: where the release goes and
// where the spend is recorded.
var notTheQuestion = map[string][]string{"output": {"dir"}, "ledger": {"store", "budget"}}

// digest identifies the plan: the job as it is run, without where it is published and charged, and the contents of its
// public files. Sigmas are left out: a better calibration does not make a new question.
func digest(question []byte, public []publicFile) (string, error) {
	var job map[string]any
	if err := json.Unmarshal(question, &job); err != nil {
		return "", fmt.Errorf("job: %w", err)
	}
	delete(job, "deployment")
	for block, keys := range notTheQuestion {
		if m, ok := job[block].(map[string]any); ok {
			for _, k := range keys {
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

// Run returns the key of the plan's run: dataset, plan and parameters. Two runs with one key ask the same question.
func (p *Plan) Run() string {
	h := sha256.New()
	write := func(s string) { fmt.Fprintf(h, "%d:%s,", len(s), s) }
	write("dprelease run 1")
	write(p.job.Ledger.Dataset)
	write(p.digest)
	params := p.Params()
	for _, k := range slices.Sorted(maps.Keys(params)) {
		write(k)
		write(params[k])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Params returns the parameters' values.
func (p *Plan) Params() map[string]string { return p.job.ParamValues() }
