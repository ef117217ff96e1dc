package pipeline

// Fingerprint returns the run fingerprint of the plan: a digest of the dataset, of the parameters, and of everything
// else that decides which noisy values are drawn.
func (p *Plan) Fingerprint() string { return p.identity.Run }

// Rendering returns a digest of how the plan presents noisy values: names, formats, denoising.
func (p *Plan) Rendering() string { return p.identity.Rendering }

// Params returns the values of the job's parameters by name.
func (p *Plan) Params() map[string]string { return p.job.ParamValues() }

// Effective returns the job as it is run, with all values inserted, in the manifest's canonical JSON.
func (p *Plan) Effective() []byte { return p.effective }
