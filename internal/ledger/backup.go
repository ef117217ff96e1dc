package ledger

import "context"

// Backup copies the ledger to a store that was made with the same secret, and makes that store a ledger. This ledger
// stays open, so its next entry is not in the copy. Other processes can charge runs meanwhile: the copy holds the
// entries of one moment, and a charge waits only while they are read. Backup returns the head of the copy. It can be
// repeated after an error. Errors: ErrOccupied if the new store is a ledger already, or has entries of another ledger;
// ErrOlder if it has more entries than this ledger; a MovedError if this ledger is closed.
func (b *Book) Backup(ctx context.Context, to Arrival) (Head, error) {
	if err := b.sameSecret(ctx, to); err != nil {
		return Head{}, err
	}
	incoming, err := to.Incoming(ctx)
	if err != nil {
		return Head{}, err
	}
	if !incoming {
		return Head{}, ErrOccupied
	}
	var log []Entry
	var head Head
	err = b.store.View(ctx, func(r Reader) error {
		log = nil
		s := newState()
		if err := s.catchUp(r, &log); err != nil {
			return err
		}
		if head = s.head; s.moved != nil {
			return &MovedError{*s.moved}
		}
		return nil
	})
	if err == nil {
		err = copyLog(ctx, log, to, false)
	}
	if err == nil {
		err = checkArrived(ctx, to, head)
	}
	if err != nil {
		return Head{}, err
	}
	return head, to.Activate(ctx)
}
