package queries

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
)

// rowSums adds up the values of each group, if each row is a privacy unit.
type rowSums struct {
	sums
	plain *plainSums // nil: the values are vectors, or there are very many cells
	spent bool
}

// Add adds the rows of a batch that have a group and a value. If all rows are terms, those without one count as the
// centre.
func (a *rowSums) Add(b *table.Batch) error {
	if a.spent {
		return bounding.ErrSpent
	}
	a.open()
	if done, err := a.addCoded(b); done || err != nil {
		return err
	}
	groups, err := a.read(b)
	if err != nil {
		return err
	}
	if a.plain != nil {
		a.addPlain(groups, a.values.rows[:len(groups)])
		return nil
	}
	public := a.query.quantizer.rows > 0
	for row, group := range groups {
		switch {
		case group < 0:
		case a.quantize(row):
			a.add(group, 1)
		case public:
			a.rows[group]++
		}
	}
	return nil
}

// Merge adds another's sums.
func (a *rowSums) Merge(other Accumulator) error {
	o, ok := other.(*rowSums)
	switch {
	case !ok || o == a || o.query != a.query:
		return bounding.ErrMerge
	case a.spent || o.spent:
		return bounding.ErrSpent
	}
	a.flush()
	o.flush()
	a.merge(&o.sums)
	o.plain, o.spent = nil, true
	return nil
}

// Seal returns the sums and, of a mean of two parts, the numbers of rows.
func (a *rowSums) Seal() ([]mechanism.Exact, error) {
	if a.spent {
		return nil, bounding.ErrSpent
	}
	a.flush()
	a.plain, a.spent = nil, true
	return a.seal()
}
