package bounding

import (
	"slices"

	"github.com/dprelease/dprelease/queries/internal/columnar"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// Numbers of contents
//
// The content of a row for twenty queries is long, and many rows have the same one: twenty histograms of one column
// have a few hundred different contents. So a record holds the index of its content in the store. Contents are found in
// a trie, query by query: level i has a node for every different content of the queries up to i, and the next query's
// content selects the child. A row of a batch descends one level when a query has its cells. The nodes of the last
// level are the contents.
//
// If there are too many contents, numbers save nothing: from the next batch on, records hold their contents themselves.

const (
	// numberWidth is the bytes of a content's number in a record.
	numberWidth = 3
	// mostContents is the number of nodes of a level from which on contents are not numbered any more.
	mostContents = 1 << 14
	// mostBatch is the largest number of rows of a batch whose contents are numbered: mostContents and they have
	// numbers of numberWidth bytes.
	mostBatch = 1 << 23
	// nearNodes is how many children are found without a search.
	nearNodes = 1 << 13
)

// contentNumbers numbers the contents of several queries.
type contentNumbers struct {
	Limit   int            // the number of nodes of a level at which numbering ends: Most
	packing *packing       // how the contents of all queries are packed
	parts   int            // the number of queries
	levels  []contentLevel // nil if no more contents are numbered
	nodes   []uint32       // the nodes of the rows of the current batch
	packed  []byte         // contents by number
	counts  []bool         // for each query, whether the row counts in it
}

// contentLevel is the level of one query in the trie of contents.
type contentLevel struct {
	own ownContents
	// by the parent node, and the symbol: 0 if the row does not count, else the cell + 1 or the number of the content +
	// 1
	children *intern.Uint64s
	symbols  uint64        // the number of possible symbols
	near     []uint32      // child + 1 by node and symbol, for small numbers
	values   *intern.Texts // packed contents of a query that adds up
	of       []int32       // symbols of the batch, less 1
	done     bool          // the rows of the batch are on this level
}

// ownContents is a query's part of contents.
type ownContents struct {
	packing *packing
	From    int   // where it begins in a packed content of all queries
	Cells   int64 // the number of cells, if it counts
}

// newContentNumbers returns an empty numbering of contents that have parts of queries.
func newContentNumbers(own []ownContents, whole *packing) *contentNumbers {
	n := &contentNumbers{Limit: mostContents, packing: whole, parts: len(own)}
	for _, o := range own {
		n.levels = append(n.levels, contentLevel{own: o, children: intern.NewUint64s(), symbols: uint64(o.Cells) + 1,
			values: intern.NewTexts()})
	}
	return n
}

// start prepares for a batch. It returns false if there are too many contents.
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

// close ends the numbering and keeps only the contents: the nodes of many queries take more memory.
func (n *contentNumbers) close() { n.levels, n.nodes = nil, nil }

// addCells moves each row of the batch down one level of the trie, by its cell in a query that counts rows. It returns
// false if a cell is out of range.
func (n *contentNumbers) addCells(part int, cells []int32) bool {
	l := &n.levels[part]
	if l.near == nil {
		l.near = make([]uint32, nearNodes)
	}
	l.done = true
	return l.descend(n.nodes, cells, l.symbols)
}

// addContents moves each row of the batch down one level of the trie, by the content that a query has written for some
// rows. It returns false if a number is out of range.
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

// descend replaces the node of each row by the child for its symbol.
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

// complete writes the contents of all numbers.
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

// write writes the content of a number, and reports whether the row counts in a query.
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

// of returns the packed content of a number.
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

// expand converts records with content numbers to records with packed contents, appended to dst. key is the number of
// bytes before the content number, more the number of bytes after it.
func (n *contentNumbers) expand(dst, records []byte, key, more int) []byte {
	for width := key + numberWidth + more; len(records) >= width; records = records[width:] {
		dst = append(append(dst, records[:key]...), n.of(numberIn(records[key:]))...)
		dst = append(dst, records[key+numberWidth:width]...)
	}
	return dst
}

// allContents is the contents of all segments of a store whose contents are numbered, each once.
type allContents struct {
	contents []byte // unpacked, by place
	size     int
	InAll    []bool                       // for each content, whether its rows count in all queries
	numbers  map[*contentNumbers][]uint32 // places of contents by their numbers
	known    map[string]uint32            // places of packed contents
}

// newAllContents returns an empty list of contents of size bytes.
func newAllContents(size int) *allContents {
	return &allContents{size: size, numbers: map[*contentNumbers][]uint32{}, known: map[string]uint32{}}
}

// join adds the contents of n that are new at the end, and closes n.
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

// hasAll reports whether the bits of all queries are set.
func hasAll(mask []byte, parts int) bool {
	for i := range parts {
		if mask[i/8]&(1<<(i%8)) == 0 {
			return false
		}
	}
	return true
}

// number returns the number of a row's content, and whether the row counts in a query, when the rows are on all levels
// and Complete was called.
func (n *contentNumbers) number(row int) (uint32, bool) {
	number := n.nodes[row]
	return number, n.counts[number]
}

// at returns the content in a place.
func (a *allContents) at(place uint32) []byte { return a.contents[int(place)*a.size:][:a.size] }

// places returns the places of the contents of n by their numbers, or nil if n was not joined.
func (a *allContents) places(n *contentNumbers) []uint32 { return a.numbers[n] }
