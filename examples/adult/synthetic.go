package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease/examples/internal/draw"
)

// synthetic writes an invented table into dir, in the form of the original. Its seed is fixed.
func synthetic(dir string, train, test int) error {
	p := people{rand.New(rand.NewPCG(1994, 48842))}
	if err := write(filepath.Join(dir, trainFile), "", p.rows(train, "")); err != nil {
		return err
	}
	return write(filepath.Join(dir, testFile), "|synthetic rows\n", p.rows(test, "."))
}

func write(path, head string, rows []string) error {
	return os.WriteFile(path, []byte(head+strings.Join(rows, "\n")+"\n\n"), 0o600)
}

// people writes the rows of invented people, who are independent of each other.
type people struct{ *rand.Rand }

func (p people) rows(n int, suffix string) []string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = p.person(suffix)
	}
	return rows
}

// person returns one row. suffix is written after the income label.
func (p people) person(suffix string) string {
	learned := draw.Index(p.Rand, education.weights)
	s, m := p.pick(sex), p.pick(marital)
	r := p.relationship(s, m)
	age := 17 + int(74*p.Float64()*p.Float64()) // from 17 to 90
	return strings.Join([]string{
		fmt.Sprint(age), p.unknown(p.pick(workclass), 57), fmt.Sprint(20000 +
			p.IntN(300000)), education.values[learned], fmt.Sprint(learned + 1),
		m, p.unknown(p.pick(occupation), 58), r, p.pick(race), s, p.gain(), "0",
		fmt.Sprint(min(99, max(1, int(40+10*p.NormFloat64())))), p.unknown(p.pick(country), 18), p.income(learned, r) +
			suffix,
	}, ", ")
}

// relationship returns "Wife" or "Husband" for a married person, and otherwise a random value.
func (p people) relationship(sex, marital string) string {
	switch {
	case marital != "Married-civ-spouse" && marital != "Married-AF-spouse":
		return p.pick(relationship)
	case sex == "Male":
		return "Husband"
	default:
		return "Wife"
	}
}

func (p people) income(learned int, relationship string) string {
	chance := 0.02 + 0.02*float64(learned)
	if relationship == "Husband" || relationship == "Wife" {
		chance += 0.2
	}
	if p.Float64() < chance {
		return ">50K"
	}
	return "<=50K"
}

func (p people) gain() string {
	if p.IntN(12) > 0 {
		return "0"
	}
	return fmt.Sprint(1000 + p.IntN(14000))
}

// unknown returns value or, with a probability of of1000 in 1,000, "?".
func (p people) unknown(value string, of1000 int) string {
	if p.IntN(1000) < of1000 {
		return "?"
	}
	return value
}

func (p people) pick(a attribute) string { return a.values[draw.Index(p.Rand, a.weights)] }
