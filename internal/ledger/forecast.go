package ledger

import (
	"context"
	"slices"
)

// Forecast returns what Charge would return for each charge if all were made now, in this order: nil, or the refusal.
// It records nothing. A refused charge takes no budget from the later ones. Other errors are returned as err, as by
// Charge.
func (b *Book) Forecast(ctx context.Context, charges []Charge) (refusals []error, err error) {
	for i := range charges {
		if err := charges[i].check(); err != nil {
			return nil, err
		}
	}
	err = b.view(ctx, func(s *state) { refusals = s.forecast(charges, s.moment(b.now())) })
	return refusals, err
}

func (s *state) forecast(charges []Charge, now moment) (refusals []error) {
	shadows := map[Account]*account{} // copies of accounts, with the charges that fit
	for _, c := range charges {
		a, err := s.admit(c)
		if err == nil {
			if shadows[a.Account] == nil {
				shadow := *a
				shadow.runs = slices.Clone(a.runs)
				shadows[a.Account] = &shadow
			}
			a = shadows[a.Account]
			err = a.checkBudget(c, now)
		}
		if err == nil {
			share, _ := parseShare(c.DeltaShare) // checkBudget has parsed it
			a.runs = append(a.runs, &run{Run: Run{Charge: c, State: Reserved, Mu2: a.cost(c)}, at: now.at, share: share})
		}
		refusals = append(refusals, err)
	}
	return refusals
}
