package ledgertest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
)

// sound fails the test if an audit of the ledger has findings.
func sound(t *testing.T, b *ledger.Book) *ledger.Audit {
	t.Helper()
	a, err := b.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Findings) > 0 {
		t.Errorf("audit: %v", a.Findings)
	}
	return a
}

// testPeriod checks that a day's cap limits one day only and the lifetime's cap all of them, and that no day gets its
// budget back if the clock is set back.
func testPeriod(t *testing.T, s ledger.Store) {
	now := time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)
	b := ledger.NewBook(s, func() time.Time { return now })
	try := func(run string) error {
		c := Quarter(t, run)
		c.Budget.Day = ledger.Limit{Epsilon: "0.55", Delta: "1e-6"} // the cap has room for one quarter, not for two
		c.Budget.Year = ledger.Limit{Epsilon: "0.8", Delta: "1e-6"} // the cap has room for two quarters, not for three
		_, err := b.Charge(t.Context(), c)
		return err
	}
	refused := func(run string) {
		t.Helper()
		var over *ledger.OverBudgetError
		if err := try(run); !errors.As(err, &over) {
			t.Errorf("%s at %v: %v", run, now, err)
		}
	}
	accepted := func(run string) {
		t.Helper()
		if err := try(run); err != nil {
			t.Errorf("%s at %v: %v", run, now, err)
		}
	}
	accepted("a")
	refused("b")
	now = now.Add(time.Hour) // the next day
	accepted("b")
	now = now.AddDate(0, 0, -30)
	refused("c")
	now = now.AddDate(0, 0, 90) // the next year
	accepted("c")
	now = now.AddDate(0, 0, 1)
	accepted("d")
	now = now.AddDate(1, 0, 0) // the lifetime is spent
	refused("e")
	sound(t, b)
	balance, _, err := b.Balance(t.Context(), Quarter(t, "a").Account)
	if err != nil || len(balance.Periods) != 2 || balance.Periods[0].Name != "2028-01-22" ||
		balance.Periods[0].Spent.Sign() != 0 || balance.Free().Sign() != 0 {
		t.Errorf("balance %+v (%v)", balance, err)
	}
}

// testClockSetBack checks caps of one kind of period at a time. A clock that is set back frees no budget: neither on an
// earlier day on which nothing was spent, nor in the same month or year. The time zone of the clock makes no
// difference. A refusal names the period, and states if the clock has not reached it yet.
func testClockSetBack(t *testing.T, s ledger.Store) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	b := ledger.NewBook(s, func() time.Time { return now })
	one := ledger.Limit{Epsilon: "0.55", Delta: "1e-6"} // room for one quarter, not for two
	try := func(dataset, run string) error {
		c := Quarter(t, dataset+run)
		c.Account.Dataset = dataset
		switch dataset {
		case "day":
			c.Budget.Day = one
		case "month":
			c.Budget.Month = one
		case "year":
			c.Budget.Year = one
		}
		_, err := b.Charge(t.Context(), c)
		return err
	}
	layouts := map[string]string{"day": time.DateOnly, "month": "2006-01", "year": "2006"}
	step := func(dataset, run string, fits bool) {
		t.Helper()
		var over *ledger.OverBudgetError
		err := try(dataset, run)
		if fits != (err == nil) || err != nil && !errors.As(err, &over) {
			t.Fatalf("a charge of the cap for one %s, the clock at %v: %v; fits: want %t", dataset, now, err, fits)
		}
		if err == nil {
			return
		}
		p := over.Period()
		ahead := p.Name > now.UTC().Format(layouts[dataset])
		if p.Per != dataset || p.Ahead != ahead || strings.Contains(err.Error(), "the clock has not reached") != ahead {
			t.Errorf("the clock at %v: period %+v; %v", now, p, err)
		}
	}
	for _, dataset := range []string{"day", "month", "year"} {
		step(dataset, "a", true)
	}
	for _, back := range []time.Time{now.AddDate(0, 0, -1), now.AddDate(0, -1, 0), now.AddDate(-1, 0, 0),
		now.In(time.FixedZone("far east", 14*3600))} {
		now = back
		for _, dataset := range []string{"day", "month", "year"} {
			step(dataset, "b", false)
		}
	}
	// Days begin at midnight UTC, whatever zone the clock has.
	now = time.Date(2026, 11, 22, 13, 59, 0, 0, time.FixedZone("far east", 14*3600))
	step("day", "c", false)
	now = now.Add(time.Minute)
	step("day", "c", true)
	step("month", "c", false)
	now = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	step("month", "d", true)
	step("year", "d", false)
	now = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	step("year", "e", true)
	now = time.Date(2027, 12, 1, 0, 0, 0, 0, time.UTC) // the month of another year
	step("month", "f", true)
	sound(t, b)
}

