package stabilitytest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/query"
)

// Finding is a violation of stability, with all that is needed to reproduce it.
type Finding struct {
	What string
	Case *Case
	// NoPlan is set if the job has no plan: the fault is then in the case, not in the engine.
	NoPlan bool
	// Query names the mechanism whose answers are too far apart; "" if something else is wrong.
	Query   string
	Answers [2]Answer
}

// Error describes the finding, with its case.
func (f *Finding) Error() string {
	var b strings.Builder
	c := f.Case
	fmt.Fprintf(&b, "%s\n%s\nwriter %s, layout %d, %+v, adjacency %s\njob:\n%s", f.What, c.Note, c.Writer.Name, c.Layout,
		c.Limits, c.Job.Adjacency, c.Job.YAML(Files(c.Writer, c.Pair.Files)...))
	fmt.Fprintf(&b, "columns: %s\n", c.Job.columnsText())
	for i := range 2 {
		fmt.Fprintf(&b, "table %d:\n%s", i, c.Pair.Table(i))
		if f.Query != "" {
			fmt.Fprintf(&b, "answer %d of %s: %s\n", i, f.Query, f.Answers[i])
		}
	}
	return b.String()
}

func (j *Job) columnsText() string {
	var out []string
	for _, c := range j.Columns {
		text := c.Name
		if c.Optional {
			text += "?"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// Measure runs the job on both tables and compares the distance of the answers with the declared sensitivities. found
// is nil if none is exceeded. skipped is set if the writer cannot write the tables, or writes other types than the job
// needs.
func (c *Case) Measure(l *Lab) (found *Finding, skipped bool) {
	if err := c.Job.prepare(l); err != nil {
		return &Finding{What: "the job has no plan: " + err.Error(), Case: c, NoPlan: true}, false
	}
	var answers [2][]Answer
	var errs [2]error
	for i := range 2 {
		answers[i], errs[i] = c.answers(l, c.Job, i)
		if errors.As(errs[i], &unwritten{}) {
			return nil, true
		}
	}
	for i, err := range errs {
		var differ unequal
		if errors.As(err, &differ) {
			return &Finding{What: fmt.Sprintf("%v about table %d", differ, i), Case: c, Query: differ.query,
				Answers: differ.answers}, false
		}
		if err != nil {
			return &Finding{What: fmt.Sprintf("the run on table %d fails: %v", i, err), Case: c}, false
		}
	}
	if f := c.Within(c.Job.plan, answers); f != nil || !c.Whole || len(c.Job.Where) == 0 {
		return f, false
	}
	return c.compareWhole(l, answers), false
}

// Counts returns the first cell of the first mechanism's answer on each of the tables. If there is no answer, it fails
// the lab's test.
func (c *Case) Counts(l *Lab) (counts [2]int64) {
	l.Helper()
	if err := c.Job.prepare(l); err != nil {
		l.Fatal(err)
	}
	for i := range counts {
		a, err := c.answers(l, c.Job, i)
		if err != nil {
			l.Fatal(err)
		}
		counts[i] = a[0].Cells[0].Int64()
	}
	return counts
}

// Within compares the answers on both tables, one for each mechanism of a plan. It returns the first pair of answers
// that are further apart than the plan's sensitivity; nil if there is none.
func (c *Case) Within(p *pipeline.Plan, answers [2][]Answer) *Finding {
	k := 0
	for _, q := range p.Queries() {
		// Under replace-one, the mechanisms of crosstabs without levels have one joint sensitivity.
		together := c.Job.Adjacency == replaceOne && q.Strategy != nil && q.Strategy.Name == query.StrategyResiduals
		if ms := q.All(); together && !withinTogether(answers[0][k:], answers[1][k:], ms) {
			return &Finding{What: ms[0].Query + ": all parts together are further apart than their sensitivities", Case: c,
				Query: ms[0].Query, Answers: [2]Answer{answers[0][k], answers[1][k]}}
		}
		for _, m := range q.All() {
			a, b := answers[0][k], answers[1][k]
			k++
			what := ""
			switch {
			case together:
				continue
			case !within(a, b, m):
				what = fmt.Sprintf("%s: the answers are further apart than the sensitivity %v (%s)", m.Query, m.Sens.L2, m.Sens.Why)
			case q.Selected() && q.Selection.Weighted:
				weights, err := q.Selection.Weights()
				if err == nil && withinWeights(a, b, weights) && withinWeights(b, a, weights) {
					continue
				}
				what = m.Query + ": a key of one unit alone weighs more than its keys may"
			case q.Selected() && !withinKeys(a, b, q.Components[0].Keys, c.Job.Adjacency):
				what = fmt.Sprintf("%s: one unit changes more than %d keys, or one by more than 1", m.Query, q.Components[0].Keys)
			default:
				continue
			}
			return &Finding{What: what, Case: c, Query: m.Query, Answers: [2]Answer{a, b}}
		}
	}
	return nil
}

// compareWhole compares the answers with those of a run that ignores the statistics of files, and so reads every row.
func (c *Case) compareWhole(l *Lab, answers [2][]Answer) *Finding {
	whole, err := c.Job.readsAll(l)
	if err != nil {
		return &Finding{What: "the job has no plan with statistics: ignore: " + err.Error(), Case: c}
	}
	for i := range 2 {
		all, err := c.answers(l, whole, i)
		if err != nil {
			return &Finding{What: fmt.Sprintf("the run on table %d fails with statistics: ignore: %v", i, err), Case: c}
		}
		for k, m := range c.Job.plan.Mechanisms() {
			if diff, ok := difference(answers[i][k], all[k]); !ok || len(diff) > 0 {
				return &Finding{What: fmt.Sprintf("%s: statistics change the answer about table %d", m.Query, i), Case: c,
					Query: m.Query, Answers: [2]Answer{answers[i][k], all[k]}}
			}
		}
	}
	return nil
}
