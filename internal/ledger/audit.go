package ledger

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
)

// Audit is the result of a recount of the ledger ([Book.Audit]).
type Audit struct {
	Head    Head
	Entries []Entry
	// Totals holds the mu squared that each account has spent, recounted from the entries.
	Totals map[Account]*big.Float
	// Rerenderings is the number of re-renderings, which charge nothing. The audit has checked that each is recorded
	// after the publication of its release.
	Rerenderings int
	// Findings are sentences about what is wrong, one each; empty if the ledger is sound.
	Findings []string
}

// Audit reads the whole log again, checks the hash chain, and recounts every total from the entries alone, without the
// totals that Book keeps to decide on charges. It finds charges that exceeded a cap or defined the unit of a table
// anew, and recounted totals that differ from Book's. A broken chain is an error (ErrCorrupt), as in every other call.
func (b *Book) Audit(ctx context.Context) (*Audit, error) {
	r := &recount{s: newState(), spent: map[Account]*big.Float{}, shares: map[Account]*big.Rat{},
		within: map[string]*big.Float{}, units: map[Account]map[string]map[string]int{}, charged: map[key]recounted{}}
	out := &Audit{Totals: r.spent}
	err := b.store.View(ctx, func(log Reader) (err error) {
		out.Entries = nil
		return newState().catchUp(log, &out.Entries)
	})
	if err != nil {
		return nil, err
	}
	for _, e := range out.Entries {
		if err := r.s.extend(e); err != nil {
			return nil, err
		}
		if err := r.countEntry(e); err != nil {
			return nil, err
		}
	}
	r.compareTotals()
	for _, runs := range r.s.runs {
		for _, run := range runs {
			out.Rerenderings += len(run.Rerenderings)
		}
	}
	out.Head, out.Findings = r.s.head, r.findings
	return out, nil
}

// recount adds up the entries independently of Book's totals. It uses s only to find the account that pays for a
// charge.
type recount struct {
	s      *state
	spent  map[Account]*big.Float
	shares map[Account]*big.Rat
	within map[string]*big.Float // mu squared spent, by account and period
	// units[a][table][definition] counts the charges to account a that were not cancelled and that define the unit of
	// the table in this way.
	units    map[Account]map[string]map[string]int
	charged  map[key]recounted
	findings []string
}

// recounted is a charge, computed again from the decimals in its entry.
type recounted struct {
	of      Account // the account that pays
	periods []string
	mu2     *big.Float
	share   *big.Rat
	units   map[string]string
}

// countEntry adds a charge to the totals, or removes it if the entry cancels its run.
func (r *recount) countEntry(e Entry) error {
	switch e.Kind {
	case KindReserve:
		b, err := decode[reserveBody](e)
		if err != nil {
			return err
		}
		return r.countReserve(e, b)
	case KindCancel:
		b, err := decode[stepBody](e)
		if err != nil {
			return err
		}
		k := key{b.Run, b.Number}
		r.addCharge(r.charged[k], -1)
		r.countUnits(r.charged[k], -1)
		delete(r.charged, k)
	}
	return nil
}

func (r *recount) countReserve(e Entry, b reserveBody) error {
	a := r.s.payer(b.Account)
	share, err := calibrate.ParseDecimal(b.DeltaShare)
	if err != nil {
		return &CorruptError{e.Seq, "its share of delta cannot be read"}
	}
	x := recounted{of: a.Account, mu2: new(big.Float), share: share.Rat(), units: b.Units}
	for _, m := range b.Mechanisms {
		term, err := m.mu2()
		if err != nil {
			return err
		}
		x.mu2 = sum(x.mu2, term)
	}
	if a.Account != b.Account { // it costs 4 times its mu squared: see account.cost
		x.mu2 = new(big.Float).SetMantExp(x.mu2, 2)
	}
	for i := range periods {
		x.periods = append(x.periods, fmt.Sprint(a.Account, r.s.latest.UTC().Format(periods[i].layout)))
	}
	r.charged[key{b.Run, b.Number}] = x
	r.addCharge(x, 1)
	r.checkCaps(e, a, x)
	if table, found := r.countUnits(x, 1); found {
		r.findings = append(r.findings, fmt.Sprintf("entry %d charges dataset %q for table %q with another unit than before",
			e.Seq, a.Account.Dataset, table))
	}
	return nil
}

