package ledger

import (
	"time"
)

// writer appends entries within one transaction.
type writer struct {
	tx    Tx
	state *state
	head  Head
	// now is the time of all entries of the transaction. It is one time, so that a charge is recorded in the period
	// whose cap it was checked against.
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
