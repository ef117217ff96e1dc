package ledgertest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
)

func book(s ledger.Store) *ledger.Book { return ledger.NewBook(s, time.Now) }

func charge(t *testing.T, b *ledger.Book, c ledger.Charge) ledger.Receipt {
	t.Helper()
	r, err := b.Charge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func lookup(t *testing.T, b *ledger.Book) ledger.Run {
	t.Helper()
	r, ok, err := b.Lookup(t.Context(), "a")
	if err != nil || !ok {
		t.Fatalf("found %v, %v", ok, err)
	}
	return r
}

// kinds returns the kinds of all entries as one text, each by its first letter.
func kinds(t *testing.T, b *ledger.Book) string {
	t.Helper()
	es, err := b.Entries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	letter := map[ledger.Kind]byte{ledger.KindBudget: 'b', ledger.KindReserve: 'r', ledger.KindSeal: 's',
		ledger.KindPublish: 'p', ledger.KindCancel: 'x'}
	for _, e := range es {
		out = append(out, letter[e.Kind])
	}
	return string(out)
}

// runs returns the number of runs for which the account of c pays.
func runs(t *testing.T, b *ledger.Book, c ledger.Charge) int {
	t.Helper()
	balance, ok, err := b.Balance(t.Context(), c.Account)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return 0
	}
	return balance.Runs
}

func testLife(t *testing.T, s ledger.Store) {
	b, ctx := book(s), t.Context()
	if _, ok, err := b.Lookup(ctx, "a"); ok || err != nil {
		t.Fatalf("an empty ledger knows the run: %v, %v", ok, err)
	}
	c := Quarter(t, "a")
	r := charge(t, b, c)
	got := lookup(t, b)
	if got.State != ledger.Reserved || got.Charge.Dir != c.Dir || got.Charge.Budget != c.Budget ||
		got.Charge.Account != c.Account ||
		got.Charge.Mechanisms[0] != c.Mechanisms[0] || got.Charge.Params["hour"] != "12" {
		t.Errorf("reserved %+v, recorded %+v", c, got)
	}
	if err := r.Redeem(c.Mechanisms[0]); err != nil {
		t.Fatal(err)
	}
	if err := b.Seal(ctx, r, Digests("a")); err != nil {
		t.Fatal(err)
	}
	if got := lookup(t, b); got.State != ledger.Sealed || got.Digests != Digests("a") {
		t.Errorf("sealed run is %+v", got)
	}
	for range 2 { // the second time it has no effect
		if err := b.Publish(ctx, "a", 1); err != nil {
			t.Fatal(err)
		}
	}
	if got := lookup(t, b); got.State != ledger.Published || got.Digests != Digests("a") {
		t.Errorf("published run is %+v", got)
	}
	if k := kinds(t, b); k != "brsp" {
		t.Errorf("entries %q, want brsp", k)
	}
}

func testResume(t *testing.T, s ledger.Store) {
	c := Quarter(t, "a")
	old := charge(t, book(s), c)
	b := book(s) // a new Book reads the store as another process would
	first := charge(t, b, c)
	second := charge(t, b, c)
	if k := kinds(t, b); k != "br" {
		t.Errorf("resuming wrote entries: %q", k)
	}
	if err := first.Redeem(c.Mechanisms[0]); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("a replaced receipt was redeemed: %v", err)
	}
	if err := second.Redeem(c.Mechanisms[0]); err != nil {
		t.Error(err)
	}
	third := charge(t, b, c)
	if err := b.Cancel(t.Context(), third); !errors.Is(err, ledger.ErrDrawn) {
		t.Errorf("cancelled after an earlier receipt was redeemed: %v", err)
	}
	if err := b.Seal(t.Context(), old, Digests("a")); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("sealed with another book's receipt: %v", err)
	}
	c.Mechanisms[0].Sigma *= 2
	var mismatch *ledger.MismatchError
	if _, err := b.Charge(t.Context(), c); !errors.As(err, &mismatch) {
		t.Errorf("resumed with another sigma: %v", err)
	}
}

