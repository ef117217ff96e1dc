package bounding

import (
	"slices"

	"github.com/dprelease/dprelease/queries/internal/columnar"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// Numbering contents
//
// The content of a row for twenty queries is long, and many rows have the same one: twenty histograms of one column
// have a few hundred different contents. So a record holds the number of its content, and the store holds each content
// once. Contents are found in a trie with one level for each query. A node of level i stands for the contents of the
// queries up to i; the content of the next query selects its child. When a query has the cells of a batch, each row of
// the batch descends one level. The nodes of the last level are the contents.
//
// If there are too many contents, numbers save nothing: from the next batch on, records hold their contents themselves.

const (
	// numberWidth is the length of a content's number in a record, in bytes.
	numberWidth = 3
	// mostContents is the largest number of nodes of a level. If there are more, contents are no longer numbered.
	mostContents = 1 << 14
	// mostBatch is the largest number of rows of a batch whose contents are numbered. mostContents + mostBatch numbers fit
	// in numberWidth bytes.
	mostBatch = 1 << 23
	// nearNodes is the number of (node, symbol) pairs for which the child is found in an array.
	nearNodes = 1 << 13
)

// contentNumbers numbers the distinct contents of rows for several queries.
type contentNumbers struct {
	Limit   int            // the largest number of nodes of a level: mostContents, less in tests
	packing *packing       // how the contents of all queries are packed
	parts   int            // the number of queries
	levels  []contentLevel // the trie, a level for each query; nil after numbering has ended
	nodes   []uint32       // for each row of the current batch, its node of the last level that was reached
	packed  []byte         // the packed contents, by number
	counts  []bool         // for each number, whether a row with this content counts in some query
}

// contentLevel is the level of one query in the trie of contents.
type contentLevel struct {
	own ownContents
	// the number of a child, by its parent's number in the upper 32 bits and its symbol in the lower ones. The symbol is 0
	// if the row does not count in the query. Otherwise it is 1 + the cell, or for a query that adds up values 1 + the
	// content's index in values.
	children *intern.Uint64s
	symbols  uint64        // the number of possible symbols
	near     []uint32      // child + 1 by parent·symbols + symbol, if that is below nearNodes; 0 if unknown
	values   *intern.Texts // the distinct packed contents of a query that adds up values
	of       []int32       // for each row of the batch, its symbol - 1
	done     bool          // the rows of the batch have descended to this level
}

// ownContents says which part of a packed content belongs to one query.
type ownContents struct {
	packing *packing
	From    int   // the first byte of that part
	Cells   int64 // the number of cells, if the query only counts rows
}

// newContentNumbers returns an empty numbering. own[i] is the part of query i, whole the packing of all queries'
// contents.
func newContentNumbers(own []ownContents, whole *packing) *contentNumbers {
	n := &contentNumbers{Limit: mostContents, packing: whole, parts: len(own)}
	for _, o := range own {
		n.levels = append(n.levels, contentLevel{own: o, children: intern.NewUint64s(), symbols: uint64(o.Cells) + 1,
			values: intern.NewTexts()})
	}
	return n
}

// start begins a batch. It returns false if there are too many contents to number more.
func (n *contentNumbers) start(rows int) bool {
	if rows > mostBatch {
		return false
	}
	for i := range n.levels {
		l := &n.levels[i]
		if l.done = false; max(l.children.Len(), l.values.Len()) > n.Limit {
			return false
		}
	}
	n.nodes = columnar.Resize(n.nodes, rows)
	clear(n.nodes)
	return true
}

// close ends the numbering and keeps only the contents, because the trie of many queries takes more memory.
func (n *contentNumbers) close() { n.levels, n.nodes = nil, nil }

// addCells moves each row of the batch down one level of the trie. The query only counts rows, so the row's cell
// selects the child. It returns false if a cell is out of range.
func (n *contentNumbers) addCells(part int, cells []int32) bool {
	l := &n.levels[part]
	if l.near == nil {
		l.near = make([]uint32, nearNodes)
	}
	l.done = true
	return l.descend(n.nodes, cells, l.symbols)
}

// addContents moves each row of the batch down one level of the trie. The query adds up values: contents holds its
// unpacked content for each of the given rows; the other rows do not count. It returns false if a value is out of
// range.
func (n *contentNumbers) addContents(part int, rows []int32, contents []byte) bool {
	l := &n.levels[part]
	if l.done {
		return true
	}
	l.done = true
	l.of = columnar.Resize(l.of, len(n.nodes))
	for i := range l.of {
		l.of[i] = columnar.Dropped
	}
	p := l.own.packing
	packed := make([]byte, p.Packed)
	for i, row := range rows {
		if !p.pack(packed, contents[i*p.Size:]) {
			return false
		}
		l.of[row] = l.values.ID(packed)
	}
	return l.descend(n.nodes, l.of, 1<<31)
}

// descend replaces the node of each row by the child for the row's symbol. It returns false if a symbol is out of
// range.
func (l *contentLevel) descend(nodes []uint32, of []int32, symbols uint64) bool {
	near, of := l.near, of[:len(nodes)]
	for row, node := range nodes {
		symbol := uint64(uint32(of[row] + 1))
		if symbol >= symbols {
			return false
		}
		at := uint64(node)*symbols + symbol
		if at < uint64(len(near)) {
			if child := near[at]; child > 0 {
				nodes[row] = child - 1
				continue
			}
		}
		child := uint32(l.children.ID(uint64(node)<<32 | symbol))
		if nodes[row] = child; at < uint64(len(near)) {
			near[at] = child + 1
		}
	}
	return true
}

// complete writes the contents that have got a number since the last call.
func (n *contentNumbers) complete() {
	last, size := &n.levels[len(n.levels)-1], n.packing.Packed
	known := len(n.counts)
	n.packed = slices.Grow(n.packed, size*(last.children.Len()-known))
	for number := known; number < last.children.Len(); number++ {
		from := len(n.packed)
		n.packed = n.packed[:from+size]
		clear(n.packed[from:])
		n.counts = append(n.counts, n.write(n.packed[from:], uint32(number)))
	}
}

// write writes the packed content of a node of the last level, and reports whether its rows count in some query.
func (n *contentNumbers) write(content []byte, node uint32) (counts bool) {
	for i := len(n.levels) - 1; i >= 0; i-- {
		l := &n.levels[i]
		key := l.children.Keys[node]
		symbol := key & (1<<32 - 1)
		if node = uint32(key >> 32); symbol == 0 {
			continue
		}
		counts = true
		content[i/8] |= 1 << (i % 8)
		own := content[l.own.From : l.own.From+l.own.packing.Packed]
		if l.near != nil {
			putLow(own, symbol-1)
		} else {
			copy(own, l.values.At(int32(symbol-1)))
		}
	}
	return counts
}

// of returns the packed content with a number.
func (n *contentNumbers) of(number uint32) []byte {
	return n.packed[int(number)*n.packing.Packed:][:n.packing.Packed]
}

// putNumber writes a number in numberWidth bytes.
func putNumber(to []byte, number uint32) {
	_ = to[numberWidth-1]
	to[0], to[1], to[2] = byte(number), byte(number>>8), byte(number>>16)
}

// numberIn reads a number that putNumber wrote.
func numberIn(from []byte) uint32 {
	_ = from[numberWidth-1]
	return uint32(from[0]) | uint32(from[1])<<8 | uint32(from[2])<<16
}

// expand converts records with content numbers to records with packed contents, and appends them to dst. A record has
// key bytes before the content number and more bytes after it.
func (n *contentNumbers) expand(dst, records []byte, key, more int) []byte {
	for width := key + numberWidth + more; len(records) >= width; records = records[width:] {
		dst = append(append(dst, records[:key]...), n.of(numberIn(records[key:]))...)
		dst = append(dst, records[key+numberWidth:width]...)
	}
	return dst
}

// allContents is the distinct contents of all segments of a store. A content's index in this list is its place.
type allContents struct {
	contents []byte // the unpacked contents, by place
	size     int
	InAll    []bool                       // for each place, whether its rows count in all queries
	numbers  map[*contentNumbers][]uint32 // for each numbering, the place of each of its numbers
	known    map[string]uint32            // the place of each packed content
}

// newAllContents returns an empty list of contents that have size bytes each.
func newAllContents(size int) *allContents {
	return &allContents{size: size, numbers: map[*contentNumbers][]uint32{}, known: map[string]uint32{}}
}

// join closes n and appends those of its contents that are new.
func (a *allContents) join(n *contentNumbers) {
	n.close()
	all := make([]uint32, len(n.counts))
	for number := range all {
		packed := n.of(uint32(number))
		place, ok := a.known[string(packed)]
		if !ok {
			place = uint32(len(a.known))
			a.known[string(packed)] = place
			a.contents = slices.Grow(a.contents, a.size)[:len(a.contents)+a.size]
			n.packing.unpack(a.contents[len(a.contents)-a.size:], packed)
			a.InAll = append(a.InAll, hasAll(packed, n.parts))
		}
		all[number] = place
	}
	a.numbers[n] = all
}

// hasAll reports whether the first parts bits of mask are all set.
func hasAll(mask []byte, parts int) bool {
	for i := range parts {
		if mask[i/8]&(1<<(i%8)) == 0 {
			return false
		}
	}
	return true
}

// number returns the number of the content of a row of the batch, and whether the row counts in some query. All queries
// must have moved the rows, and complete must have been called.
func (n *contentNumbers) number(row int) (uint32, bool) {
	number := n.nodes[row]
	return number, n.counts[number]
}

// at returns the unpacked content in a place.
func (a *allContents) at(place uint32) []byte { return a.contents[int(place)*a.size:][:a.size] }

// places returns the place of each number of n, or nil if n was not joined.
func (a *allContents) places(n *contentNumbers) []uint32 { return a.numbers[n] }
