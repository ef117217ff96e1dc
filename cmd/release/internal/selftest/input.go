package selftest

import (
	"context"
	"os"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// testInput audits a job's bounds on its real input. The verdict is all that it says of the input.
func (a *selftester) testInput(ctx context.Context, f *flags) error {
	if f.Workers < 1 {
		return console.Usagef("--workers must be at least 1")
	}
	plan, err := f.Load(ctx, a.Console, f.job)
	if err != nil {
		return err
	}
	limits, err := f.Limits(plan)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(f.Tmp, "dprelease-selftest-") // mode 0700
	if err != nil {
		return folderError("make a temporary folder", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // files in it have no names
	limits.Scratch = folder
	pass, err := a.auditInput(ctx, plan, limits)
	if err != nil {
		return pipeline.InputError(err)
	}
	return a.concludeAudit(plan, pass)
}

func (a *selftester) auditInput(ctx context.Context, plan *pipeline.Plan, limits local.Limits) (bool, error) {
	jobs.KeepTo(limits.Memory)
	engine, err := jobs.Opener(plan.Job(), limits, nil)(ctx)
	if err != nil {
		return false, err
	}
	defer engine.Close()
	if diags := plan.CheckWith(engine); len(diags) > 0 {
		return false, console.JobError{Diagnostics: diags}
	}
	e, ok := engine.(*local.Engine)
	if !ok {
		return false, &pipeline.Error{Cause: pipeline.CauseInside, Code: "internal", Message: "this engine cannot be audited"}
	}
	o, done := a.Observer()
	defer done()
	return e.Audit(ctx, plan, o)
}

// concludeAudit prints the verdict; an error if it is a failure.
func (a *selftester) concludeAudit(plan *pipeline.Plan, pass bool) error {
	word := "pass"
	if !pass {
		word = "FAIL"
	}
	var err error
	switch {
	case a.JSON:
		err = a.PrintJSON(map[string]any{
			"program": a.program(), "job": plan.Name(), "adjacency": plan.Adjacency(), "mechanisms": len(plan.Mechanisms()), "pass": pass,
		})
	case !a.Quiet || !pass:
		err = a.Printf("%s: %s (%s, %s, on the job's input)\n", plan.Name(), word,
			console.Count(len(plan.Mechanisms()), "mechanism"), plan.Adjacency())
	}
	if err != nil || pass {
		return err
	}
	return &pipeline.Error{
		Cause: pipeline.CauseCheck, Code: "selftest", Message: "the exact answers of neighbouring tables are farther apart " +
			"than the job's sensitivities, or the input's files state what does not hold",
		Hint: "make no release of this job; if it passes with input.statistics: ignore, write the files anew with another " +
			"program, and else please report it",
	}
}
