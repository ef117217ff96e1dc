package ledger

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// state is the state of the ledger after the entries read so far. It holds only verified entries, and applies each
// entry wholly or not at all.
type state struct {
	head     Head
	hashes   []Hash
	heads    map[string]bool // holds Mark.Head of every entry and of the empty log; nil until a mark is looked up
	accounts map[Account]*account
	opened   []*account        // the accounts, in the order in which they were opened
	runs     map[string][]*run // by fingerprint (Charge.Run); releases in the order of first reservations
	latest   time.Time         // the latest time of any entry; later entries may have earlier times
	moved    *Move             // the store in which the ledger goes on, if an entry closed this one
}

// account is an account with its present budget, its earlier budgets and its charges.
type account struct {
	Account Account
	Budget  Budget
	caps    caps     // of Budget
	stated  []Budget // every budget that the account had: a charge must state one of them
	history []BudgetChange
	largest calibrate.Mu // the largest lifetime cap that the account ever had; see SetBudget
	runs    []*run
}

// run is a charge for one release, and what became of it.
type run struct {
	Run
	seq   int64     // the sequence number of the entry that reserved the release
	at    time.Time // decides to which day, month and year the charge belongs
	share *big.Rat  // DeltaShare of the charge
}

func newState() *state {
	return &state{accounts: map[Account]*account{}, runs: map[string][]*run{}}
}

// catchUp reads and applies the entries that were appended since its last call. It returns a CorruptError if the hash
// chain is broken or does not end at the recorded head. Unless log is nil, catchUp appends the entries to it.
func (s *state) catchUp(r Reader, log *[]Entry) error {
	last, err := r.Last()
	if err != nil {
		return err
	}
	for e, err := range r.Entries(s.head.Seq + 1) {
		if err != nil {
			return err
		}
		if err := s.extend(e); err != nil {
			return err
		}
		if log != nil {
			*log = append(*log, e)
		}
	}
	if s.head != last {
		return &CorruptError{s.firstDisagreement(last), "the entries do not end at the recorded head"}
	}
	return nil
}

// firstDisagreement returns the sequence number of the first entry in which the log and the recorded head differ.
func (s *state) firstDisagreement(last Head) int64 {
	if s.head.Seq == last.Seq {
		return max(last.Seq, 1)
	}
	return min(s.head.Seq, last.Seq) + 1
}

// extend checks that an entry follows the head, applies it, and makes it the head.
func (s *state) extend(e Entry) error {
	if err := e.follows(s.head); err != nil {
		return err
	}
	if err := s.apply(e); err != nil {
		return err
	}
	s.head, s.latest, s.hashes = Head{e.Seq, e.Hash}, s.moment(e.Time).at, append(s.hashes, e.Hash)
	return nil
}

// moment is a time of the clock, and the time that decides to which day, month and year an entry belongs. The second
// one is at, the later of the clock and the latest time of any entry. So a clock that was set back frees no budget.
type moment struct{ clock, at time.Time }

// moment returns the moment at which the clock shows t.
func (s *state) moment(t time.Time) moment {
	if t.Before(s.latest) {
		return moment{t, s.latest}
	}
	return moment{t, t}
}

// apply changes the state as an entry says. It returns a CorruptError if no Book could have written the entry at this
// place in the log.
func (s *state) apply(e Entry) error {
	if s.moved != nil {
		return &CorruptError{e.Seq, "it follows the entry that closed the ledger"}
	}
	switch e.Kind {
	case KindBudget:
		return s.applyBudget(e)
	case KindReserve:
		return s.applyReserve(e)
	case KindSeal:
		return s.applySeal(e)
	case KindPublish:
		return s.applyStep(e, Published)
	case KindCancel:
		return s.applyStep(e, Cancelled)
	case KindRerender:
		return s.applyRerender(e)
	case KindWithdraw:
		return s.applyWithdraw(e)
	case KindPrune:
		return s.applyPrune(e)
	case KindMove:
		return s.applyMove(e)
	}
	return &CorruptError{e.Seq, "its kind is unknown"}
}

func (s *state) applyBudget(e Entry) error {
	b, err := decode[budgetBody](e)
	if err != nil {
		return err
	}
	budget := b.budget()
	limits, err := budget.caps()
	if err != nil {
		return &CorruptError{e.Seq, "its budget is not valid"}
	}
	a := s.accounts[b.Account]
	if a == nil {
		a = &account{Account: b.Account}
		s.accounts[a.Account] = a
		s.opened = append(s.opened, a)
	}
	a.Budget, a.caps, a.stated = budget, limits, append(a.stated, budget)
	a.history = append(a.history, BudgetChange{At: e.Time, Budget: budget, Reason: b.Note})
	a.largest = max(a.largest, limits.mu)
	return nil
}

