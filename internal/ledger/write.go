package ledger

import (
	"iter"
	"time"
)

// writer appends entries within one transaction.
type writer struct {
	tx    Tx
	state *state
	head  Head
	// The time of all entries of the transaction. One time for all, so that a charge is checked against the period in
	// which it is recorded.
	now time.Time
}

func (w *writer) append(k Kind, body any) error {
	b, err := encode(body)
	if err != nil {
		return err
	}
	e := Entry{Seq: w.head.Seq + 1, Schema: Schema, Time: w.now.UTC(), Kind: k, Body: b}
	e.Hash = e.chain(w.head.Hash)
	if err := w.tx.Append(e); err != nil {
		return err
	}
	w.head = Head{e.Seq, e.Hash}
	return nil
}

// tee is a Reader that also appends the entries that it reads to out.
type tee struct {
	Reader
	out *[]Entry
}

func (t tee) Entries(from int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for e, err := range t.Reader.Entries(from) {
			if err == nil {
				*t.out = append(*t.out, e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
