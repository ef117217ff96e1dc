package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/dprelease/dprelease/examples/internal/example"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/report/picture"
)

// margins compares the tables of margins.yaml with the truth: their noisy counts, and their consistent estimates.
func margins(ctx context.Context, dir string, s *experiment.Session) error {
	e, err := example.Evaluate(ctx, filepath.Join(dir, "margins.yaml"), filepath.Join(dir, "out", "margins-evaluation"))
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }() // nothing is lost: each entry of the ledger is durable
	m, err := newMarginErrors(ctx, dir)
	if err != nil {
		return err
	}
	for draw := range s.Pick(12, 6) { // the budget of the job allows 15
		release, err := e.Release(ctx, nil)
		if err != nil {
			return fmt.Errorf("draw %d: %w", draw, err)
		}
		m.addRelease(release)
	}
	return m.report(s)
}

// marginErrors collects squared errors by query.
type marginErrors struct {
	names         []string
	truth         []cells
	raw, agreeing []experiment.Moments
}

func newMarginErrors(ctx context.Context, dir string) (*marginErrors, error) {
	plan, err := example.Plan(ctx, filepath.Join(dir, "margins.yaml"), nil)
	if err != nil {
		return nil, err
	}
	rows, err := completeRows(dir, plan.Job().Input.CSV.Columns)
	if err != nil {
		return nil, err
	}
	n := len(plan.Job().Queries)
	m := &marginErrors{raw: make([]experiment.Moments, n), agreeing: make([]experiment.Moments, n)}
	for _, q := range plan.Job().Queries {
		m.names = append(m.names, q.Name)
		truth := cells{count: map[int]float64{0: float64(len(rows))}, number: 1}
		if q.Histogram != nil {
			truth = tally(rows, q.Histogram.By)
		}
		m.truth = append(m.truth, truth)
	}
	return m, nil
}

func (m *marginErrors) addRelease(release *pipeline.Release) {
	for i, r := range release.Results() {
		noisy, estimate := make([]float64, m.truth[i].number), make([]float64, m.truth[i].number)
		r.Answer.Noisy(0, noisy)
		r.Answer.Estimate(0, estimate)
		for c := range noisy {
			f := m.truth[i].count[c]
			m.raw[i].Add((noisy[c] - f) * (noisy[c] - f))
			m.agreeing[i].Add((estimate[c] - f) * (estimate[c] - f))
		}
	}
}

func (m *marginErrors) report(s *experiment.Session) error {
	table := experiment.Table{Columns: []string{"query", "cells", "draws", "mse_noisy", "std_err_noisy", "mse_consistent",
		"std_err_consistent", "ratio"}}
	var x, raw, agreeing []float64
	for i, name := range m.names {
		draws := m.raw[i].N / m.truth[i].number
		table.Add(name, m.truth[i].number, draws, m.raw[i].Mean, m.raw[i].StdErr(), m.agreeing[i].Mean,
			m.agreeing[i].StdErr(), m.agreeing[i].Mean/m.raw[i].Mean)
		x, raw, agreeing = append(x, float64(m.truth[i].number)), append(raw, m.raw[i].Mean), append(agreeing,
			m.agreeing[i].Mean)
	}
	if err := s.Table("margins", table); err != nil {
		return err
	}
	noisy := picture.Key{Name: "noisy", Style: picture.Style{Color: picture.Black, Mark: picture.Circle}}
	consistent := picture.Key{Name: "made to agree", Style: picture.Style{Color: picture.Vermilion,
		Mark: picture.Triangle}}
	return s.Figure("margins", picture.Figure{
		Width: 10, Height: 7, Keys: []picture.Key{noisy, consistent}, Note: "the twelve tables of margins.yaml at ε = 1, δ " +
			"= 1e-6",
		Panels: []picture.Panel{picture.Chart{
			X: picture.Axis{Label: "cells of the table", Log: true}, Y: picture.Axis{Label: "mean squared error", Log: true},
			Lines: []picture.Line{{Style: noisy.Style, X: x, Y: raw}, {Style: consistent.Style, X: x, Y: agreeing}},
		}},
	})
}
