package sqlpush

import (
	"slices"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/query"
)

// Who adds up the rows of a database: the database, or this program
//
// The answers are the same. With `engine: auto` the cheaper one does it, by a rule that depends on the job alone. A
// database server always adds up its own rows. A database in this process (DuckDB) shares its processors with it, and
// adding up in SQL costs less than handing rows over. The exception is a query that must choose among the rows of a
// unit: in SQL that takes a sort and a digest for each row, so this program does it. It also answers the jobs that the
// database cannot answer. docs/adr/0060-the-cheaper-engine.md has the measured costs.

// Choice states who adds up the rows of a database, and why.
type Choice struct {
	Local bool   // whether this program adds up the rows
	Why   string // the reason, shown to the operator before a run
}

// Values of the job's key engine.
const (
	byDatabase = "database"
	byProgram  = "local"
)

// Choose returns who adds up the rows of a plan's input, which must be in a database.
func Choose(p *pipeline.Plan) Choice {
	dialect, _ := dialectOf(p.Job().Input.SQL.Driver)
	_, inProcess := dialect.(spiller)
	switch engine := p.Job().Engine; {
	case engine == byDatabase || engine == byProgram:
		return Choice{engine == byProgram, "the job says engine: " + engine}
	case !inProcess:
		return Choice{false, "the rows stay on the server"}
	case p.Refuses():
		return Choice{true, "the job says data_checks: refuse, and a database looks at no column"}
	case len(p.Derived().Places()) > 0 || p.AsksUnits() || slices.ContainsFunc(p.Queries(), keepsKeys):
		return Choice{true, "the job asks what a database does not answer"}
	case slices.ContainsFunc(p.Queries(), func(q pipeline.Planned) bool { return ChoosesRows(p, &q) }):
		return Choice{true, "a query chooses which rows of a unit count: per row and query that costs the database about " +
			"0.7 µs of processor time and this program 0.1, and 0.35 once to read the row"}
	}
	return Choice{false, "adding a row up costs the database about 0.04 µs of processor time, and this program 0.35 to " +
		"read it"}
}

// keepsKeys reports whether a query discovers keys that a single unit may have. Such keys must not leave the database
// before they are selected, so a database does not answer the query.
func keepsKeys(q pipeline.Planned) bool { return q.Selection != nil && q.MinUnits() < 2 }

// ChoosesRows reports whether the statement of a query computes digests to choose rows or cells. A plain count without
// sample_by needs none: it bounds the number of rows of each unit and adds these numbers up.
func ChoosesRows(p *pipeline.Plan, q *pipeline.Planned) bool {
	job := p.Job()
	if len(job.Privacy.Unit.Columns) == 0 {
		return false
	}
	for i := range job.Queries {
		if jq := &job.Queries[i]; jq.Name == q.Query.Name() && len(job.Bounds(jq).SampleBy) > 0 {
			return true
		}
	}
	return q.Kind != query.Count || q.Query.Cells() != 1
}
