package pipeline

import (
	"context"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/mechanism"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// percent is the number of progress steps into which the denoising of one query is divided.
const percent = 100

// denoiseRun returns the settings for denoising one query: the number of workers, and progress reports to o.
func (c *RunPlan) denoiseRun(query, workers int, o Observer) denoise.Run {
	total := percent * len(c.queries)
	o.Progress(StageDenoise, percent*query, total)
	return denoise.Run{Workers: workers, Progress: func(done, of int) {
		o.Progress(StageDenoise, percent*query+percent*done/max(of, 1), total)
	}}
}

// denoising describes how one noisy vector is denoised.
type denoising struct {
	steps []*denoise.Step
	noisy mechanism.Noisy
	scale float64
	// partial is set if the vector is one of several components of the query, or if its keys were selected. Then no
	// expected error is stated.
	partial bool
	run     denoise.Run
}

// maxErrorCells is the largest number of cells for which the expected error of an estimate is computed. The computation
// repeats the denoising steps and needs several copies of the vector.
const maxErrorCells = 1 << 22

// estimate runs the steps on d.noisy and stores the result in to. It stores the notes of the steps and the expected
// error of the result in r.
func (d denoising) estimate(ctx context.Context, to *mechanism.Noisy, r *Result) (err error) {
	if len(d.steps) == 0 {
		return nil
	}
	if *to, r.Notes, err = applySteps(ctx, d.noisy, denoise.WithRuns(d.steps, d.run)); err != nil {
		return err
	}
	if d.partial || d.noisy.Len() > maxErrorCells || !d.noisy.Normal() {
		return nil
	}
	y := make([]float64, d.noisy.Len())
	d.noisy.Fill(0, y)
	risk, err := denoise.ExpectedError(ctx, y, d.noisy.Mechanism().Deviation(),
		denoise.WithRuns(d.steps, denoise.Run{Workers: d.run.Workers}))
	if err != nil {
		return err
	}
	r.Expected = &manifest.Error{RMSE: d.scale * risk.RMSE, Low: d.scale * risk.Low, High: d.scale * risk.High}
	return nil
}
