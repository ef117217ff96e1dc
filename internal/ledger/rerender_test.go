package ledger_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

func derivation(rendering, release string) ledger.Rerendering {
	return ledger.Rerendering{Rendering: strings.Repeat(rendering, 64), Release: strings.Repeat(release, 64),
		Dir: "/srv/other", Job: "other"}
}

// publish completes a charged run.
func publish(t *testing.T, b *ledger.Book, c ledger.Charge) {
	t.Helper()
	r, err := b.Charge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.Seal(t.Context(), r, ledgertest.Digests(c.Run)),
		b.Publish(t.Context(), c.Run, 1)); err != nil {
		t.Fatal(err)
	}
}

// Another rendering follows a publication, costs nothing, is recorded once, and is found again.
func TestRerender(t *testing.T) {
	t.Parallel()
	b := ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "a")
	var state *ledger.StateError
	if err := b.Rerender(t.Context(), "a", 1, derivation("a", "b")); !errors.As(err, &state) {
		t.Errorf("of nothing: %v", err)
	}
	r, err := b.Charge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Rerender(t.Context(), "a", 1, derivation("a", "b")); !errors.As(err, &state) {
		t.Errorf("of a reservation: %v", err)
	}
	if err := b.Seal(t.Context(), r, ledgertest.Digests("a")); err != nil {
		t.Fatal(err)
	}
	if err := b.Rerender(t.Context(), "a", 1, derivation("a", "b")); !errors.As(err, &state) {
		t.Errorf("of what is not seen yet: %v", err)
	}
	if err := b.Publish(t.Context(), "a", 1); err != nil {
		t.Fatal(err)
	}
	before, _, err := b.Balance(t.Context(), c.Account)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []ledger.Rerendering{derivation("a", "b"), derivation("a", "b"), derivation("c", "d"),
		derivation("a", "e"), derivation("a", "e")} {
		if err := b.Rerender(t.Context(), "a", 1, d); err != nil {
			t.Fatal(err)
		}
	}
	after, _, err := b.Balance(t.Context(), c.Account)
	if err != nil || before.Spent.Cmp(after.Spent) != 0 || after.Runs != 1 {
		t.Errorf("spent %v, then %v by %d runs (%v)", before.Spent, after.Spent, after.Runs, err)
	}
	run, _, err := b.Lookup(t.Context(), "a")
	if err != nil || len(run.Rerenderings) != 3 || run.Rerenderings[2].Release != strings.Repeat("e", 64) ||
		run.State != ledger.Published {
		t.Errorf("%+v (%v)", run, err)
	}
	audit, err := b.Audit(t.Context())
	if err != nil || audit.Rerenderings != 3 || len(audit.Findings) > 0 {
		t.Errorf("%+v (%v)", audit, err)
	}
	bad := derivation("a", "b")
	bad.Dir = "other"
	if err := b.Rerender(t.Context(), "a", 1, bad); !errors.Is(err, ledger.ErrCharge) {
		t.Error(err)
	}
	if err := b.Rerender(t.Context(), "a", 1, ledger.Rerendering{Dir: "/srv"}); !errors.Is(err, ledger.ErrDigest) {
		t.Error(err)
	}
}

// The proof that noisy values are public covers exactly what was charged and published.
func TestPublication(t *testing.T) {
	t.Parallel()
	b := ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "a")
	if _, err := b.Charge(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	var state *ledger.StateError
	if _, err := b.Publication(t.Context(), "a", 1); !errors.As(err, &state) {
		t.Errorf("of a reservation: %v", err)
	}
	other := ledgertest.Quarter(t, "b")
	publish(t, b, other)
	if err := b.Rerender(t.Context(), "b", 1, derivation("c", "d")); err != nil {
		t.Fatal(err)
	}
	p, err := b.Publication(t.Context(), "b", 1)
	if err != nil {
		t.Fatal(err)
	}
	m, manifest := other.Mechanisms[0], ledgertest.Digests("b").Release
	m.Sens.Why = "in other words"
	if err := errors.Join(p.Covers(m, manifest, false), p.Covers(m, strings.Repeat("d", 64), false)); err != nil {
		t.Error(err)
	}
	louder, renamed := m, m
	louder.Sigma *= 2
	renamed.Query = "other"
	for name, err := range map[string]error{
		"the empty proof": ledger.Publication{}.Covers(m, manifest, false), "another sigma": p.Covers(louder, manifest,
			false),
		"another query": p.Covers(renamed, manifest, false), "another release": p.Covers(m, ledgertest.Digests("a").Release,
			false),
		"a selection": p.Covers(m, manifest, true),
	} {
		if !errors.Is(err, ledger.ErrPublication) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
