package mechanism

import (
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// payload holds exact answers. If at is nil, every cell has one. Otherwise answer i belongs to cell at[i], and all
// other cells are 0.
type payload struct {
	cells int128.Slice
	at    []int
}

// zeros returns n answers of 0, with as many bits as p's.
func (p *payload) zeros(n int) *payload {
	if p.cells.Low == nil {
		return &payload{cells: int128.Narrow(make([]int64, n))}
	}
	return &payload{cells: int128.Make(n)}
}

// spread returns the answers of all size cells. If p is sparse, they are in a new payload, and p is wiped.
func (p *payload) spread(size int) *payload {
	if p.at == nil {
		return p
	}
	all := p.zeros(size)
	p.copyTo(0, all)
	p.wipe()
	return all
}

// copyTo copies answers into block, starting with cell start. The cells of block must be 0.
func (p *payload) copyTo(start int, block *payload) {
	i, _ := slices.BinarySearch(p.at, start)
	for ; i < len(p.at) && p.at[i]-start < block.cells.Len(); i++ {
		block.cells.High[p.at[i]-start] = p.cells.High[i]
		if p.cells.Low != nil {
			block.cells.Low[p.at[i]-start] = p.cells.Low[i]
		}
	}
}

func (p *payload) wipe() {
	p.cells.Wipe()
	clear(p.at)
}

func (p *payload) clone() *payload { return &payload{p.cells.Clone(), slices.Clone(p.at)} }