func testForward(t *testing.T, s ledger.Store) {
	b, ctx, c := book(s), t.Context(), Quarter(t, "a")
	var state *ledger.StateError
	if err := b.Publish(ctx, "a", 1); !errors.As(err, &state) || state.State != "" {
		t.Errorf("published an unknown run: %v", err)
	}
	r := charge(t, b, c)
	if err := b.Publish(ctx, "a", 1); !errors.As(err, &state) || state.State != ledger.Reserved {
		t.Errorf("published before the seal: %v", err)
	}
	if err := b.Seal(ctx, r, ledger.Digests{Release: "x"}); !errors.Is(err, ledger.ErrDigest) {
		t.Errorf("sealed with a digest that is none: %v", err)
	}
	if err := b.Seal(ctx, r, Digests("a")); err != nil {
		t.Fatal(err)
	}
	if err := r.Redeem(c.Mechanisms[0]); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("redeemed after the seal: %v", err)
	}
	if err := b.Cancel(ctx, r); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("cancelled after the seal: %v", err)
	}
	if _, err := b.Charge(ctx, c); !errors.As(err, &state) || state.State != ledger.Sealed {
		t.Errorf("charged after the seal: %v", err)
	}
	if err := b.Publish(ctx, "a", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Charge(ctx, c); !errors.As(err, &state) || state.State != ledger.Published {
		t.Errorf("charged after publishing: %v", err)
	}
}

func testRelease(t *testing.T, s ledger.Store) {
	b, ctx, c := book(s), t.Context(), Quarter(t, "a")
	c.Mechanisms[0].Sigma /= 2 // the whole budget
	r := charge(t, b, c)
	if err := b.Cancel(ctx, r); err != nil {
		t.Fatal(err)
	}
	if err := r.Redeem(c.Mechanisms[0]); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("redeemed what was cancelled: %v", err)
	}
	if got := lookup(t, b); got.State != ledger.Cancelled || runs(t, b, c) != 0 {
		t.Errorf("state %q, %d runs count", got.State, runs(t, b, c))
	}
	if err := b.Seal(ctx, r, Digests("a")); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("sealed what was cancelled: %v", err)
	}
	r2 := charge(t, b, c)
	if err := b.Cancel(ctx, r); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("an old receipt gave back a newer reservation: %v", err)
	}
	if err := r2.Redeem(c.Mechanisms[0]); err != nil {
		t.Fatal(err)
	}
	if err := b.Cancel(ctx, r2); !errors.Is(err, ledger.ErrDrawn) {
		t.Errorf("cancelled after a draw: %v", err)
	}
	if err := b.Seal(ctx, r2, Digests("a")); err != nil {
		t.Errorf("a refused release spoiled the receipt: %v", err)
	}
	if k := kinds(t, b); k != "brxrs" || runs(t, b, c) != 1 {
		t.Errorf("entries %q, want brxrs; %d runs count, want 1", k, runs(t, b, c))
	}
}

func testBudget(t *testing.T, s ledger.Store) {
	b := book(s)
	half := Quarter(t, "half")
	half.Mechanisms = append(half.Mechanisms, half.Mechanisms[0])
	half.Mechanisms[1].Query = "dropoffs"
	charge(t, b, half)
	other := half
	other.Run = "other half"
	// To the last ulp: a charge fits if its sensitivity is exactly half, and not if it is one float64 larger.
	over := other
	over.Mechanisms = append([]calibrate.Mechanism(nil), other.Mechanisms...)
	over.Mechanisms[1].Sens.L2 = math.Nextafter(over.Mechanisms[1].Sens.L2, math.Inf(1))
	var refused *ledger.OverBudgetError
	if _, err := b.Charge(t.Context(), over); !errors.As(err, &refused) {
		t.Fatalf("one ulp too much: %v", err)
	}
	if got, err := b.Entries(t.Context()); err != nil || len(got) != 2 {
		t.Errorf("a refusal wrote entries: %d, %v", len(got), err)
	}
	charge(t, b, other)
	least := Quarter(t, "least")
	least.Mechanisms[0].Sens.L2 = math.SmallestNonzeroFloat64
	if _, err := b.Charge(t.Context(), least); !errors.As(err, &refused) || refused.Epsilon != "" ||
		refused.Balance.Left.Sign() != 0 {
		t.Errorf("something fits into nothing: %v", err)
	}
	balance, _, err := b.Balance(t.Context(), half.Account)
	if err != nil || balance.Spent.Cmp(balance.Cap) != 0 || balance.Runs != 2 {
		t.Errorf("spent %v of %v by %d runs, %v", balance.Spent, balance.Cap, balance.Runs, err)
	}
}

