package pipeline

import "github.com/dprelease/dprelease/pipeline/internal/question"

// Run returns the key of the plan's question: dataset, all that decides which noisy values are drawn, and parameters.
func (p *Plan) Run() string { return p.identity.Run }

// Presentation returns a digest of how the plan presents noisy values.
func (p *Plan) Presentation() string { return p.identity.Presentation }

// Params returns the parameters' values.
func (p *Plan) Params() map[string]string { return p.job.ParamValues() }

// LegacyRun returns the key under which versions ran the plan that told presentations apart as questions.
func (p *Plan) LegacyRun() string { return p.identity.Legacy }

// Effective returns the job as it is run, in the canonical JSON of the manifest.
func (p *Plan) Effective() []byte { return p.effective }

// Bare says whether the job alone, without public files, tells the plan's question.
func (p *Plan) Bare() bool { return p.identity.Bare != "" }

// AskedBy says whether the effective job of a manifest asks the plan's question, which is Bare.
func (p *Plan) AskedBy(job []byte) bool {
	bare, err := question.Bare(job)
	return err == nil && bare == p.identity.Bare
}
