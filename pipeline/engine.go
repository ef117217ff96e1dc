package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// Engine computes the exact answers of all queries of a plan, from files or in a database. It executes the plan's
// aggregations ([Plan.Aggregations]) with accumulators, whose totals the plan hides ([Plan.HideAllTotals]). It knows
// nothing else about the queries.
type Engine interface {
	// Schema returns the input's schema.
	Schema() table.Schema
	// Aggregate reads the input and returns the hidden exact answer of each component of each query, with a digest of the
	// input.
	Aggregate(ctx context.Context, p *Plan, o Observer) (*Aggregates, error)
	// Digest returns the digest that Aggregate would return, without computing answers.
	Digest(ctx context.Context, p *Plan, o Observer) ([]byte, error)
	// Close releases the input.
	Close() error
}

// Refuser is an Engine that cannot answer every plan.
type Refuser interface {
	// Refuses returns why the engine cannot answer a plan that fits its schema; nil if it can. Errors are of type
	// *problem.Error.
	Refuses(p *Plan) error
}

// CheckWith checks the plan against the schema of an engine's input, as [Plan.Check] does. It also reports parts of the
// plan that the engine cannot execute.
func (p *Plan) CheckWith(e Engine) configs.Diagnostics {
	var diags configs.Diagnostics
	switch t, several := e.(SeveralTables); {
	case len(p.tables) == 0:
		diags = p.Check(e.Schema())
	case several:
		diags = p.checkTables(t.TableSchemas())
	default:
		diags = configs.Diagnostics{p.job.Diagnose("input.tables", "several-tables", "this engine answers no job with "+
			"several tables", "run the job on one machine, from files")}
	}
	r, ok := e.(Refuser)
	if !ok || len(diags) > 0 {
		return diags
	}
	for _, refused := range problem.Errors(r.Refuses(p)) {
		path := ""
		for i := range p.queries {
			if p.queries[i].Query.Name() == refused.Query {
				path = p.queries[i].path
			}
		}
		diags = append(diags, diagnose(p.job, path, refused)...)
	}
	return unique(diags)
}

// Scratcher is an Engine that may write private temporary files while it aggregates.
type Scratcher interface {
	// UseScratch sets the folder for these files: the release's staging folder, which only the user who runs the release
	// can read, and which is deleted after a failure. It is called before Aggregate.
	UseScratch(dir string)
}

// SeveralTables is an Engine for plans with several tables.
type SeveralTables interface {
	// TableSchemas returns the schemas of the tables, in the plan's order.
	TableSchemas() []table.Schema
}

// Versioned is an Engine whose input may keep old versions, such as the snapshots of an Iceberg table.
type Versioned interface {
	// Version returns the version of the input that the engine reads; "" if the input keeps none. Every write to the input
	// changes the version, so it is private: it goes to the ledger, and to no release.
	Version() string
	// ReadVersion makes the engine read the version that an earlier attempt recorded. After an error the engine reads the
	// same version as before. The error is ErrVersionGone if the input is known to have lost the version.
	ReadVersion(ctx context.Context, version string) error
}

// ErrVersionGone means that the input no longer has a version: it expired, or the table was recreated.
var ErrVersionGone = errors.New("the input does not have this version any more")

// Aggregations returns, for each query, the totals of the input that an engine must compute. An engine needs no other
// facts about the queries. The aggregations name logical columns. Errors are diagnostics of the job, or errors of
// package queries/problem.
func (p *Plan) Aggregations(schema table.Schema) ([]*aggregation.Aggregation, error) {
	logical, diags := p.LogicalSchema(schema)
	if len(diags) > 0 {
		return nil, diags
	}
	filters, err := p.input.filters.Conditions(logical, p.input.location)
	if err != nil {
		return nil, err
	}
	all := make([]*aggregation.Aggregation, len(p.queries))
	conditions := map[string][]domain.Condition{} // by the keys of the filters
	for i := range p.queries {
		of := logical
		if p.queries[i].overUnits {
			bound, err := p.input.units.Bind(logical)
			if err != nil {
				return nil, err
			}
			of = bound.Schema
		}
		if all[i], err = p.queries[i].Query.Aggregation(of); err != nil {
			return nil, err
		}
		key := p.queries[i].FilterKey()
		if _, known := conditions[key]; !known {
			own, err := p.queries[i].Filters.Conditions(of, p.input.location)
			if err != nil {
				return nil, err
			}
			conditions[key] = slices.Concat(filters, own)
		}
		all[i].Filters = conditions[key]
	}
	return all, nil
}

// HideAllTotals takes the totals out of the accumulators, one accumulator per query, and returns them as hidden exact
// answers.
func (p *Plan) HideAllTotals(all []*queries.Accumulator) ([][]mechanism.Exact, error) {
	if len(all) != len(p.queries) {
		return nil, InsideError("hide the totals",
			errors.New("the engine's accumulators do not belong to the plan's queries"))
	}
	exacts := make([][]mechanism.Exact, len(all))
	for i := range all {
		var err error
		if exacts[i], err = queries.HideTotals(p.queries[i].Query, all[i]); err != nil {
			return nil, err
		}
	}
	return exacts, p.joinKeys(exacts)
}

// Aggregates holds the hidden exact answers of a plan: Exacts[i][j] is component j of query i.
type Aggregates struct {
	Exacts [][]mechanism.Exact
	// Input is a digest of the bytes on which the answers depend. It is private: only its keyed fingerprint is kept.
	Input []byte
	// Checks counts the rows that the plan cannot use, for the operator; nil if this was not requested.
	Checks *DataChecks
	// Free releases what the exact answers are read from, such as a scratch file with answers by private keys. It is
	// nil if there is nothing to release.
	Free func() error
}

// Close calls Free. The exact answers must not be used afterwards.
func (a *Aggregates) Close() {
	if a != nil && a.Free != nil {
		_ = a.Free() // the scratch file has no name, so the system frees it in any case
	}
}

// Stage names a stage of a run.
type Stage string

// The stages of a run, in order.
const (
	StageCharge    Stage = "charge"    // the ledger records the spend
	StageAggregate Stage = "aggregate" // the engine reads the input
	StageNoise     Stage = "noise"     // noise is drawn
	StageDenoise   Stage = "denoise"   // estimates are computed from the noisy values
	StagePublish   Stage = "publish"   // the tables are written
	StageCompare   Stage = "compare"   // the written tables are read back and compared
)

// Observer receives the progress of a run. It may be called from several goroutines.
type Observer interface {
	// Progress reports that done of total steps of a stage are finished. Its arguments are never private.
	Progress(s Stage, done, total int)
}

// RowObserver is an Observer that shows progress only to the operator, so it may also receive the number of rows that
// were read. This number is private: it must reach no log, file or release.
type RowObserver interface {
	Observer
	// Rows reports that n more rows were read. It may be called from several goroutines.
	Rows(n int)
}

// Silent is an Observer that ignores everything.
type Silent struct{}

// Progress does nothing.
func (Silent) Progress(Stage, int, int) {}
