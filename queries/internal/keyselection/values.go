package keyselection

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// Values sums values by key, for all keys. Each key has an entry for each cell of the dimensions that are not in the
// key. An entry holds the sum of the quantized values minus the quantizer's centre, and the other numbers that a mean
// or a variance needs. Nobody can read the numbers before keys are selected, and then only the numbers of the selected
// keys.
type Values struct {
	ValuesSpec
	totals    *totals
	quantized []int64 // working memory: the quantized value of one row
	share     share
	failed    error // the first error of the spill
}

// ValuesSpec describes a Values: how the rows of a batch get their keys, cells and values.
type ValuesSpec struct {
	Keys *Keying
	// Listed are the dimensions that are not in the key. Sums.Cells is the number of their cells.
	Listed *domain.Grouping
	Sums   accumulate.SumsSpec
}

// second returns the index, among the numbers of an entry, of the sum of second numbers (see aggregation.Second).
func (of *ValuesSpec) second() int { return of.Sums.Quantizer.Numbers() }

// rows returns the index, among the numbers of an entry, of the row count.
func (of *ValuesSpec) rows() int {
	if of.Sums.Second != nil {
		return of.second() + 1
	}
	return of.second()
}

// width returns how many numbers an entry has.
func (of *ValuesSpec) width() int {
	if of.Sums.CountRows {
		return of.rows() + 1
	}
	return of.rows()
}

// NewValues returns sums without rows. Sums that do not fit in memory are written to the spill, which may be nil.
func NewValues(of ValuesSpec, s bounding.Spill) *Values {
	bounding.JoinNow(s)
	return &Values{ValuesSpec: of, totals: newTotals(of.width(), s), quantized: make([]int64, of.Sums.Quantizer.Numbers()),
		share: share{spill: s}}
}

// AddRows implements [accumulate.Partial].
func (a *Values) AddRows(b *table.Batch) error {
	return a.eachValue(b, nil, func(_ int, e *entry) { a.addQuantized(e, 1) })
}

// WriteRows implements [accumulate.Partial]. For each row it writes the row's content: the cell, the digest of the key,
// and the quantized value.
func (a *Values) WriteRows(b *table.Batch, to bounding.Writer) error {
	err := a.eachValue(b, func(cells []int32) error { return to.Start(b, cells) }, func(row int, e *entry) {
		content := to.Record(row)
		copy(content, e[:])
		for i, x := range a.quantized {
			binary.BigEndian.PutUint64(content[ContentBytes+8*i:], uint64(x))
		}
	})
	if err != nil {
		return err
	}
	return to.Failure()
}

// eachValue calls value for each row of a batch that has a key, a cell and a value. When value is called, the row's
// quantized value is in a.quantized. If start is not nil, eachValue first calls it with the key numbers of all rows.
func (a *Values) eachValue(b *table.Batch, start func([]int32) error, value func(row int, e *entry)) error {
	if a.Keys.outgrown(a.share.limit() / 4) {
		a.Keys.forget()
	}
	if a.makeRoom(); a.failed != nil {
		return a.failed
	}
	ids, err := a.Keys.OfRows(b)
	if err != nil {
		return err
	}
	cells, err := a.Listed.OfRows(b)
	if err != nil {
		return err
	}
	if err := a.Sums.Values.Open(b); err != nil {
		return err
	}
	if start != nil {
		if err := start(ids); err != nil {
			return err
		}
	}
	var e entry
	for row, id := range ids {
		if id < 0 || cells[row] < 0 || !a.Sums.Quantizer.Quantize(a.quantized, a.Sums.Values.Row(row)) {
			continue
		}
		binary.BigEndian.PutUint32(e[:], uint32(cells[row]))
		copy(e[bounding.CellBytes:], a.Keys.digestOf(id, nil)[:])
		value(row, &e)
	}
	return nil
}

// addQuantized adds a number of rows, each with the value in a.quantized, to an entry.
func (a *Values) addQuantized(e *entry, times uint64) {
	at, centre := a.totals.at(e), a.Sums.Quantizer.Centre
	for i, x := range a.quantized {
		a.totals.numbers.Add(at+i, int128.Product(x-centre, times))
	}
	if s := a.Sums.Second; s != nil {
		a.totals.numbers.Add(at+a.second(), int128.Product(s.Of(a.quantized[0]-centre), times))
	}
	if a.Sums.CountRows {
		a.totals.numbers.Add(at+a.rows(), int128.Product(1, times))
	}
}

// Content implements [accumulate.Partial].
func (a *Values) Content() []bounding.Field {
	return append([]bounding.Field{bounding.CellField(a.Sums.Cells), {Bytes: sha256.Size}},
		accumulate.ValueFields(a.Sums.Quantizer)...)
}

// AddRecords implements [accumulate.Partial].
func (a *Values) AddRecords() func(content []byte, rows uint64) {
	return func(content []byte, rows uint64) {
		for i := range a.quantized {
			a.quantized[i] = int64(binary.BigEndian.Uint64(content[ContentBytes+8*i:]))
		}
		a.addQuantized((*entry)(content), rows)
		a.makeRoom()
	}
}

