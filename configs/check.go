package configs

import (
	"fmt"
	"math"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/dprelease/dprelease/calibrate"
)

// # Checks of meaning
//
// The decoder checks the form of a job: keys and types. The files check*.go check what the job means, without reading
// any data: values out of range, keys that contradict each other, and keys that are missing because of another key. A
// check says nothing about a value whose form is already reported as wrong.
//
// checker holds the job and the findings.
type checker struct {
	*report
	job   *Job
	judge StepJudge
}

func (c *checker) check() {
	var top *path
	if v := top.at("version"); c.sound(v) && c.job.Version != 1 {
		c.bad(v, CodeBadValue, fmt.Sprintf("this program reads version 1, not %d", c.job.Version), "write version: 1")
	}
	c.name(top.at("name"), c.job.Name)
	c.privacy(top.at("privacy"))
	c.input(top.at("input"))
	c.queries(top.at("queries"))
	c.output(top.at("output"))
	c.published(top.at("deployment").at("published"))
	c.ledger(top.at("ledger"))
	c.memory(top.at("memory_limit"))
}

// bad records a problem of meaning, unless the form is wrong at this path or above it.
func (c *checker) bad(at *path, code, text, hint string) {
	c.addMeaning(at, problem{code, text, hint})
}

// has reports whether the job has a key, or has an unknown key that is probably a misspelling of it.
func (c *checker) has(at *path) bool {
	return c.report.has(at) || c.wrongBelow(at.String())
}

// sound reports whether the job has a key and nothing wrong was found there so far.
func (c *checker) sound(at *path) bool {
	return c.report.has(at) && !c.troubled(at.String())
}

// published checks that the day of publication is one.
func (c *checker) published(at *path) {
	if d := c.job.Deployment; d != nil && d.Published != "" && c.sound(at) {
		if _, err := time.Parse(time.DateOnly, d.Published); err != nil {
			c.bad(at, CodeBadValue, "is no day", "write it as YYYY-MM-DD")
		}
	}
}

// name checks a text that appears in statements and lists.
func (c *checker) name(at *path, text string) {
	if c.sound(at) && (!clean(text) || utf8.RuneCountInString(text) > 200) {
		c.bad(at, CodeBadValue, "has control characters or is longer than 200 characters", "give a short name on one line")
	}
}

var mostEpsilon = new(big.Rat).SetFloat64(calibrate.MaxEpsilon)

var leastDelta = new(big.Rat).SetFloat64(math.SmallestNonzeroFloat64)

// guarantee checks an epsilon and a delta.
func (c *checker) guarantee(at *path, epsilon, delta Decimal) {
	if e, ok := epsilon.rat(); ok && e.Sign() < 0 {
		c.bad(at.at("epsilon"), CodeBadValue, "must be zero or more, is "+c.show(at.at("epsilon"), string(epsilon)), "smaller is more private; 1 is a common choice")
	} else if ok && e.Cmp(mostEpsilon) > 0 {
		c.bad(at.at("epsilon"), CodeBadValue, "must be at most 1e6, is "+c.show(at.at("epsilon"), string(epsilon)), "smaller is more private; above 20 or so nothing is protected")
	}
	d, ok := delta.rat()
	switch p := at.at("delta"); {
	case !ok:
	case d.Sign() > 0 && d.Cmp(leastDelta) < 0:
		c.bad(p, CodeBadValue, "is smaller than any float64", "choose it far below 1 / number of units, such as 1e-6")
	case d.Sign() <= 0:
		c.bad(p, CodeBadValue, "must be greater than 0, is "+c.show(p, string(delta)), "Gaussian noise needs a delta above 0: choose it far below 1 / number of units, such as 1e-6")
	case d.Cmp(big.NewRat(1, 1)) >= 0:
		c.bad(p, CodeBadValue, "must be less than 1, is "+c.show(p, string(delta)), "choose it far below 1 / number of units, such as 1e-6")
	}
}

func (c *checker) privacy(at *path) {
	p := &c.job.Privacy
	c.guarantee(at, p.Epsilon, p.Delta)
	unit := at.at("unit")
	c.unique(unit, p.Unit, "column")
	if len(p.Unit) == 1 && p.Unit[0] == "row" {
		c.bad(unit, CodeBadValue, "a column with the name row cannot be the unit by itself", "write unit: row where each row is a unit of its own; else rename the column")
	}
	c.perUnit(at.at("per_unit"), &p.PerUnit)
}

// unique reports each text that a list has twice.
func (c *checker) unique(at *path, texts []string, what string) {
	first := map[string]int{}
	for i, t := range texts {
		if t == "" {
			continue
		}
		if _, twice := first[t]; twice {
			c.bad(at.item(i), CodeDuplicate, "the "+what+" "+c.show(at.item(i), t)+" is already there", "remove it")
			continue
		}
		first[t] = i
	}
}

// rowUnit reports whether each row is a privacy unit.
func (c *checker) rowUnit() bool {
	return len(c.job.Privacy.Unit) == 0 && c.sound((*path)(nil).at("privacy").at("unit"))
}

// perUnit checks the bounds of one per_unit mapping.
func (c *checker) perUnit(at *path, p *PerUnit) {
	bounds := []struct {
		key   string
		value int64
	}{{"max_rows", p.MaxRows}, {"max_groups", p.MaxGroups}, {"max_rows_per_group", p.MaxRowsPerGroup}}
	for _, b := range bounds {
		switch {
		case b.value > 1 && c.rowUnit():
			c.bad(at.at(b.key), CodeContradiction, fmt.Sprintf("cannot be %d with unit: row, where each row is a unit of its own and contributes one row", b.value),
				"remove per_unit, or name the columns of whom the release protects: unit: [user_id]")
		case b.value > p.MaxRows && p.MaxRows > 0:
			c.bad(at.at(b.key), CodeContradiction, fmt.Sprintf("is %d, but max_rows lets one unit have %d rows in all", b.value, p.MaxRows), "lower it, or raise max_rows")
		}
	}
}
