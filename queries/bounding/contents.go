package bounding

import (
	"slices"

	"github.com/dprelease/dprelease/queries/internal/columnar"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// Numbering contents
//
// A row's content holds its cell and value for every query. For twenty queries it is long, but few contents are
// different: twenty histograms of one column have a few hundred. So the store keeps each content once, and a record
// holds the number of its content.
//
// A trie with one level for each query finds the number. A node of level i stands for the contents that agree in
// queries 0 to i; a row's content in the next query selects a child. As soon as a query has computed the cells of a
// batch, each row of the batch descends one level. A node of the last level is a content, and the node's number is the
// content's.
//
// If there are too many contents, numbers save nothing: from the next batch on, records hold their contents themselves.

const (
	// numberWidth is the length of a content number in a record, in bytes.
	numberWidth = 3
	// maxContents is the largest number of nodes of a level when a batch starts. If there are more, numbering ends.
	maxContents = 1 << 14
	// maxNumberedBatch is the largest number of rows of a batch whose contents are numbered. A batch adds at most one node
	// a row to a level, so maxContents + maxNumberedBatch numbers must fit in numberWidth bytes.
	maxNumberedBatch = 1 << 23
	// childTableSize is the largest number of (node, symbol) pairs of a level whose child an array holds. A hash table
	// holds the others. The arrays of all levels together hold at most childTablesSize pairs.
	childTableSize  = 1 << 13
	childTablesSize = 64 * childTableSize
	// nodeBytes is the approximate memory for a node of the trie, and valueBytes for a content of one query besides its
	// own bytes.
	nodeBytes  = 20
	valueBytes = intern.TextBytes
	// minNumberingBytes is the memory in bytes that numbering may take even if a quarter of the store's share is less.
	minNumberingBytes = 1 << 14
)

// contentNumbers numbers the distinct contents of rows for several queries.
type contentNumbers struct {
	Limit   int            // the largest number of nodes of a level: maxContents, but smaller in tests
	packing *packing       // how the contents of all queries are packed
	queries int            // the number of queries
	levels  []contentLevel // the trie, a level for each query; nil after numbering has ended
	nodes   []uint32       // for each row of the current batch, its node of the last level that was reached
	packed  []byte         // the packed contents one after the other, in the order of their numbers
	counts  []bool         // counts[number] is true if a row with this content counts in at least one query
	room    int64          // the memory in bytes that numbering may take
}

// contentLevel is one level of the trie: the level of one query.
type contentLevel struct {
	own ownContents
	// children numbers the nodes of this level. The key of a node has its parent's number in the upper 32 bits and its
	// symbol in the lower 32 bits. The symbol is 0 if the row does not count in the query, 1 + the cell if the query only
	// counts rows, and 1 + the content's index in values if the query adds up values.
	children   *intern.Uint64s
	symbols    uint64        // the number of possible symbols
	childTable []uint32      // child + 1 by parent·symbols + symbol, if that is below its length; 0 if unknown
	values     *intern.Texts // the distinct packed contents of a query that adds up values
	of         []int32       // for each row of the batch, its symbol - 1
	done       bool          // true if the rows of the batch have moved down to this level
}

// ownContents locates one query's bytes in a packed content of all queries.
type ownContents struct {
	packing *packing
	From    int   // the index of the query's first byte
	Cells   int64 // the number of cells, if the query only counts rows
}

// newContentNumbers returns an empty numbering. own[i] locates the bytes of query i, and whole packs the contents of
// all queries.
func newContentNumbers(own []ownContents, whole *packing) *contentNumbers {
	n := &contentNumbers{Limit: maxContents, packing: whole, queries: len(own)}
	for _, o := range own {
		n.levels = append(n.levels, contentLevel{own: o, children: intern.NewUint64s(), symbols: uint64(o.Cells) + 1,
			values: intern.NewTexts()})
	}
	return n
}

// start begins a batch. It returns false if there are too many contents, or if they take more memory than they may, so
// that numbering must end. share is the memory in bytes for the store's rows.
func (n *contentNumbers) start(rows int, share int64) bool {
	if rows > maxNumberedBatch {
		return false
	}
	n.room = max(share/4, minNumberingBytes)
	bytes := 4 * int64(len(n.packed)) // joining the contents of all workers takes three more copies
	for i := range n.levels {
		l := &n.levels[i]
		if l.done = false; max(l.children.Len(), l.values.Len()) > n.Limit {
			return false
		}
		bytes += nodeBytes*int64(l.children.Len()) + 4*int64(len(l.childTable))
		bytes += int64(valueBytes+l.own.packing.Packed) * int64(l.values.Len())
	}
	if bytes > n.room {
		return false
	}
	n.nodes = columnar.Resize(n.nodes, rows)
	clear(n.nodes)
	return true
}

// close ends the numbering. It frees the trie, which takes more memory than the contents.
func (n *contentNumbers) close() { n.levels, n.nodes = nil, nil }

// addCells moves each row of the batch down one level of the trie, for a query that only counts rows: the row's cell
// selects the child. It returns false if a cell is out of range.
func (n *contentNumbers) addCells(query int, cells []int32) bool {
	l := &n.levels[query]
	if l.childTable == nil {
		pairs := min(childTableSize, childTablesSize/len(n.levels),
			int(n.room/8)/len(n.levels)) // at most half of the memory for numbering
		l.childTable = make([]uint32, pairs)
	}
	l.done = true
	return l.descend(n.nodes, cells, l.symbols)
}

// addContents moves each row of the batch down one level of the trie, for a query that adds up values. contents holds
// the query's unpacked contents of the listed rows; the other rows do not count in the query. addContents does nothing
// if addCells moved the rows already. It returns false if a value is out of range.
func (n *contentNumbers) addContents(query int, rows []int32, contents []byte) bool {
	l := &n.levels[query]
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

// descend replaces nodes[row] by its child for the symbol of[row] + 1. It returns false if a symbol is not below
// symbols.
func (l *contentLevel) descend(nodes []uint32, of []int32, symbols uint64) bool {
	table, of := l.childTable, of[:len(nodes)]
	for row, node := range nodes {
		symbol := uint64(uint32(of[row] + 1))
		if symbol >= symbols {
			return false
		}
		at := uint64(node)*symbols + symbol
		if at < uint64(len(table)) {
			if child := table[at]; child > 0 {
				nodes[row] = child - 1
				continue
			}
		}
		child := uint32(l.children.ID(uint64(node)<<32 | symbol))
		if nodes[row] = child; at < uint64(len(table)) {
			table[at] = child + 1
		}
	}
	return true
}

// complete writes the packed contents of the numbers that are new since the last call.
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

// write writes the packed content of a node of the last level, which it collects from the leaf to the root. It reports
// whether a row with this content counts in at least one query.
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
		if l.childTable != nil {
			putLow(own, symbol-1)
		} else {
			copy(own, l.values.At(int32(symbol-1)))
		}
	}
	return counts
}