// makeRoom writes the sums to the spill if they take more than their share of memory.
func (a *Values) makeRoom() {
	if a.failed == nil && (a.totals.bytes() > a.share.limit() || a.totals.full()) {
		a.failed = a.totals.write()
	}
}

// Merge implements [accumulate.Partial].
func (a *Values) Merge(other accumulate.Partial) error {
	o, ok := other.(*Values)
	if !ok {
		return bounding.ErrMerge
	}
	a.totals.merge(o.totals)
	if a.failed == nil {
		a.failed = o.failed
	}
	a.makeRoom()
	return a.failed
}

// Totals implements [accumulate.Partial]. Nobody can read the sums before keys are selected.
func (a *Values) Totals() accumulate.Totals { return accumulate.Totals{Keyed: a} }

// Hide implements [accumulate.Keyed]. It returns one exact answer for the sums and, if the query needs them, one each
// for the sum of weights, the second sums and the row counts. They get noise only after keys are selected.
func (a *Values) Hide() ([]mechanism.Exact, error) {
	if a.failed != nil {
		return nil, a.failed
	}
	a.Keys.forget()
	dims, exponent := a.Sums.Quantizer.Dims, a.Sums.Quantizer.Exponent
	exacts := []mechanism.Exact{mechanism.HideForKeys(&numbersOf{a, 0, dims, exponent})}
	if f := a.Sums.Quantizer.Factors; f != nil {
		exacts = append(exacts, mechanism.HideForKeys(&numbersOf{a, dims, 1, f.Weight.Exponent}))
	}
	if s := a.Sums.Second; s != nil {
		exacts = append(exacts, mechanism.HideForKeys(&numbersOf{a, a.second(), 1, s.Exponent}))
	}
	if a.Sums.CountRows {
		exacts = append(exacts, mechanism.HideForKeys(&numbersOf{a, a.rows(), 1, 0}))
	}
	return exacts, nil
}

// numbersOf selects count consecutive numbers of each entry, beginning at index from. A number is a multiple of
// 2^exponent.
type numbersOf struct {
	values      *Values
	from, count int
	exponent    int
}

// Of returns, as an exact answer, the selected numbers of these keys: all cells of the first key, then all cells of the
// second key, and so on.
func (n *numbersOf) Of(keys []string) (mechanism.Exact, error) {
	order := make(map[digest]int, len(keys))
	for i, key := range keys {
		order[sha256.Sum256([]byte(key))] = i
	}
	cells := n.values.Sums.Cells
	out := int128.Make(len(keys) * cells * n.count)
	err := n.values.totals.each(func(e *entry, numbers int128.Slice) {
		index, ok := order[e.digest()]
		if !ok {
			return
		}
		at := (index*cells + int(bounding.CellOf(e[:]))) * n.count
		for i := range n.count {
			out.Add(at+i, numbers.At(n.from+i))
		}
	})
	if err != nil {
		return mechanism.Exact{}, err
	}
	return mechanism.HideWide(math.Ldexp(1, n.exponent), out)
}

// All returns the selected numbers of the given keys, or of all keys if among is nil, as multiples of quantum.
// labels[i] identifies number i: the bytes of its entry, then its index among the selected numbers of the entry in four
// bytes.
func (n *numbersOf) All(among []string) (labels []string, cells int128.Slice, quantum float64, err error) {
	all, has := map[string]int128.Int{}, make(map[digest]bool, len(among))
	for _, key := range among {
		has[sha256.Sum256([]byte(key))] = true
	}
	err = n.values.totals.each(func(e *entry, numbers int128.Slice) {
		if among != nil && !has[e.digest()] {
			return
		}
		for i := range n.count {
			label := string(binary.BigEndian.AppendUint32(e[:len(e):len(e)], uint32(i)))
			all[label] = all[label].Add(numbers.At(n.from + i))
		}
	})
	if err != nil {
		return nil, int128.Slice{}, 0, err
	}
	labels = slices.Sorted(maps.Keys(all))
	cells = int128.Make(len(labels))
	for i, label := range labels {
		cells.Set(i, all[label])
	}
	return labels, cells, math.Ldexp(1, n.exponent), nil
}

// SaveState implements [accumulate.Partial].
func (a *Values) SaveState(w *state.Writer) {
	w.Uint(a.totals.size())
	err := a.totals.each(func(e *entry, numbers int128.Slice) {
		w.Bytes(e[:])
		for i := range numbers.Len() {
			w.Uint64(uint64(numbers.At(i).High))
			w.Uint64(numbers.At(i).Low)
		}
	})
	w.Fail(err)
	w.Fail(a.failed)
}

// LoadState implements [accumulate.Partial].
func (a *Values) LoadState(r *state.Reader) error {
	numbers := int128.Make(a.width())
	for left := r.Uint(); left > 0 && r.Err() == nil; left-- {
		b := r.Bytes(ContentBytes)
		for i := range numbers.Len() {
			numbers.Set(i, int128.Int{High: int64(r.Uint64()), Low: r.Uint64()})
		}
		if r.Err() != nil || len(b) != ContentBytes || int64(binary.BigEndian.Uint32(b)) >= int64(a.Sums.Cells) {
			return r.Fail()
		}
		a.totals.add((*entry)(b), numbers)
		if a.makeRoom(); a.failed != nil {
			return a.failed
		}
	}
	return r.Err()
}
