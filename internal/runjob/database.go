package runjob

import (
	"context"

	"github.com/dprelease/dprelease/configs"
	_ "github.com/dprelease/dprelease/internal/postgres" // the driver of PostgreSQL
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
)

// openDatabase opens an input in a database. If the job asks for data checks that look at each row, this program reads
// the rows even if the database could aggregate them.
func openDatabase(ctx context.Context, p *pipeline.Plan, l local.Limits, secret []byte) (pipeline.Engine, error) {
	d, err := sqlpush.Open(ctx, DatabaseOf(p.Job()))
	if err != nil {
		return nil, err
	}
	if l.Look != local.LookAll && !sqlpush.Choose(p).Local {
		return sqlpush.New(d, secret), nil
	}
	l.Separate = true
	return sqlpush.NewReader(d, func(rows *source.Dataset) pipeline.Engine { return local.NewWithin(rows, l) }, secret),
		nil
}

// DatabaseOf returns the database input of a job with input.sql.
func DatabaseOf(job *configs.Job) sqlpush.Source {
	in := job.Input.SQL
	name := in.Table
	if in.Format != "" { // the job's table is a folder of files
		name = job.Path(name)
	}
	return sqlpush.Source{Driver: in.Driver, DSN: in.DSN, Table: name, Format: in.Format, Query: in.Query,
		Exact: job.ExactColumns()}
}
