package pipeline

// Fingerprint returns the run fingerprint of the plan: a digest of the dataset, of everything that decides which noisy
// values are drawn, and of the parameters.
func (p *Plan) Fingerprint() string { return p.identity.Run }

// Rendering returns a digest of how the plan presents noisy values.
func (p *Plan) Rendering() string { return p.identity.Rendering }

// Params returns the parameters' values.
func (p *Plan) Params() map[string]string { return p.job.ParamValues() }

// Effective returns the job as it is run, in the canonical JSON of the manifest.
func (p *Plan) Effective() []byte { return p.effective }