// testGivenBack checks that a cancelled reservation counts in no period.
func testGivenBack(t *testing.T, s ledger.Store) {
	b, c := book(s), Quarter(t, "a")
	one := ledger.Limit{Epsilon: "0.55", Delta: "1e-6"} // room for one quarter, not for two
	c.Budget.Day, c.Budget.Month, c.Budget.Year = one, one, one
	if err := b.Cancel(t.Context(), charge(t, b, c)); err != nil {
		t.Fatal(err)
	}
	c.Run = "b"
	charge(t, b, c)
	c.Run = "c"
	var over *ledger.OverBudgetError
	if _, err := b.Charge(t.Context(), c); !errors.As(err, &over) {
		t.Errorf("a second charge of the cap: error %v, want a %T", err, over)
	}
	sound(t, b)
}

// testSetBudget checks that only SetBudget changes a budget, with an entry, and that a job may go on stating the budget
// that it began with.
func testSetBudget(t *testing.T, s ledger.Store) {
	b, ctx, c := book(s), t.Context(), Quarter(t, "a")
	charge(t, b, c)
	larger := ledger.Budget{Epsilon: "2", Delta: "1e-6"}
	for range 2 { // the second time there is nothing to record
		if err := b.SetBudget(ctx, c.Account, larger, "decided by the board"); err != nil {
			t.Fatal(err)
		}
	}
	if k := kinds(t, b); k != "brb" {
		t.Errorf("entries %q, want brb", k)
	}
	for i, budget := range []ledger.Budget{c.Budget, larger} {
		next := Quarter(t, fmt.Sprint("next", i))
		next.Budget = budget
		charge(t, b, next)
	}
	other := Quarter(t, "other")
	other.Budget.Epsilon = "3"
	var changed *ledger.ChangedBudgetError
	if _, err := b.Charge(ctx, other); !errors.As(err, &changed) || changed.Have != larger {
		t.Errorf("a budget that no owner set: %v", err)
	}
	if err := b.SetBudget(ctx, c.Account, ledger.Budget{Epsilon: "0.1", Delta: "1e-6"}, ""); err != nil {
		t.Fatal(err)
	}
	var over *ledger.OverBudgetError
	if _, err := b.Charge(ctx, Quarter(t, "late")); !errors.As(err, &over) || over.Epsilon != "" {
		t.Errorf("charged to a budget that was lowered: %v", err)
	}
	balance, _, err := b.Balance(ctx, c.Account)
	if err != nil || float64(balance.Largest) != muCap(t, larger) || balance.Left.Sign() != 0 {
		t.Errorf("balance %+v (%v)", balance, err)
	}
	second := c.Account
	second.Unit = "row"
	if err := b.SetBudget(ctx, second, larger, "another unit"); err != nil {
		t.Fatal(err)
	}
	row := Quarter(t, "row")
	row.Account, row.Budget = second, larger
	charge(t, b, row)
	for _, bad := range []ledger.Budget{{}, {Epsilon: "-1", Delta: "1e-6"},
		{Epsilon: "1", Delta: "1e-6", DeltaCap: "1e-6"}, {Epsilon: "1", Delta: "2"}} {
		if err := b.SetBudget(ctx, c.Account, bad, ""); !errors.Is(err, ledger.ErrCharge) {
			t.Errorf("budget %+v: %v", bad, err)
		}
	}
	sound(t, b)
}

// testReplaceOne checks that a replace-one account pays for an add-remove charge with twice its mu, and that an
// add-remove account refuses a replace-one charge.
func testReplaceOne(t *testing.T, s ledger.Store) {
	b, ctx, c := book(s), t.Context(), Quarter(t, "a")
	c.Account.Adjacency = "replace-one"
	c.Mechanisms[0].Sigma = 16 // mu²/256
	charge(t, b, c)
	twice := Quarter(t, "b")
	twice.Mechanisms[0].Sigma = 2 // a quarter of the budget, which counts four times
	var over *ledger.OverBudgetError
	if _, err := b.Charge(ctx, twice); !errors.As(err, &over) {
		t.Errorf("four quarters beside something: %v", err)
	}
	twice.Mechanisms[0].Sigma = 4
	charge(t, b, twice)
	balance, ok, err := b.Balance(ctx, twice.Account)
	want := calibrate.ComposedMu2([]calibrate.Mechanism{Mechanism(t, c.Budget, 2), Mechanism(t, c.Budget, 16)})
	if err != nil || !ok || balance.Account != c.Account || balance.Spent.Cmp(want) != 0 {
		t.Errorf("spent %v, want %v (%v)", balance.Spent, want, err)
	}
	sound(t, b)
}

