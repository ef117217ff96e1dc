package ledger

import (
	"context"
	"crypto/hmac"
	"encoding/hex"
)

// A Mark identifies the newest entry of the ledger in public, so that a ledger that lost entries after a release was
// published can be detected. It consists of MACs under the store's secret. The entry's sequence number would reveal how
// many operations there were, including failed ones. So would the entry's hash, since its inputs can be guessed.
//
//	Head = HMAC(secret, "dprelease head" 0 hash of the entry)
//	MAC  = HMAC(secret, "dprelease mark" 0 Head)
//
// MAC shows whether this ledger made the mark. If it did and has no entry with this Head, it lost the entry. If it did
// not, the mark is of another ledger, or made up.
type Mark struct {
	Head string // hex
	MAC  string // hex
}

// Memory is the result of looking up one mark ([Book.Recall]).
type Memory int

const (
	// MarkForeign means that the ledger never made this mark.
	MarkForeign Memory = iota
	// MarkHeld means that the entry is in the ledger.
	MarkHeld
	// MarkLost means that the ledger made the mark but no longer has the entry.
	MarkLost
)

// Mark returns the mark of the newest entry.
func (b *Book) Mark(ctx context.Context) (Mark, error) {
	secret, err := b.store.Secret(ctx)
	if err != nil {
		return Mark{}, err
	}
	var newest Hash
	err = b.view(ctx, func(s *state) {
		n := len(s.hashes)
		if s.moved != nil {
			n-- // the closing entry is left out, because the store that continues the ledger does not have it
		}
		if n > 0 {
			newest = s.hashes[n-1]
		}
	})
	if err != nil {
		return Mark{}, err
	}
	return markOf(secret, newest), nil
}

// Recall returns for each mark whether the ledger has its entry.
func (b *Book) Recall(ctx context.Context, marks []Mark) ([]Memory, error) {
	secret, err := b.store.Secret(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Memory, len(marks))
	err = b.view(ctx, func(s *state) {
		s.markHeads(secret)
		for i, m := range marks {
			head, err := hex.DecodeString(m.Head)
			switch {
			case s.heads[m.Head]:
				out[i] = MarkHeld
			case err == nil && hmac.Equal([]byte(m.MAC), []byte(keyed(secret, labelMark, head))):
				out[i] = MarkLost
			}
		}
	})
	return out, err
}

// markHeads computes the Head of the mark of every entry, and of the empty log, into s.heads.
func (s *state) markHeads(secret []byte) {
	if s.heads == nil {
		s.heads = map[string]bool{markOf(secret, Hash{}).Head: true}
	}
	for _, h := range s.hashes[len(s.heads)-1:] {
		s.heads[keyed(secret, labelHead, h[:])] = true
	}
}

const (
	labelHead = "dprelease head\x00"
	labelMark = "dprelease mark\x00"
)

func markOf(secret []byte, h Hash) Mark {
	head := hmacOf(secret, labelHead, h[:])
	return Mark{Head: hex.EncodeToString(head), MAC: keyed(secret, labelMark, head)}
}