// countUnits adds by (1 or -1) to the counts of the unit definitions in a charge. It returns a table of the charge that
// now has several definitions. A table without a name can be any of the others, so its definition must agree with all.
func (r *recount) countUnits(x recounted, by int) (several string, found bool) {
	tables := r.units[x.of]
	if tables == nil {
		tables = map[string]map[string]int{}
		r.units[x.of] = tables
	}
	for _, table := range slices.Sorted(maps.Keys(x.units)) {
		if tables[table] == nil {
			tables[table] = map[string]int{}
		}
		if tables[table][x.units[table]] += by; tables[table][x.units[table]] == 0 {
			delete(tables[table], x.units[table])
		}
	}
	for _, table := range slices.Sorted(maps.Keys(x.units)) {
		for other, counts := range tables {
			if other != table && other != "" && table != "" {
				continue
			}
			for definition := range counts {
				if definition != x.units[table] {
					several, found = table, true
				}
			}
		}
	}
	return several, found
}

// mu2 returns (L2 / sigma)², computed from the decimals in the entry. The quotient is rounded up to 256 bits, as
// calibrate.ComposedMu2 does, and its square is rounded up again.
func (b mechanismBody) mu2() (*big.Float, error) {
	l2, err := calibrate.ParseDecimal(b.L2)
	if err != nil {
		return nil, err
	}
	sigma, err := calibrate.ParseDecimal(b.Sigma)
	if err != nil {
		return nil, err
	}
	ratio := new(big.Float).SetPrec(256).SetMode(big.ToPositiveInf).SetRat(new(big.Rat).Quo(l2.Rat(), sigma.Rat()))
	return ratio.Mul(ratio, ratio), nil
}

// addCharge adds a charge to the totals of its account, times sign (1 or -1).
func (r *recount) addCharge(x recounted, sign float64) {
	if x.mu2 == nil {
		return
	}
	by := new(big.Float).Mul(x.mu2, big.NewFloat(sign))
	r.spent[x.of] = sum(orZero(r.spent[x.of]), by)
	for _, p := range x.periods {
		r.within[p] = sum(orZero(r.within[p]), by)
	}
	if r.shares[x.of] == nil {
		r.shares[x.of] = new(big.Rat)
	}
	r.shares[x.of].Add(r.shares[x.of], new(big.Rat).Mul(x.share, new(big.Rat).SetInt64(int64(sign))))
}

// checkCaps records a finding for each cap that the totals exceed after a charge.
func (r *recount) checkCaps(e Entry, a *account, x recounted) {
	if !a.caps.mu.Covers(r.spent[x.of]) {
		r.findings = append(r.findings, fmt.Sprintf("entry %d exceeds the budget of dataset %q", e.Seq, a.Account.Dataset))
	}
	if r.shares[x.of].Cmp(a.caps.delta) > 0 {
		r.findings = append(r.findings, fmt.Sprintf("entry %d passes the cap of dataset %q on probabilities of failure",
			e.Seq, a.Account.Dataset))
	}
	for i, limit := range a.Budget.limits() {
		if limit != (Limit{}) && !a.caps.periods[i].Covers(r.within[x.periods[i]]) {
			r.findings = append(r.findings, fmt.Sprintf("entry %d exceeds the budget of dataset %q for the %s", e.Seq,
				a.Account.Dataset, periods[i].per))
		}
	}
}

// compareTotals records a finding for each account whose recounted total differs from Book's.
func (r *recount) compareTotals() {
	for _, a := range r.s.opened {
		balance := a.balance(r.s.moment(r.s.latest))
		if balance.Spent.Cmp(orZero(r.spent[a.Account])) != 0 {
			r.findings = append(r.findings, fmt.Sprintf("the total of dataset %q does not recount", a.Account.Dataset))
		}
	}
}
