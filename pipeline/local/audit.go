package local

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/query"
)

// An audit removes single privacy units from the real input and checks, for each mechanism of the plan, that the exact
// answers of neighbouring tables are within its sensitivity (mechanism.Within, in exact integers). Hundreds of passes
// over a large input would take too long, and the difference cannot be computed from the unit's rows alone, since that
// is what the audit tests. So it checks three things:
//
// 1. Whole tables: all rows, without each of some of the heaviest units and of some random ones, each in a pass of its
// own. There are four of each kind, and up to 25 if the passes read no more than some million rows in all. The answers
// about all rows are those of Aggregate, which may leave out row groups; a pass that reads everything must give the
// same. 2. Small tables: the rows of each of the hundred heaviest and of two hundred random units, as far as they fit
// in an eighth of the memory limit, together with some thousand rows of other units, in two accumulators that are
// merged. 3. What is believed of the files' statements is compared with every row.
//
// Under add-remove a table is compared with itself without the unit. Under replace-one the table without one unit is
// compared with the table without another: each becomes the other by replacing one unit.
//
// The audit cannot see units that it does not choose, tables that a unit could make and that the input does not hold,
// and files that a writer would have written for the neighbouring table. Aggregating without the rows of one unit is
// not the same as reading a file that never had them; that is why 3 is there.

const (
	leastWhole   = 4 // heavy units, and as many random ones, that are removed from the whole table
	mostWhole    = 25
	wholeRows    = 8 << 20 // how many rows may be read to remove more units than that
	companyRows  = 8192    // number of rows of other units beside one unit
	companyCells = 1 << 16 // the largest domain of which a small table holds all cells, if it could also hold some
)

