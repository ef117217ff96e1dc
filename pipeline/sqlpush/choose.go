package sqlpush

import (
	"slices"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/query"
)

// Who adds up the rows of a database: the database, or this program
//
// The answers are the same. With `engine: auto` the cheaper one does it, by a rule that sees the job alone. The rows of
// a server stay there. A database of this process shares its processors, and no row leaves it: adding rows up there
// costs less than handing them over, unless a query chooses among the rows of units: that takes a sort and a digest in
// SQL for each row. A database also cannot answer every job. docs/adr/0060-the-cheaper-engine.md has the measured
// costs.

// Choice tells who adds up the rows of a database, and why.
type Choice struct {
	Local bool   // this program
	Why   string // for the operator, before a run
}

// Values of a job's engine.
const (
	byDatabase = "database"
	byProgram  = "local"
)

// Choose returns who adds up the rows of a plan's input, which is in a database.
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
	case slices.ContainsFunc(p.Queries(), func(q pipeline.Planned) bool { return choosesRows(p, &q) }):
		return Choice{true, "a query chooses which rows of a unit count: per row and query that costs the database about 0.7 µs of " +
			"processor time and this program 0.1, and 0.35 once to read the row"}
	}
	return Choice{false, "adding a row up costs the database about 0.04 µs of processor time, and this program 0.35 to read it"}
}

// keepsKeys reports whether no key of a query may leave the database before it is selected: one unit may have it alone.
func keepsKeys(q pipeline.Planned) bool { return q.Selection != nil && q.MinUnits() < 2 }

// choosesRows reports whether the statement of a query computes digests of rows or of cells. A plain count does not: it
// adds up the bounded numbers of rows of units.
func choosesRows(p *pipeline.Plan, q *pipeline.Planned) bool {
	return len(p.Job().Privacy.Unit.Columns) > 0 && !(q.Kind == query.Count && q.Query.Cells() == 1)
}