func (s *state) applyReserve(e Entry) error {
	b, err := decode[reserveBody](e)
	if err != nil {
		return err
	}
	c, err := b.charge()
	if err != nil || checkMechanisms(c.Mechanisms) != nil {
		return &CorruptError{e.Seq, "its mechanisms cannot be read"}
	}
	share, err := parseShare(c.DeltaShare)
	if err != nil {
		return &CorruptError{e.Seq, "its share of delta cannot be read"}
	}
	a := s.payer(c.Account)
	if a == nil || s.checkReservable(c) != nil {
		return &CorruptError{e.Seq, "it charges what cannot be charged"}
	}
	c.Budget = a.Budget
	reserved := Run{Charge: c, State: Reserved, Updated: e.Time, Payer: a.Account, Mu2: a.cost(c)}
	s.put(a, &run{Run: reserved, seq: e.Seq, at: s.moment(e.Time).at, share: share})
	return nil
}

// put records the reservation r of a release, for which a pays. If the release was reserved before and cancelled, r
// replaces the cancelled reservation, which another account may have paid for: the owner can have opened a in the
// meantime.
func (s *state) put(a *account, r *run) {
	old := s.find(r.Charge.Run, r.Charge.Number)
	if old == nil {
		a.runs = append(a.runs, r)
		s.runs[r.Charge.Run] = append(s.runs[r.Charge.Run], r)
		return
	}
	if payer := s.accounts[old.Payer]; payer != a {
		payer.runs = slices.DeleteFunc(payer.runs, func(x *run) bool { return x == old })
		a.runs = append(a.runs, old)
	}
	*old = *r
}

func (s *state) applySeal(e Entry) error {
	b, err := decode[sealBody](e)
	if err != nil {
		return err
	}
	r := s.find(b.Run, b.Number)
	if r == nil || r.State != Reserved {
		return &CorruptError{e.Seq, "it seals what is not reserved"}
	}
	r.Digests = Digests{Input: b.Input, Release: b.Release, Rendering: b.Rendering}
	r.State, r.Updated = Sealed, e.Time
	return nil
}

func (s *state) applyStep(e Entry, to State) error {
	b, err := decode[stepBody](e)
	if err != nil {
		return err
	}
	r := s.find(b.Run, b.Number)
	if r == nil || r.State != precedingState[to] {
		return &CorruptError{e.Seq, "its step does not follow"}
	}
	if b.Dir != "" {
		r.Charge.Dir = b.Dir
	}
	r.State, r.Updated = to, e.Time
	return nil
}

func (s *state) applyRerender(e Entry) error {
	b, err := decode[rerenderBody](e)
	if err != nil {
		return err
	}
	d := Rerendering{Rendering: b.Rendering, Release: b.Release, Dir: b.Dir, Job: b.Job, Recorded: e.Time}
	r := s.find(b.Run, b.Number)
	if r == nil || r.State != Published || d.check() != nil {
		return &CorruptError{e.Seq, "it re-renders a release that is not published"}
	}
	r.Rerenderings = append(r.Rerenderings, d)
	return nil
}

// precedingState maps a state of a release to the state that it can follow.
var precedingState = map[State]State{Sealed: Reserved, Published: Sealed, Cancelled: Reserved}

func (s *state) find(fingerprint string, number int) *run {
	for _, r := range s.runs[fingerprint] {
		if r.Charge.Number == number {
			return r
		}
	}
	return nil
}

// checkReservable returns an error if release c.Number of its run cannot be reserved now, whatever the budget. A new
// release can be reserved if the release before it is not reserved any more. A release that was cancelled can be
// reserved again.
func (s *state) checkReservable(c Charge) error {
	rs := s.runs[c.Run]
	if len(rs) == 0 {
		return notNext(c, 0)
	}
	last := rs[len(rs)-1]
	switch {
	case last.Charge.Account != c.Account:
		return &MismatchError{c.Run, last.Charge.Number, "account"}
	case c.Number == last.Charge.Number && last.State == Cancelled:
		return nil
	case c.Number == last.Charge.Number+1 && last.State != Reserved:
		return nil
	}
	if r := s.find(c.Run, c.Number); r != nil {
		return &StateError{c.Run, c.Number, r.State, KindReserve}
	}
	return notNext(c, last.Charge.Number)
}

// notNext returns an error if charge c does not continue its run, whose newest release has the number last: if c's
// number is not last + 1, or if release last is still reserved. It returns nil for the first release.
func notNext(c Charge, last int) error {
	switch c.Number {
	case last + 1:
		if last == 0 {
			return nil
		}
		return &StateError{c.Run, last, Reserved, KindReserve}
	default:
		return fmt.Errorf("%w: release %d of run %s does not follow release %d", ErrCharge, c.Number, short(c.Run), last)
	}
}

// findNewest returns the newest release of a run that was not cancelled. If all were cancelled, it returns the newest;
// nil if the run has no release.
func (s *state) findNewest(fingerprint string) *run {
	var best *run
	for _, r := range s.runs[fingerprint] {
		if best == nil || best.State == Cancelled || r.State != Cancelled {
			best = r
		}
	}
	return best
}