// Audit reports whether all answers are as close as their mechanisms say and the files' statements hold. It reveals
// nothing else about the input, writes only to the scratch file, and reads the input about a dozen times. Errors are
// those of reading the input.
func (e *Engine) Audit(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (bool, error) {
	a := &audit{Engine: e.halved(p), ctx: ctx, plan: p, observer: o}
	for i, step := range []func() (bool, error){a.checkStatements, a.chooseAuditUnits, a.checkSmall, a.checkWhole} {
		o.Progress(pipeline.StageCompare, shareBeforeWhole*i/3, 100)
		if ok, err := step(); !ok || err != nil {
			return false, err
		}
	}
	o.Progress(pipeline.StageCompare, 100, 100)
	return true, nil
}

// shareBeforeWhole is about the percentage of an audit's time that passes before the whole tables.
const shareBeforeWhole = 15

// audit is an audit in progress.
type audit struct {
	*Engine
	ctx      context.Context
	plan     *pipeline.Plan
	observer pipeline.Observer
	chosen   auditUnits
}

// halved returns an engine with half the memory, if that is enough: an audit holds the answers of two tables at a time.
func (e *Engine) halved(p *pipeline.Plan) *Engine {
	half := *e
	if half.limits.Memory == 0 {
		half.limits.Memory = DefaultMemory()
	}
	half.limits.Memory /= 2
	if half.limits.Fits(p) != nil {
		half.limits.Memory = e.limits.Memory
	}
	return &half
}

// checkStatements compares what is believed of the files with their rows.
func (a *audit) checkStatements() (bool, error) {
	if a.plan.Job().Input.Statistics == ignoreStatistics {
		return true, nil
	}
	wrong, err := a.WrongStatements(a.ctx, a.plan)
	return len(wrong) == 0, err
}

func (a *audit) chooseAuditUnits() (_ bool, err error) {
	a.chosen, err = a.census(a.ctx, a.plan)
	return true, err
}

// answers are the exact answers about a table, by query and mechanism.
type answers [][]mechanism.Exact

// leave closes a scratch, unless answers by private keys still read from it: then the system does, when they are gone.
func (a *audit) leave(s *scratch) {
	if !a.plan.Discovers() {
		_ = s.Close() // a file without a name
	}
}

// within reports whether two tables' answers are within the sensitivities of the plan or, if equal is set, the same.
func (a *audit) within(x, y answers, equal bool) (bool, error) {
	for i := range a.plan.Queries() {
		for j, m := range a.plan.Queries()[i].All() {
			if equal {
				m.Sens.L2 = 0
			}
			ok, err := mechanism.Within(x[i][j], y[i][j], m)
			if err != nil {
				return false, &pipeline.Error{Cause: pipeline.CauseInside, Code: "internal", Message: "compare exact answers",
					Err: err}
			}
			if !ok {
				return false, nil
			}
		}
	}
	return true, nil
}

// seal returns the exact answers; if a clamp is to be found, those under the public range.
func (a *audit) seal(workers []*worker) (answers, error) {
	exacts, err := seal(a.plan, workers, nil)
	if err != nil {
		return nil, err
	}
	return exacts, a.plan.ChooseWidest(exacts)
}

// checkWhole audits the whole table without each of some units.
func (a *audit) checkWhole() (bool, error) {
	released, err := a.Aggregate(a.ctx, a.plan, pipeline.Silent{})
	if err != nil {
		return false, err
	}
	if err := a.plan.ChooseWidest(released.Exacts); err != nil {
		return false, err
	}
	all, err := a.without("")
	if err != nil {
		return false, err
	}
	if ok, err := a.within(released.Exacts, all, true); !ok || err != nil {
		return false, err
	}
	released = nil
	units := a.chosen.removed()
	var before answers
	for i, u := range units {
		a.observer.Progress(pipeline.StageCompare, shareBeforeWhole+(100-shareBeforeWhole)*i/len(units), 100)
		rest, err := a.without(u.key)
		if err != nil {
			return false, err
		}
		if ok, err := a.neighbours(all, rest, before); !ok || err != nil {
			return false, err
		}
		if a.plan.Adjacency() == query.ReplaceOne {
			before, all = rest, nil
		}
	}
	return true, nil
}

// removed returns the units that are removed from the whole table.
func (u *auditUnits) removed() []auditUnit {
	each := min(max(int(wholeRows/2/max(u.rows, 1)), leastWhole), mostWhole)
	return slices.Concat(u.heavy[:min(len(u.heavy), each)], u.random[:min(len(u.random), each)])
}

// neighbours compares the answers x about a table with those about its neighbour. Under add-remove that is the table
// with the unit, with. Under replace-one it is the table with another unit, instead, which is nil if there was none
// yet.
func (a *audit) neighbours(with, x, instead answers) (bool, error) {
	if a.plan.Adjacency() == query.AddRemove {
		return a.within(with, x, false)
	}
	if instead == nil {
		return true, nil
	}
	return a.within(instead, x, false)
}

// without answers the plan about all rows except those of a unit, or about all rows if unit is empty. It reads
// everything, whatever files state.
func (a *audit) without(unit string) (answers, error) {
	spill, err := a.scratch(a.ctx, a.plan)
	if err != nil {
		return nil, err
	}
	defer a.leave(spill)
	workers, err := newWorkers(min(spill.memory.workers, max(a.data.Splits(), 1)), a.plan, a.data.Schema(), spill,
		Limits{})
	if err != nil {
		return nil, err
	}
	keys := make([]*unitKeys, len(workers))
	for i := range workers {
		keys[i] = newUnitKeys(a.plan, a.plan.Columns())
	}
	_, err = a.scan(a.ctx, len(workers), func(ctx context.Context, i, split int) ([]byte, error) {
		keys[i].startSplit(split)
		return a.data.Read(ctx, split, a.plan.Columns(),
			func(b *table.Batch) error { return workers[i].addBatch(keys[i].drop(b, unit), false) })
	}, func() {})
	if err != nil {
		return nil, err
	}
	return a.seal(workers)
}

// drop returns a batch without the rows of a unit.
func (k *unitKeys) drop(b *table.Batch, unit string) *table.Batch {
	if unit == "" {
		return b
	}
	var keep []bool
	k.eachRow(b, func(row int, key []byte) {
		if string(key) == unit {
			if keep == nil {
				keep = slices.Repeat([]bool{true}, b.Rows)
			}
			keep[row] = false
		}
	})
	if keep == nil {
		return b
	}
	return withKept(b, keep)
}

// checkSmall audits small tables: one unit each, together with the same rows of other units.
func (a *audit) checkSmall() (bool, error) {
	tested := slices.Concat(a.chosen.heavy, a.chosen.random)
	rows, err := a.gather(a.ctx, a.plan, slices.Concat(tested, a.chosen.others), a.limits.Memory/4)
	if err != nil {
		return false, err
	}
	company := rows.together(a.chosen.others, companyRows)
	alone, err := a.answer(company)
	if err != nil {
		return false, err
	}
	var before answers
	for _, u := range tested {
		own, ok := rows[u.key]
		if !ok {
			continue
		}
		with, err := a.answer(slices.Concat(company, own))
		if err != nil {
			return false, err
		}
		if ok, err := a.neighbours(alone, with, before); !ok || err != nil {
			return false, err
		}
		if a.plan.Adjacency() == query.ReplaceOne {
			before = with
		}
	}
	return true, nil
}

// answer answers the plan about some batches, in two accumulators that are merged.
func (a *audit) answer(batches []*table.Batch) (answers, error) {
	m, err := a.limits.share(a.plan)
	if err != nil {
		return nil, err
	}
	m.cells = min(m.cells, companyCells)
	spill := newScratch(a.ctx, a.scratchFolder(), m)
	defer a.leave(spill)
	shares := halves(batches)
	workers, err := newWorkers(len(shares), a.plan, a.data.Schema(), spill, Limits{})
	if err != nil {
		return nil, err
	}
	for i := range workers {
		for _, b := range shares[i] {
			if err := workers[i].addBatch(b, false); err != nil {
				return nil, err
			}
		}
	}
	return a.seal(workers)
}
