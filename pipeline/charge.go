package pipeline

import (
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
)

// Charge returns what a release of the plan costs: its number-th, into the folder dir.
func (p *Plan) Charge(dir string, number int) ledger.Charge {
	return ledger.Charge{
		Run: p.Fingerprint(), Number: number, Job: p.Name(), Params: p.Params(), Dir: dir, Account: p.Account(), Mechanisms: p.Mechanisms(),
		Budget: p.Budget(), Delta: p.guarantee.Delta, DeltaShare: p.failure.share,
		Units: p.tableUnits(),
	}
}

// Budget returns the cap of the dataset in the job. If the job discovers keys and names no delta_cap, the cap is a
// tenth of the budget's delta (of a period's delta, if there is one), or the part that this release takes if that is
// more.
func (p *Plan) Budget() ledger.Budget {
	b := BudgetOf(p.job)
	if p.failure.share != "" && b.DeltaCap == "" {
		b.DeltaCap = largerDecimal(tenthOf(string(p.job.Ledger.Budget.Delta)), p.failure.share)
	}
	return b
}

// BudgetOf returns the cap of a dataset in a job.
func BudgetOf(job *configs.Job) ledger.Budget {
	b := &job.Ledger.Budget
	epsilon, delta := b.Total()
	out := ledger.Budget{Epsilon: string(epsilon), Delta: string(delta), DeltaCap: string(b.DeltaCap)}
	limit := ledger.Limit{Epsilon: string(b.Epsilon), Delta: string(b.Delta)}
	switch b.Per {
	case "day":
		out.Day = limit
	case "month":
		out.Month = limit
	case "year":
		out.Year = limit
	}
	return out
}

// Account names the budget that the plan draws on.
func (p *Plan) Account() ledger.Account { return AccountOf(p.job) }

// tableUnits returns the definitions of the unit in the tables that the plan reads; nil if no columns define it. The
// account names the unit by labels only.
func (p *Plan) tableUnits() map[string]string {
	if len(p.job.Privacy.Unit.Columns) == 0 {
		return nil
	}
	units := map[string]string{}
	if len(p.tables) == 0 {
		units[""] = p.job.TableUnit("")
	}
	use := func(k int) { units[p.tables[k].name] = p.job.TableUnit(p.tables[k].name) }
	for k := range p.tables {
		if len(p.QueriesOf(k)) == 0 {
			continue
		}
		use(k)
		for _, j := range p.tables[k].joins {
			use(j.Table)
		}
	}
	return units
}

// AccountOf names the budget that a job draws on.
func AccountOf(job *configs.Job) ledger.Account {
	return ledger.Account{Dataset: job.Ledger.Dataset, Unit: UnitText(job.Privacy.Unit), Adjacency: job.Privacy.Adjacency}
}

// UnitText returns the name of a privacy unit in ledgers; two units never have the same text. A unit that the producer
// of the table bounded has a text of its own, so that its budget is never the budget of a unit that the program bounds.
func UnitText(u configs.Unit) string {
	if u.Upstream != nil {
		return "upstream " + strconv.Quote(u.Upstream.Name)
	}
	if len(u.Columns) == 0 {
		return "row"
	}
	names := make([]string, len(u.Columns))
	for i, c := range u.Columns {
		names[i] = c
		if c == "row" || strings.ContainsAny(c, "\",") {
			names[i] = strconv.Quote(c)
		}
	}
	return strings.Join(names, ",")
}
