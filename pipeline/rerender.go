package pipeline

import (
	"encoding/json"
	"fmt"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// WithDataChecksOf returns the plan with the data_checks setting of an earlier release, whose noisy values the plan
// re-renders. With data_checks: refuse, private rows decided whether that release appeared at all, so every rendering
// must state the setting. It returns an error if the job in m cannot be read.
func (p *Plan) WithDataChecksOf(m *manifest.Manifest) (*Plan, error) {
	var drawn struct {
		DataChecks string `json:"data_checks"`
	}
	if err := json.Unmarshal(m.Job, &drawn); err != nil {
		return nil, fmt.Errorf("the job of the release: %w", err)
	}
	job := *p.job
	job.DataChecks = drawn.DataChecks
	effective, err := job.Effective()
	if err != nil {
		return nil, err
	}
	out := *p
	out.job, out.effective = &job, effective
	return &out, nil
}
