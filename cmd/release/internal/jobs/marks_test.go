package jobs

import (
	"testing"
	"time"

	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/ledger/ledgertest"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Manifests of earlier versions show an entry's number and hash: they verify still.
func TestRecallEarlierManifests(t *testing.T) {
	book, ctx := ledger.NewBook(ledgertest.Memory(t), time.Now), t.Context()
	if _, err := book.Charge(ctx, ledgertest.Quarter(t, "a")); err != nil {
		t.Fatal(err)
	}
	head, err := book.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mark, err := book.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		shown manifest.Ledger
		want  ledger.Memory
	}{
		"its head":      {manifest.Ledger{Entry: head.Seq, Hash: head.Hash.String()}, ledger.MarkHeld},
		"another entry": {manifest.Ledger{Entry: head.Seq - 1, Hash: head.Hash.String()}, ledger.MarkLost},
		"a later entry": {manifest.Ledger{Entry: head.Seq + 1, Hash: head.Hash.String()}, ledger.MarkLost},
		"no hash":       {manifest.Ledger{Entry: head.Seq, Hash: "x"}, ledger.MarkLost},
		"nothing":       {manifest.Ledger{}, ledger.MarkLost},
		"its mark":      {manifest.Ledger{Head: mark.Head, MAC: mark.MAC}, ledger.MarkHeld},
		"foreign":       {manifest.Ledger{Head: mark.MAC, MAC: mark.Head}, ledger.MarkForeign},
	} {
		got, err := Recall(ctx, book, &c.shown)
		if err != nil || got != c.want {
			t.Errorf("%s: %v (%v), want %v", name, got, err, c.want)
		}
		if (LostWords(got, &c.shown) == "") != (c.want == ledger.MarkHeld) {
			t.Errorf("%s: %q", name, LostWords(got, &c.shown))
		}
	}
}
