package pipeline

import (
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
)

// Charge returns the ledger's record of what a release of this plan costs. dir is the release folder; number counts the
// charges for the same run fingerprint.
func (p *Plan) Charge(dir string, number int) ledger.Charge {
	return ledger.Charge{
		Run: p.Fingerprint(), Number: number, Job: p.Name(), Params: p.Params(), Dir: dir, Account: p.Account(), Mechanisms: p.Mechanisms(),
		Budget: p.Budget(), Delta: p.guarantee.Delta, DeltaShare: p.failure.share,
		Units: p.tableUnits(),
	}
}

// Budget returns the budget of the dataset as the job states it. If the job discovers keys but states no delta_cap, the
// cap is a tenth of the budget's delta (of a period's delta, if there is one), or the delta that this release spends on
// keys if that is more.
func (p *Plan) Budget() ledger.Budget {
	b := BudgetOf(p.job)
	if p.failure.share != "" && b.DeltaCap == "" {
		b.DeltaCap = largerDecimal(tenthOf(string(p.job.Ledger.Budget.Delta)), p.failure.share)
	}
	return b
}

// BudgetOf returns the budget of the dataset as a job states it.
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

// Account returns the name of the budget that the plan is charged to: dataset, privacy unit and adjacency.
func (p *Plan) Account() ledger.Account { return AccountOf(p.job) }

// tableUnits returns, by table, the columns that define the privacy unit; nil if no columns define it. The account's
// name has only the labels of the unit, which are the same for all tables.
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

// AccountOf returns the name of the budget that a job is charged to: dataset, privacy unit and adjacency.
func AccountOf(job *configs.Job) ledger.Account {
	return ledger.Account{Dataset: job.Ledger.Dataset, Unit: UnitText(job.Privacy.Unit), Adjacency: job.Privacy.Adjacency}
}

// UnitText returns the name of a privacy unit in ledgers; different units have different names. If the producer of the
// table bounded the units, the name says so. Thus such a table never shares a budget with a table whose units the
// program bounds.
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