// testReplaceOneShares checks that a replace-one account refuses an add-remove charge with a DeltaShare, even if the
// cap has room for it: replacing a unit is two steps, and the charge could fail in each.
func testReplaceOneShares(t *testing.T, s ledger.Store) {
	b, ctx, c := book(s), t.Context(), Quarter(t, "a")
	c.Account.Adjacency = "replace-one"
	c.Budget.Delta, c.Budget.DeltaCap = "2e-6", "1e-6" // the other half is for mu
	c.Mechanisms[0].Sigma, c.DeltaShare = 1<<10, "1e-7"
	charge(t, b, c)
	other := c
	other.Run, other.Account.Adjacency = "b", "add-remove"
	before, err := b.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var account *ledger.AccountError
	if _, err := b.Charge(ctx, other); !errors.As(err, &account) {
		t.Errorf("an add-remove share in a replace-one account: %v, want an AccountError", err)
	}
	if after, err := b.Head(ctx); err != nil || after != before {
		t.Errorf("a refused charge was recorded: %v, %v (%v)", before, after, err)
	}
	other.DeltaShare = ""
	charge(t, b, other) // without a DeltaShare it is accepted, at twice its mu
	sound(t, b)
}

// testShares checks that probabilities of failure (DeltaShare) have their own cap, exact to the last digit, which
// mechanisms cannot use.
func testShares(t *testing.T, s ledger.Store) {
	b, ctx := book(s), t.Context()
	try := func(run, share string) error {
		c := Quarter(t, run)
		c.Budget.Delta, c.Budget.DeltaCap = "2e-6", "1e-6" // the other half is for mu
		c.Mechanisms[0].Sigma = 1 << 20
		c.DeltaShare = share
		_, err := b.Charge(ctx, c)
		return err
	}
	var over *ledger.OverShareError
	for i, step := range []struct {
		share string
		fits  bool
	}{{"3e-7", true}, {"7.00000000000000000000000000001e-7", false}, {"7e-7", true}, {"1e-300", false}, {"", true}} {
		err := try(fmt.Sprint("run", i), step.share)
		if step.fits != (err == nil) || err != nil && !errors.As(err, &over) {
			t.Errorf("share %s: %v", step.share, err)
		}
	}
	if err := try("bad", "-1e-9"); !errors.Is(err, ledger.ErrCharge) {
		t.Errorf("a negative share: %v", err)
	}
	sound(t, b)
}

func testAudit(t *testing.T, s ledger.Store) {
	b, ctx := book(s), t.Context()
	r := charge(t, b, Quarter(t, "a"))
	given := charge(t, b, Quarter(t, "b"))
	if err := errors.Join(b.Seal(ctx, r, Digests("a")), b.Cancel(ctx, given), b.Publish(ctx, "a", 1)); err != nil {
		t.Fatal(err)
	}
	a := sound(t, b)
	of := Quarter(t, "a").Account
	if len(a.Entries) != 6 || a.Totals[of].Cmp(calibrate.ComposedMu2(Quarter(t, "a").Mechanisms)) != 0 {
		t.Errorf("%d entries, total %v", len(a.Entries), a.Totals[of])
	}
}

// testMarks checks that every Book over a log recognizes the mark of an entry, and that it can tell the mark of a lost
// entry from the mark of another ledger.
func testMarks(t *testing.T, s ledger.Store) {
	b, ctx := book(s), t.Context()
	empty := must(b.Mark(ctx))(t)
	charge(t, b, Quarter(t, "a"))
	early := must(b.Mark(ctx))(t)
	charge(t, b, Quarter(t, "b"))
	late := must(b.Mark(ctx))(t)
	if early == late || early == empty || len(early.Head) != 64 || len(early.MAC) != 64 {
		t.Errorf("marks %v, %v, %v", empty, early, late)
	}
	for _, e := range sound(t, b).Entries {
		if h := e.Hash.String(); h == early.Head || h == late.Head {
			t.Error("a mark shows an entry's hash")
		}
	}
	zeros := strings.Repeat("0", 64)
	for m, want := range map[ledger.Mark]ledger.Memory{
		early: ledger.MarkHeld, late: ledger.MarkHeld, empty: ledger.MarkHeld, {}: ledger.MarkForeign,
		{Head: zeros, MAC: early.MAC}: ledger.MarkForeign, {Head: "no hex", MAC: early.MAC}: ledger.MarkForeign,
	} {
		if got := must(book(s).Recall(ctx, []ledger.Mark{m}))(t); got[0] != want {
			t.Errorf("mark %v is recalled as %v, want %v", m, got[0], want)
		}
	}
}