func testAccount(t *testing.T, s ledger.Store) {
	b, c := book(s), Quarter(t, "a")
	charge(t, b, c)
	next := Quarter(t, "b")
	next.Account.Unit = "row"
	var account *ledger.AccountError
	if _, err := b.Charge(t.Context(), next); !errors.As(err, &account) || account.Have != c.Account ||
		account.Want != next.Account {
		t.Errorf("another unit: %v", err)
	}
	next = Quarter(t, "b")
	next.Account.Adjacency = "replace-one"
	if _, err := b.Charge(t.Context(), next); !errors.As(err, &account) {
		t.Errorf("another adjacency: %v", err)
	}
	next = Quarter(t, "b")
	next.Budget.Epsilon = "100"
	var changed *ledger.ChangedBudgetError
	if _, err := b.Charge(t.Context(), next); !errors.As(err, &changed) || changed.Have != c.Budget ||
		changed.Want != next.Budget {
		t.Errorf("another budget: %v", err)
	}
	next.Budget = ledger.Budget{Epsilon: "1.0", Delta: "0.000001"} // the same budget, spelt differently
	charge(t, b, next)
	next = Quarter(t, "c")
	next.Account.Dataset, next.Budget.Epsilon = "census", "2"
	charge(t, b, next)
	now, err := b.Snapshot(t.Context())
	all := now.Accounts
	if err != nil || len(all) != 2 || all[0].Account != c.Account || all[0].Runs != 2 || all[1].Budget != next.Budget {
		t.Errorf("accounts %+v, %v", all, err)
	}
}

func testNumbers(t *testing.T, s ledger.Store) {
	b, ctx, c := book(s), t.Context(), Quarter(t, "a")
	c.Number = 2
	if _, err := b.Charge(ctx, c); !errors.Is(err, ledger.ErrCharge) {
		t.Errorf("a second release without a first: %v", err)
	}
	c.Number = 1
	r := charge(t, b, c)
	c.Number = 2
	var state *ledger.StateError
	if _, err := b.Charge(ctx, c); !errors.As(err, &state) || state.State != ledger.Reserved {
		t.Errorf("a second release beside a reserved one: %v", err)
	}
	if err := errors.Join(b.Seal(ctx, r, Digests("a")), b.Publish(ctx, "a", 1)); err != nil {
		t.Fatal(err)
	}
	r = charge(t, b, c)
	if got := lookup(t, b); got.Charge.Number != 2 || got.State != ledger.Reserved {
		t.Errorf("the newest release is %d, %s", got.Charge.Number, got.State)
	}
	if err := b.Cancel(ctx, r); err != nil {
		t.Fatal(err)
	}
	if got := lookup(t, b); got.Charge.Number != 1 || got.State != ledger.Published {
		t.Errorf("beside a release that was cancelled, the newest is %d, %s", got.Charge.Number, got.State)
	}
	charge(t, b, c) // the same number a second time
	if n := runs(t, b, c); n != 2 {
		t.Errorf("%d releases count, want 2", n)
	}
}