// content returns the packed content with a number.
func (n *contentNumbers) content(number uint32) []byte {
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

// expand appends records to dst, with the packed content in place of each content number. In a record, key bytes come
// before the content number, and more bytes after it.
func (n *contentNumbers) expand(dst, records []byte, key, more int) []byte {
	for width := key + numberWidth + more; len(records) >= width; records = records[width:] {
		dst = append(append(dst, records[:key]...), n.content(numberIn(records[key:]))...)
		dst = append(dst, records[key+numberWidth:width]...)
	}
	return dst
}

// allContents is the list of distinct contents of all segments of a store. A content's ID is its index in this list.
// Segments that different workers filled have different content numbers, but the same IDs.
type allContents struct {
	contents []byte                       // the unpacked contents one after the other, in the order of their IDs
	size     int                          // the length of an unpacked content in bytes
	InAll    []bool                       // InAll[id] is true if a row with this content counts in all queries
	numbers  map[*contentNumbers][]uint32 // for each numbering, the ID of each content number
	known    map[string]uint32            // the ID of each packed content
}

// newAllContents returns an empty list. size is the length of an unpacked content in bytes.
func newAllContents(size int) *allContents {
	return &allContents{size: size, numbers: map[*contentNumbers][]uint32{}, known: map[string]uint32{}}
}

// join closes n and appends its contents, except those that the list has already.
func (a *allContents) join(n *contentNumbers) {
	n.close()
	all := make([]uint32, len(n.counts))
	for number := range all {
		packed := n.content(uint32(number))
		id, ok := a.known[string(packed)]
		if !ok {
			id = uint32(len(a.known))
			a.known[string(packed)] = id
			a.contents = slices.Grow(a.contents, a.size)[:len(a.contents)+a.size]
			n.packing.unpack(a.contents[len(a.contents)-a.size:], packed)
			a.InAll = append(a.InAll, hasAll(packed, n.queries))
		}
		all[number] = id
	}
	a.numbers[n] = all
}

// hasAll reports whether the first bits bits of mask are all set.
func hasAll(mask []byte, bits int) bool {
	for i := range bits {
		if mask[i/8]&(1<<(i%8)) == 0 {
			return false
		}
	}
	return true
}

// number returns the content number of a row of the batch, and whether the row counts in at least one query. All
// queries must have moved the rows down the trie, and complete must have been called.
func (n *contentNumbers) number(row int) (uint32, bool) {
	number := n.nodes[row]
	return number, n.counts[number]
}

// at returns the unpacked content with an ID.
func (a *allContents) at(id uint32) []byte { return a.contents[int(id)*a.size:][:a.size] }

// idsOf returns the ID of each content number of n, or nil if n was not joined.
func (a *allContents) idsOf(n *contentNumbers) []uint32 { return a.numbers[n] }
