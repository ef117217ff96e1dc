package pipeline

import (
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/pipeline/datacheck"
)

// What an engine saw of the rows, and what of it is odd, is in package datacheck.
type (
	// DataChecks is what an engine saw of the rows that a plan has no use for. Its numbers are exact and private: they are for the operator,
	// who may read the input, and never become part of a release, a ledger or a metric. Nothing that is released depends on them, unless the
	// run is asked to refuse columns that are unusable ([Request], Refuse).
	DataChecks = datacheck.Checks
	// ColumnCheck is a column of the input, before filters.
	ColumnCheck = datacheck.Column
	// QueryCheck is the rows of one query.
	QueryCheck = datacheck.Query
	// Finding is something in the data that an operator should know before, or after, a release: private, as [DataChecks].
	Finding = datacheck.Finding
)

// Findings judges what an engine saw of a plan's rows, the unusable ones first.
func (p *Plan) Findings(c *DataChecks) []Finding {
	return datacheck.Judge(datacheck.Plan{
		Diagnose: p.job.Diagnose, At: func(query int, field string) string { return place(p.queries[query].path, field) },
		CSV: p.fromCSV(), Types: p.job.Input.CSV.Types, Unit: p.job.Privacy.Unit, Filters: len(p.input.filters.Columns()) > 0,
		Logical: p.Logical(), Columns: p.Columns(), Views: p.Views(),
	}, c)
}

// Unusable returns those findings that make a release noise about nothing.
func Unusable(found []Finding) configs.Diagnostics {
	var out configs.Diagnostics
	for _, f := range found {
		if f.Unusable {
			out = append(out, f.Diagnostic)
		}
	}
	return out
}

// UnusableError is the failed check of columns that are unusable; nil if there are none.
func UnusableError(found configs.Diagnostics, hint string) error {
	if len(found) == 0 {
		return nil
	}
	return &Error{Cause: CauseCheck, Code: "data", Message: "a release would be noise about nothing", Hint: hint, Err: found}
}

// Percent is a share for people: whole percent, of which only none and all are exact. Finer shares would show single rows.
func Percent(part, whole int64) string { return datacheck.Percent(part, whole) }