func testReplay(t *testing.T, s ledger.Store) {
	b, ctx := book(s), t.Context()
	for i, run := range []string{"a", "b", "c"} {
		c := Quarter(t, run)
		c.Mechanisms[0].Sigma = calibrate.Sigma(3 + float64(i)/7)
		r := charge(t, b, c)
		if run == "b" {
			if err := b.Cancel(ctx, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	live, _, err := b.Balance(ctx, Quarter(t, "a").Account)
	if err != nil {
		t.Fatal(err)
	}
	anew, _, err := book(s).Balance(ctx, Quarter(t, "a").Account)
	if err != nil || live.Spent.Cmp(anew.Spent) != 0 || live.Left.Cmp(anew.Left) != 0 || live.Runs != 2 || anew.Runs != 2 {
		t.Errorf("a replay has other sums: %v and %v (%v)", live, anew, err)
	}
	es, err := b.Entries(ctx)
	if err != nil {
		t.Fatal(err)
	}
	head, err := book(s).Head(ctx)
	if err != nil || head.Seq != int64(len(es)) || head.Hash != es[len(es)-1].Hash {
		t.Errorf("head %v after %d entries (%v)", head, len(es), err)
	}
}

// testCanary looks for the secret and the input's digest in the bytes of all entries: neither may be there.
func testCanary(t *testing.T, s ledger.Store) {
	b, ctx := book(s), t.Context()
	input := bytes.Repeat([]byte("canary!!"), 4)
	mark, err := b.Fingerprint(ctx, input)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := book(s).Fingerprint(ctx, input); err != nil || again != mark {
		t.Errorf("the same input has another fingerprint (%v)", err)
	}
	if other, err := b.Fingerprint(ctx, input[1:]); err != nil || other == mark {
		t.Errorf("another input has the same fingerprint (%v)", err)
	}
	d := Digests("a")
	d.Input = mark
	r := charge(t, b, Quarter(t, "a"))
	if err := b.Seal(ctx, r, d); err != nil {
		t.Fatal(err)
	}
	secret, err := s.Secret(ctx)
	if err != nil {
		t.Fatal(err)
	}
	es, err := b.Entries(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		for _, private := range [][]byte{secret, input} {
			for _, form := range []string{string(private), hex.EncodeToString(private),
				base64.StdEncoding.EncodeToString(private)} {
				if bytes.Contains(e.Body, []byte(form)) {
					t.Errorf("entry %d holds a private value", e.Seq)
				}
			}
		}
	}
	if !bytes.Contains(es[2].Body, []byte(mark)) {
		t.Error("the seal does not hold the fingerprint")
	}
}

// testTwoProcesses checks a receipt after another process cancelled, renewed or sealed its reservation: it can seal and
// cancel only its own reservation, and confirm a seal only with the same digests.
func testTwoProcesses(t *testing.T, s ledger.Store) {
	one, other, ctx, c := book(s), book(s), t.Context(), Quarter(t, "a")
	resumed := func() ledger.Receipt {
		t.Helper()
		r, _, err := other.Resume(ctx, "a", 1)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	old := charge(t, one, c)
	if err := other.Cancel(ctx, resumed()); err != nil {
		t.Fatal(err)
	}
	charge(t, other, c)
	if err := one.Seal(ctx, old, Digests("a")); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("a receipt sealed a reservation that is not its own: error %v, want %v", err, ledger.ErrReceipt)
	}
	if err := one.Cancel(ctx, old); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("a receipt gave a reservation back that is not its own: error %v, want %v", err, ledger.ErrReceipt)
	}
	if k := kinds(t, one); k != "brxr" {
		t.Errorf("entries %q, want brxr", k)
	}
	mine := charge(t, one, c)
	if err := other.Seal(ctx, resumed(), Digests("a")); err != nil {
		t.Fatal(err)
	}
	var mismatch *ledger.MismatchError
	if err := one.Seal(ctx, mine, Digests("b")); !errors.As(err, &mismatch) {
		t.Errorf("sealed again with other digests: error %v, want a %T", err, mismatch)
	}
	differs := Digests("a")
	differs.Input = Digests("b").Input
	if err := one.Seal(ctx, mine, differs); !errors.As(err, &mismatch) {
		t.Errorf("sealed again with another input: error %v, want a %T", err, mismatch)
	}
	if err := one.Seal(ctx, mine, Digests("a")); err != nil {
		t.Errorf("sealed again with the same digests: %v", err)
	}
	if r := lookup(t, one); r.State != ledger.Sealed || r.Digests != Digests("a") {
		t.Errorf("the run is %s with %v", r.State, r.Digests)
	}
}
