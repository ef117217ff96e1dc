package ledger

import (
	"context"

	"github.com/dprelease/dprelease/internal/ledger"
)

// Pruner lists publications and removes one of them later.
type Pruner struct {
	book *ledger.Book
	f    pruning
	all  []*publication
}

// ListWithdrawn lists the publications of a ledger, from which the withdrawn ones are to be deleted.
func ListWithdrawn(ctx context.Context, book *ledger.Book) (*Pruner, error) {
	runs, err := book.Runs(ctx)
	if err != nil {
		return nil, err
	}
	all, err := publications(ctx, runs)
	return &Pruner{book, pruning{withdrawn: true}, all}, err
}

// Remove removes the publication in a folder.
func (p *Pruner) Remove(ctx context.Context, dir string) (kept string, err error) {
	for _, o := range p.all {
		if o.dir == dir {
			return p.f.remove(ctx, p.book, o, p.all, 0)
		}
	}
	return "it is not listed", nil
}
