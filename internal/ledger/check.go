package ledger

import (
	"fmt"
	"math"
	"path/filepath"
	"unicode/utf8"

	"github.com/dprelease/dprelease/calibrate"
)

// check returns an ErrCharge if c is not well-formed: an entry could not hold it exactly, or an audit could not recount
// it.
func (c Charge) check() error {
	if err := c.checkTexts(); err != nil {
		return err
	}
	switch {
	case c.Number < 1:
		return fmt.Errorf("%w: releases count from 1", ErrCharge)
	case !filepath.IsAbs(c.Dir):
		return fmt.Errorf("%w: the release folder is not an absolute path", ErrCharge)
	case c.Delta != 0 && (calibrate.Guarantee{Delta: c.Delta}).Validate() != nil:
		return fmt.Errorf("%w: delta %s", ErrCharge, c.Delta)
	}
	if _, err := parseShare(c.DeltaShare); err != nil {
		return fmt.Errorf("%w: %w", ErrCharge, err)
	}
	if err := c.Account.check(); err != nil {
		return err
	}
	return checkMechanisms(c.Mechanisms)
}

func (a Account) check() error {
	if a.Adjacency != "add-remove" && a.Adjacency != "replace-one" {
		return fmt.Errorf("%w: adjacency %q", ErrCharge, a.Adjacency)
	}
	for _, s := range []string{a.Dataset, a.Unit} {
		if s == "" || !utf8.ValidString(s) {
			return fmt.Errorf("%w: the dataset or the unit has no name, or one that is not UTF-8", ErrCharge)
		}
	}
	return nil
}

// checkTexts refuses texts that are not UTF-8: JSON would change them, so the entry would differ from the charge.
func (c Charge) checkTexts() error {
	for what, s := range map[string]string{"run": c.Run, "dataset": c.Account.Dataset, "unit": c.Account.Unit} {
		if s == "" {
			return fmt.Errorf("%w: the %s is empty", ErrCharge, what)
		}
	}
	texts := []string{c.Run, c.Job, c.Input, c.Dir, c.Account.Dataset, c.Account.Unit, c.Budget.Epsilon, c.Budget.Delta}
	for _, m := range []map[string]string{c.Params, c.Units} {
		for k, v := range m {
			texts = append(texts, k, v)
		}
	}
	for _, m := range c.Mechanisms {
		texts = append(texts, m.Query, m.Sens.Why)
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%w: a text is not UTF-8", ErrCharge)
		}
	}
	return nil
}

func checkMechanisms(ms []calibrate.Mechanism) error {
	if len(ms) == 0 {
		return fmt.Errorf("%w: it has no mechanism", ErrCharge)
	}
	seen, fixed := map[string]bool{}, map[string]bool{}
	for _, m := range ms {
		fixed[m.Query] = m.ChosenBy == ""
	}
	for _, m := range ms {
		if m.ChosenBy != "" && (!fixed[m.ChosenBy] || m.Noise != calibrate.Gaussian) {
			return fmt.Errorf("%w: %q follows %q, which is not charged, or follows another, or its noise is not Gaussian",
				ErrCharge, m.Query, m.ChosenBy)
		}
		if (m.ChosenBy != "") != (m.RuleVersion > 0) || m.RuleVersion < 0 {
			return fmt.Errorf("%w: %q has the rule %d for its sensitivity", ErrCharge, m.Query, m.RuleVersion)
		}
		if m.Query == "" || seen[m.Query] {
			return fmt.Errorf("%w: two mechanisms have the same name %q, or none", ErrCharge, m.Query)
		}
		seen[m.Query] = true
		if !measurable(m) {
			return fmt.Errorf("%w: mechanism %q has sensitivity %g, sigma %g, grid %g", ErrCharge, m.Query, m.Sens.L2,
				float64(m.Sigma), m.Grid)
		}
	}
	return nil
}

// measurable reports whether an audit can recompute what m costs: sensitivity and sigma are positive and finite, the
// grid is a power of two, and a Gaussian mechanism with that sigma reveals at least as much as m.
func measurable(m calibrate.Mechanism) bool {
	frac, _ := math.Frexp(m.Grid)
	return m.Sens.L2 > 0 && m.Sens.L2 <= math.MaxFloat64 &&
		m.Sigma > 0 && m.Sigma <= math.MaxFloat64 &&
		frac == 0.5 && m.Validate() == nil
}

func checkDigest(s string) error {
	if len(s) != 64 {
		return ErrDigest
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return ErrDigest
		}
	}
	return nil
}