func must[T any](x T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// testRecorded checks that Resume returns the charge as it was recorded.
func testRecorded(t *testing.T, s ledger.Store) {
	c := Quarter(t, "a")
	charge(t, book(s), c)
	b := book(s)
	r, recorded, err := b.Resume(t.Context(), "a", 1)
	if err != nil || recorded.Mechanisms[0] != c.Mechanisms[0] {
		t.Fatalf("resumed %+v (%v)", recorded, err)
	}
	if err := errors.Join(r.Redeem(c.Mechanisms[0]), b.Seal(t.Context(), r, Digests("a"))); err != nil {
		t.Fatal(err)
	}
	var state *ledger.StateError
	for _, number := range []int{1, 2} {
		if _, _, err := b.Resume(t.Context(), "a", number); !errors.As(err, &state) {
			t.Errorf("resumed release %d: %v", number, err)
		}
	}
}

// testOtherPayer checks a reservation that one account pays, that is cancelled, and that is made again when another
// account pays: only the second account is charged.
func testOtherPayer(t *testing.T, s ledger.Store) {
	b, ctx, c := book(s), t.Context(), Quarter(t, "a")
	replaceOne := c.Account
	replaceOne.Adjacency = "replace-one"
	if err := b.SetBudget(ctx, replaceOne, c.Budget, ""); err != nil {
		t.Fatal(err)
	}
	if err := b.Cancel(ctx, charge(t, b, c)); err != nil {
		t.Fatal(err)
	}
	if err := b.SetBudget(ctx, c.Account, c.Budget, "an account of its own"); err != nil {
		t.Fatal(err)
	}
	charge(t, b, c)
	for account, runs := range map[ledger.Account]int{c.Account: 1, replaceOne: 0} {
		balance, _, err := b.Balance(ctx, account)
		if err != nil || balance.Runs != runs || (balance.Spent.Sign() > 0) != (runs > 0) {
			t.Errorf("%s: %d runs, %v spent (%v)", account.Adjacency, balance.Runs, balance.Spent, err)
		}
	}
	sound(t, b)
}

// testUnits checks that a charge cannot redefine the unit of a table, that it can add tables, and that the definitions
// of a cancelled charge do not count.
func testUnits(t *testing.T, s ledger.Store) {
	b, ctx := book(s), t.Context()
	of := func(run string, units map[string]string) ledger.Charge {
		c := Quarter(t, run)
		c.Mechanisms[0].Sigma, c.Units = 64, units
		return c
	}
	refused := func(c ledger.Charge, have string) {
		t.Helper()
		var other *ledger.UnitError
		if _, err := b.Charge(ctx, c); !errors.As(err, &other) || other.Earlier != "visits" || other.Have != have {
			t.Errorf("%v: error %v, want one about %s", c.Units, err, have)
		}
		q, err := b.Quote(ctx, c)
		if err != nil || !errors.As(q.Refusal, &other) {
			t.Errorf("%v: quoted %v (%v)", c.Units, q.Refusal, err)
		}
	}
	patient, doctor := map[string]string{"visits": `"patient"`},
		map[string]string{"drugs": `"person"`, "visits": `"doctor"`}
	if err := b.Cancel(ctx, charge(t, b, of("cancelled", doctor))); err != nil {
		t.Fatal(err)
	}
	windows := []ledger.Charge{of("a", patient), of("b", doctor), of("c", patient)}
	refusals, err := b.Forecast(ctx, windows)
	if err != nil || refusals[0] != nil || !errors.As(refusals[1], new(*ledger.UnitError)) || refusals[2] != nil {
		t.Errorf("forecast %v (%v)", refusals, err)
	}
	charge(t, b, windows[0])
	refused(windows[1], `"patient"`)
	charge(t, b, of("more", map[string]string{"drugs": `of table visits on "visit" = "number"`, "visits": `"patient"`}))
	charge(t, b, of("none", nil))
	for _, other := range []string{"", "visits"} { // a table without a name can be each of the others
		refused(of("other", map[string]string{other: `"doctor"`}), `"patient"`)
	}
	refused(of("cancelled", doctor), `"patient"`)
	again := book(s) // reads the entries anew
	runs, err := again.Runs(ctx)
	if err != nil || len(runs) != 4 || runs[1].Charge.Units["visits"] != `"patient"` {
		t.Errorf("runs %+v (%v)", runs, err)
	}
	if _, err := again.Charge(ctx, windows[1]); !errors.As(err, new(*ledger.UnitError)) {
		t.Errorf("charged after a replay: %v", err)
	}
	sound(t, again)
}
