package mechanism

import (
	"math/big"
	"slices"
)

// payload is exact answers: of every cell or, if at is not nil, of the cells at, in order, and 0 in all others.
type payload struct {
	high []int64
	low  []uint64 // the answers are high·2^64 + low if it is not nil, and else high
	at   []int
}

// spread returns the answers of all cells and wipes the sparse ones.
func (p *payload) spread(size int) *payload {
	if p.at == nil {
		return p
	}
	all := &payload{high: make([]int64, size)}
	if p.low != nil {
		all.low = make([]uint64, size)
	}
	p.copy(0, all)
	p.wipe()
	return all
}

// copy writes the answers that belong to the cells from start on into block, whose cells are 0.
func (p *payload) copy(start int, block *payload) {
	i, _ := slices.BinarySearch(p.at, start)
	for ; i < len(p.at) && p.at[i]-start < len(block.high); i++ {
		block.high[p.at[i]-start] = p.high[i]
		if p.low != nil {
			block.low[p.at[i]-start] = p.low[i]
		}
	}
}

func (p *payload) wipe() {
	clear(p.high)
	clear(p.low)
	clear(p.at)
}

// peek copies the answers of cells of 64 bits, for tests.
func (s *sealed) peek() ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch p := s.held; {
	case p == nil:
		return nil, ErrSpent
	case p.low != nil:
		return nil, ErrWide
	case p.at == nil:
		return slices.Clone(p.high), nil
	default:
		return p.clone().spread(s.size).high, nil
	}
}

func (p *payload) clone() *payload {
	return &payload{slices.Clone(p.high), slices.Clone(p.low), slices.Clone(p.at)}
}

// peekWide copies the answers, for tests.
func (s *sealed) peekWide() ([]*big.Int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return nil, ErrSpent
	}
	p := s.held.clone().spread(s.size)
	out := make([]*big.Int, s.size)
	for i, x := range p.high {
		out[i] = big.NewInt(x)
		if p.low != nil {
			out[i].Lsh(out[i], 64).Or(out[i], new(big.Int).SetUint64(p.low[i]))
		}
	}
	return out, nil
}
