package configs

import (
	"strings"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// sqliteStores are the prefixes of a ledger in a SQLite file: for a file that one user owns, and for a file that a
// group shares.
var sqliteStores = []string{"sqlite:", "sqlite+group:"}

// sqliteFile returns the path of the SQLite file in a ledger's store; it may be empty. ok is false if the store is not
// a SQLite file.
func sqliteFile(store string) (file string, ok bool) {
	for _, scheme := range sqliteStores {
		if file, ok := strings.CutPrefix(store, scheme); ok {
			return file, true
		}
	}
	return "", false
}

func isPostgres(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

func (c *checker) ledger(at *yamltree.Path) {
	l := &c.job.Ledger
	c.name(at.At("dataset"), l.Dataset)
	c.guarantee(at.At("budget"), l.Budget.Epsilon, l.Budget.Delta)
	c.lifetime(at.At("budget"), &l.Budget)
	store := at.At("store")
	c.wordReferences(store, "LEDGER")
	if file, ok := sqliteFile(l.Store); l.Store != "" && !isPostgres(l.Store) && (!ok || file == "") {
		c.bad(store, CodeBadValue, "is not a ledger that this program knows",
			"write sqlite: and a file, such as sqlite:ledger.db, or postgres://USER@HOST/DATABASE")
	}
}

// lifetime checks the keys of the budget other than epsilon and delta.
func (c *checker) lifetime(at *yamltree.Path, b *Budget) {
	here, period := at.At("lifetime"), b.Per != "" && b.Per != "total"
	switch {
	case b.Lifetime != nil && !period:
		c.bad(here, CodeContradiction, "goes with per: day, month or year; without one, epsilon and delta are the lifetime's",
			"remove lifetime, or add per")
	case b.Lifetime != nil:
		c.guarantee(here, b.Lifetime.Epsilon, b.Lifetime.Delta)
	case period && !c.has(here):
		c.bad(at.At("per"), CodeMissing, "a budget for each "+b.Per+" needs a cap for the lifetime of the data as well",
			"add lifetime: {epsilon: E, delta: D}")
	}
	share, ok1 := b.DeltaCap.rat()
	_, delta := b.Total()
	all, ok2 := delta.rat()
	own, ok3 := b.Delta.rat()
	if ok1 && ok2 && ok3 && (share.Sign() < 0 || share.Cmp(all) >= 0 || share.Cmp(own) >= 0) {
		c.bad(at.At("delta_cap"), CodeBadValue,
			"must be zero or more, and less than the delta of which it is a part, a period's too", "noise needs the rest")
	}
}
