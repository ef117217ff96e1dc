package ledger_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

// The redeemed part of a share of delta is at most the charged share, to the last bit.
func TestRedeemShare(t *testing.T) {
	t.Parallel()
	a, b, c := mechanism("a"), mechanism("b"), mechanism("c")
	r := ledgertest.ShareReceipt(t, calibrate.FormatExact(3e-7), a, b, c)
	less := a
	less.Sigma = 1
	if err := r.RedeemShare(less, 1e-7); !errors.Is(err, ledger.ErrRedeem) {
		t.Errorf("less noise: %v", err)
	}
	for _, bad := range []calibrate.Delta{-1e-9, calibrate.Delta(math.NaN()), calibrate.Delta(math.Inf(1)),
		calibrate.Delta(math.Nextafter(3e-7, 1))} {
		if err := r.RedeemShare(a, bad); !errors.Is(err, ledger.ErrRedeem) {
			t.Errorf("%g: %v", float64(bad), err)
		}
	}
	if err := errors.Join(r.RedeemShare(a, 1e-7), r.RedeemShare(b, 1e-7)); err != nil {
		t.Fatal(err)
	}
	if err := r.RedeemShare(c, 1.0001e-7); !errors.Is(err, ledger.ErrRedeem) {
		t.Errorf("more than is left: %v", err)
	}
	if err := r.RedeemShare(a, 0); !errors.Is(err, ledger.ErrRedeem) {
		t.Errorf("twice: %v", err)
	}
	if err := r.RedeemShare(c, 0.9e-7); err != nil {
		t.Error(err)
	}
	var empty ledger.Receipt
	if err := empty.RedeemShare(a, 0); !errors.Is(err, ledger.ErrReceipt) {
		t.Errorf("no receipt: %v", err)
	}
}

// A run is resumed only with the share that it reserved.
func TestResumeTakesTheSameShare(t *testing.T) {
	t.Parallel()
	b := ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "run")
	c.Budget.Delta, c.Budget.DeltaCap, c.DeltaShare = "2e-6", "1e-6", "1e-7"
	c.Mechanisms[0].Sigma = 1 << 10
	if _, err := b.Charge(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	c.DeltaShare = "2e-7"
	var other *ledger.MismatchError
	if _, err := b.Charge(t.Context(), c); !errors.As(err, &other) {
		t.Errorf("another share: %v", err)
	}
	c.DeltaShare = "1e-7"
	if _, err := b.Charge(t.Context(), c); err != nil {
		t.Errorf("the same share: %v", err)
	}
}

// The fingerprint of an input depends on this ledger and this input. Nobody who knows the input can recognise it
// elsewhere. The key for hashing inputs is not the key for fingerprints.
func TestFingerprintsAreKeyed(t *testing.T) {
	t.Parallel()
	store := ledgertest.Memory(t)
	one, again, other := ledger.NewBook(store, time.Now), ledger.NewBook(store,
		time.Now), ledger.NewBook(ledgertest.Memory(t), time.Now)
	of := func(b *ledger.Book, input string) string {
		f, err := b.Fingerprint(t.Context(), []byte(input))
		if err != nil || len(f) != 64 {
			t.Fatalf("fingerprint %q (%v)", f, err)
		}
		return f
	}
	key := func(b *ledger.Book) string {
		k, err := b.InputKey(t.Context())
		if err != nil || len(k) != 32 {
			t.Fatalf("an input key of %d bytes, want 32 (%v)", len(k), err)
		}
		return string(k)
	}
	if of(one, "a") != of(again, "a") || key(one) != key(again) {
		t.Error("two books of one ledger differ")
	}
	if of(one, "a") == of(one, "b") {
		t.Error("two inputs have one fingerprint")
	}
	if of(one, "a") == of(other, "a") || key(one) == key(other) {
		t.Error("two ledgers have one key")
	}
	if of(one, "") == fmt.Sprintf("%x", key(one)) {
		t.Error("one key serves two purposes")
	}
}
