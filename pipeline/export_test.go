package pipeline

// LegacyRun is the key under which earlier versions ran the plan.
func LegacyRun(p *Plan) string { return p.identity.legacy }
