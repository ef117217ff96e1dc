package configs

import (
	"fmt"
	"math"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// StepProblem is a problem of a denoising step. Key is the wrong key; "" if the whole step is wrong.
type StepProblem struct{ Key, Code, Message, Hint string }

// StepChecker is a function that returns the problems of a query's denoising step.
type StepChecker func(*Query, *Denoise) []StepProblem

// # Checks of meaning
//
// The decoder checks the form of a job: keys and types. The files check*.go check what the job means, without reading
// any data: values out of range, keys that contradict each other, and keys that are missing because of another key. A
// check ignores a value whose form is already reported as wrong.
//
// checker holds the job and the findings.
type checker struct {
	*yamltree.Report
	job   *Job
	judge StepChecker
}

func (c *checker) check() {
	var top *yamltree.Path
	if v := top.At("version"); c.isValid(v) && c.job.Version != 1 {
		c.bad(v, CodeBadValue, fmt.Sprintf("this program reads version 1, not %d", c.job.Version), "write version: 1")
	}
	c.name(top.At("name"), c.job.Name)
	c.privacy(top.At("privacy"))
	c.input(top.At("input"))
	c.units(top.At("units"))
	c.queries(top.At("queries"))
	c.output(top.At("output"))
	c.published(top.At("deployment").At("published"))
	c.ledger(top.At("ledger"))
	c.memory(top.At("memory_limit"))
	c.timezone(top.At("input").At("timezone"))
	if sql := c.job.Input.SQL; c.job.DataChecks == "refuse" && sql != nil && c.job.Engine != "local" &&
		(c.job.Engine == "database" || sql.Driver != "duckdb") { // the program itself opens a DuckDB database for such a job
		c.bad(top.At("data_checks"), CodeContradiction, "a database that adds its rows up itself looks at no column",
			"check the table in the database, and remove data_checks; or let this program read the rows: engine: local")
	}
}

// bad records a problem of meaning at a path, unless the form at this path or above it is wrong already.
func (c *checker) bad(at *yamltree.Path, code, text, hint string) {
	c.AddMeaning(at, yamltree.Problem{Code: code, Text: text, Hint: hint})
}

// has reports whether the job has a key, or has an unknown key that is probably a misspelling of this key.
func (c *checker) has(at *yamltree.Path) bool {
	return c.Has(at) || c.WrongBelow(at.String())
}

// isValid reports whether the job has a key at which no problem was found so far.
func (c *checker) isValid(at *yamltree.Path) bool {
	return c.Has(at) && !c.Troubled(at.String())
}

// published checks that the day of publication is a date.
func (c *checker) published(at *yamltree.Path) {
	if d := c.job.Deployment; d != nil && d.Published != "" && c.isValid(at) {
		if _, err := time.Parse(time.DateOnly, d.Published); err != nil {
			c.bad(at, CodeBadValue, "is not a day", "write it as YYYY-MM-DD")
		}
	}
}

// name checks a text that appears in sentences and lists of the release.
func (c *checker) name(at *yamltree.Path, text string) {
	if c.isValid(at) && (!yamltree.IsClean(text) || utf8.RuneCountInString(text) > 200) {
		c.bad(at, CodeBadValue, "has control characters or is longer than 200 characters", "give a short name on one line")
	}
}

var maxEpsilon = new(big.Rat).SetFloat64(calibrate.MaxEpsilon)

// minDelta is the smallest delta above 0 that a job may have. It is the float64 just below calibrate.MinDelta, since
// MinDelta as a float64 may be larger than the decimal 1e-300.
var minDelta = new(big.Rat).SetFloat64(math.Nextafter(calibrate.MinDelta, 0))

// guarantee checks the epsilon and the delta of a budget.
func (c *checker) guarantee(at *yamltree.Path, epsilon, delta Decimal) {
	c.epsilonAndDelta(at, epsilon, delta)
	if d, ok := delta.rat(); ok && d.Sign() == 0 {
		c.bad(at.At("delta"), CodeBadValue, "must be greater than 0, is "+c.Show(at.At("delta"), string(delta)),
			"a budget is spent in Gaussian differential privacy, also by releases with delta 0: choose it far below 1 / "+
				"number of units, such as 1e-6")
	}
}

// epsilonAndDelta checks the epsilon and the delta of a release; delta may be 0.
func (c *checker) epsilonAndDelta(at *yamltree.Path, epsilon, delta Decimal) {
	if e, ok := epsilon.rat(); ok && e.Sign() < 0 {
		c.bad(at.At("epsilon"), CodeBadValue, "must be zero or more, is "+c.Show(at.At("epsilon"), string(epsilon)),
			"smaller is more private; 1 is a common choice")
	} else if ok && e.Cmp(maxEpsilon) > 0 {
		c.bad(at.At("epsilon"), CodeBadValue, "must be at most 1e6, is "+c.Show(at.At("epsilon"), string(epsilon)),
			"smaller is more private; above 20 or so nothing is protected")
	}
	d, ok := delta.rat()
	switch p := at.At("delta"); {
	case !ok:
	case d.Sign() > 0 && d.Cmp(minDelta) < 0:
		c.bad(p, CodeBadValue, "must be 0 or at least 1e-300", "choose it far below 1 / number of units, such as 1e-6")
	case d.Sign() < 0:
		c.bad(p, CodeBadValue, "must be zero or more, is "+c.Show(p, string(delta)),
			"choose it far below 1 / number of units, such as 1e-6; or 0, for geometric noise")
	case d.Cmp(big.NewRat(1, 1)) >= 0:
		c.bad(p, CodeBadValue, "must be less than 1, is "+c.Show(p, string(delta)),
			"choose it far below 1 / number of units, such as 1e-6")
	}
}

func (c *checker) privacy(at *yamltree.Path) {
	p := &c.job.Privacy
	c.epsilonAndDelta(at, p.Epsilon, p.Delta)
	if e, ok := p.Epsilon.rat(); ok && (e.Sign() == 0 || e.Cmp(big.NewRat(calibrate.MaxPure, 1)) > 0) {
		if d, ok := p.Delta.rat(); ok && d.Sign() == 0 {
			c.bad(at.At("epsilon"), CodeBadValue,
				"must be greater than 0 and at most 700 with delta 0, is "+c.Show(at.At("epsilon"),
					string(p.Epsilon)), "smaller is more private; 1 is a common choice")
		}
	}
	unit := at.At("unit")
	c.unique(unit, p.Unit.Columns, "column")
	if len(p.Unit.Columns) == 1 && p.Unit.Columns[0] == "row" {
		c.bad(unit, CodeBadValue, "a column with the name row cannot be the unit by itself",
			"write unit: row if each row is a unit of its own; else rename the column")
	}
	c.perUnit(at.At("per_unit"), &p.PerUnit)
	c.discoveredBound(at.At("per_unit"), p.PerUnit, &p.PerUnit)
	c.upstream(unit, (*yamltree.Path)(nil).At("input"))
}

// unique reports each text that occurs twice in a list. what names an item of the list in the message.
func (c *checker) unique(at *yamltree.Path, texts []string, what string) {
	first := map[string]int{}
	for i, t := range texts {
		if t == "" {
			continue
		}
		if _, twice := first[t]; twice {
			c.bad(at.Item(i), CodeDuplicate, "the "+what+" "+c.Show(at.Item(i), t)+" is already there", "remove it")
			continue
		}
		first[t] = i
	}
}

// rowUnit reports whether the privacy unit is a single row.
func (c *checker) rowUnit() bool {
	u := &c.job.Privacy.Unit
	return len(u.Columns) == 0 && u.Upstream == nil && c.isValid((*yamltree.Path)(nil).At("privacy").At("unit"))
}

// perUnit checks the bounds of one per_unit mapping.
func (c *checker) perUnit(at *yamltree.Path, p *PerUnit) {
	bounds := []struct {
		key   string
		value int64
	}{{"max_rows", int64(p.MaxRows)}, {"max_groups", p.MaxGroups}, {"max_rows_per_group", p.MaxRowsPerGroup}}
	c.unique(at.At("sample_by"), p.SampleBy, "column")
	if len(p.SampleBy) > 0 && c.rowUnit() {
		c.bad(at.At("sample_by"), CodeContradiction, "there is nothing to choose with unit: row: each row is a unit of its "+
			"own",
			"remove per_unit, or name the columns that identify the privacy unit: unit: [user_id]")
	}
	most := p.MostRows()
	for _, b := range bounds {
		switch {
		case b.value > 1 && c.rowUnit():
			c.bad(at.At(b.key), CodeContradiction, fmt.Sprintf("cannot be %d with unit: row: each row is a unit of its own "+
				"and contributes one row", b.value),
				"remove per_unit, or name the columns that identify the privacy unit: unit: [user_id]")
		case most > 0 && b.value > most:
			c.bad(at.At(b.key), CodeContradiction, fmt.Sprintf("is %d, but max_rows lets one unit have %d rows in all", b.value,
				most), "lower it, or raise max_rows")
		}
	}
}
