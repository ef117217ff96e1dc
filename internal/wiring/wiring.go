// Package wiring makes the plan of a job and the options of its input, for the programs that run jobs.
package wiring

import (
	"context"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/pipeline"
)

// Plan makes the plan of the job file at path. It reads the public files that the job names.
func Plan(ctx context.Context, path string, o configs.ParseOptions) (*pipeline.Plan, configs.Diagnostics) {
	o.CheckStep = pipeline.CheckStep
	job, diags := configs.Load(path, o)
	if len(diags) > 0 {
		return nil, diags
	}
	return PlanOf(ctx, job)
}

// PlanOf makes the plan of a parsed job. It reads the public files that the job names.
func PlanOf(ctx context.Context, job *configs.Job) (*pipeline.Plan, configs.Diagnostics) {
	return pipeline.New(job, func(file, column string, aligned bool) ([]string, error) {
		return source.ReadColumn(ctx, file, column, aligned)
	})
}

// Sources returns the options with which a job's tables are opened; one item if the job has a single input.
func Sources(job *configs.Job) (all []source.Options) {
	for _, name := range job.TableNames() {
		o := SourceOptions(job.Of(name))
		o.Table = name
		all = append(all, o)
	}
	if len(all) == 0 {
		all = append(all, SourceOptions(job))
	}
	return all
}

// SourceOptions returns the options with which a job's input is opened.
func SourceOptions(job *configs.Job) source.Options {
	in := &job.Input
	c := &in.CSV
	csv := textfile.CSV{
		Header: c.Header == nil || *c.Header, Columns: c.Columns, Types: c.Types,
		Encoding: c.Encoding, Decimal: first(c.Decimal), Thousands: first(c.Thousands), Quote: first(c.Quote),
		TrimSpace: c.TrimSpace, Comment: first(c.Comment), Mark: c.Mark != nil && *c.Mark, LineEnd: c.LineEnd,
	}
	if c.Delimiter != "," { // "," is the default, which is a tab for format tsv
		csv.Delimiter = first(c.Delimiter)
	}
	if c.Quote == "none" {
		csv.Quote = textfile.NoQuote
	}
	for _, v := range c.NullValues {
		csv.NullValues = append(csv.NullValues, string(v))
	}
	o := source.Options{Dir: job.Dir(), Files: in.Files, Format: in.Format, CSV: csv, Folders: in.Folders,
		Exact: job.ExactColumns()}
	if in.Missing != "empty" {
		o.Keeps = pipeline.FolderFilter(in)
	}
	if in.JSONL != nil {
		o.JSONL.Columns = in.JSONL.Columns
	}
	return o
}

// first returns the only rune of a one-character setting; 0 if the setting is empty.
func first(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}
