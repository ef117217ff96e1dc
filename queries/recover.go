package queries

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// Published values read back
//
// The columns of a released table hold every noisy vector that its answer was made of: a count, histogram or sum is its noisy column, a mean
// or variance over a private number of rows has its components as further columns, and a mean of a public number of terms is an invertible
// function of its sum. Each noisy value is a multiple of its mechanism's grid, a power of two, so that it is read back without any
// rounding, or not at all.

// Columns are those columns of a released table from which its noisy vectors are read back: a row a cell, in the order of the cells. A
// value that is not there is NaN.
type Columns struct {
	// Keys are the key columns as text, by column; needed if keys were discovered.
	Keys  [][]string
	Noisy []float64
	// Extra are the columns after the interval, in order.
	Extra [][]float64
}

// Recovered are the noisy vectors of a query's components, in multiples of the grids of their mechanisms.
type Recovered struct {
	Units [][]int64
	// Keys are the selected keys as [mechanism.Noisy] has them; nil if keys are listed.
	Keys []string
}

// errInexact says that published values are not what a release of the query has.
var errInexact = errors.New("its values are not multiples of the grid, or do not tell them exactly")

// toUnits returns values as multiples of a grid, a power of two.
func toUnits(values []float64, grid float64) ([]int64, error) {
	const end = 1 << 63
	units := make([]int64, len(values))
	for i, v := range values {
		switch k := v / grid; {
		case k != math.Trunc(k) || k < -end || k > end || k*grid != v: // also of NaN
			return nil, errInexact
		case k == end: // what the largest multiple was rounded to
			units[i] = math.MaxInt64
		default:
			units[i] = int64(k)
		}
	}
	return units, nil
}

// recoverComponents is Recover of columns that are the components themselves.
func recoverComponents(cells int, grids []float64, columns ...[]float64) (out Recovered, err error) {
	if len(grids) != len(columns) {
		return out, errInexact
	}
	for i, c := range columns {
		if len(c) != cells {
			return out, fmt.Errorf("it has %d values, not %d", len(c), cells)
		}
		units, err := toUnits(c, grids[i])
		if err != nil {
			return out, err
		}
		out.Units = append(out.Units, units)
	}
	return out, nil
}

// Recover reads the noisy counts back.
func (q *counting) Recover(c Columns, grids []float64) (Recovered, error) {
	return recoverComponents(q.cells, grids, c.Noisy)
}

// Recover reads the noisy sums back and what the query's kind has beside them.
func (q *summing) Recover(c Columns, grids []float64) (Recovered, error) {
	return q.kind.readBack(q, c, grids)
}

func (sumOfValues) readBack(q *summing, c Columns, grids []float64) (Recovered, error) {
	return recoverComponents(q.Cells(), grids, c.Noisy)
}

func (varianceOfValues) readBack(q *summing, c Columns, grids []float64) (Recovered, error) {
	if len(c.Extra) != 3 {
		return Recovered{}, errInexact
	}
	return recoverComponents(q.Cells(), grids, c.Extra[0], c.Extra[1], c.Extra[2])
}

// readBack reads sums and counts back. A group's count stands beside each component of its vector.
func (meanOfNoisyRows) readBack(q *summing, c Columns, grids []float64) (Recovered, error) {
	if len(c.Extra) != 2 || len(grids) != 2 || len(c.Extra[0]) != q.Cells() || len(c.Extra[1]) != q.Cells() {
		return Recovered{}, errInexact
	}
	once := make([]float64, 0, q.cells)
	for i, n := range c.Extra[1] {
		if i%q.quantizer.dims == 0 {
			once = append(once, n)
		} else if n != once[len(once)-1] {
			return Recovered{}, errInexact
		}
	}
	sums, err := recoverComponents(q.Cells(), grids[:1], c.Extra[0])
	if err != nil {
		return sums, err
	}
	rest, err := recoverComponents(q.cells, grids[1:], once)
	return Recovered{Units: append(sums.Units, rest.Units...)}, err
}

// readBack finds the multiple of the grid that each mean of a public number of terms was made of: the only one that gives exactly this
// mean. Means that lie closer to each other than their float64s do not tell.
func (meanOfKnownRows) readBack(q *summing, c Columns, grids []float64) (Recovered, error) {
	if len(grids) != 1 || len(c.Noisy) != q.Cells() {
		return Recovered{}, errInexact
	}
	n, centre, grid := float64(q.quantizer.rows), q.quantizer.size(q.quantizer.centre), grids[0]
	units, one := make([]int64, len(c.Noisy)), make([]float64, 1)
	of := q.mean(func(_ int, dst []float64) { dst[0] = one[0] })
	made := func(k float64) float64 {
		one[0] = k * grid
		mean := make([]float64, 1)
		of(0, mean)
		return mean[0]
	}
	const exact, around = 1 << 53, 4 // whole numbers up to here are float64s; how far rounding may have moved the guess
	for i, mean := range c.Noisy {
		guess, found := math.Round((mean-centre)*n/grid), 0
		if !(math.Abs(guess) < exact-around-1) {
			return Recovered{}, errInexact
		}
		for k := guess - around; k <= guess+around; k++ {
			if made(k) == mean {
				units[i] = int64(k)
				found++
			}
		}
		if found != 1 {
			return Recovered{}, errInexact
		}
	}
	return Recovered{Units: [][]int64{units}}, nil
}

// Recover reads the noisy counts of the selected keys back, and the keys: a listed dimension's by its labels, any other's as text, which is
// how a release shows it.
func (q *discovering) Recover(c Columns, grids []float64) (Recovered, error) {
	out, err := recoverComponents(len(c.Noisy), grids, c.Noisy)
	if out.Keys = make([]string, len(c.Noisy)); err != nil || len(c.Noisy) == 0 {
		return out, err
	}
	column, listed := 0, 0
	for i := range q.spec.By {
		if q.spec.By[i].Discover {
			if column >= len(c.Keys) {
				return out, errInexact
			}
			for row, text := range c.Keys[column] {
				out.Keys[row] = string(appendTextKey([]byte(out.Keys[row]), text))
			}
			column++
			continue
		}
		a := &q.axes[listed]
		names := a.Domain.Keys(a.Name(), a.Extra.Names)
		if column+len(names) > len(c.Keys) {
			return out, errInexact
		}
		if err := appendListed(out.Keys, c.Keys[column:column+len(names)], names, a.Size); err != nil {
			return out, err
		}
		column, listed = column+len(names), listed+1
	}
	if column != len(c.Keys) {
		return out, errInexact
	}
	return out, nil
}

// appendListed appends to each key the code of a listed dimension, by the labels that its key columns show.
func appendListed(keys []string, shown [][]string, columns []domain.KeyColumn, size int) error {
	codes := map[string]int{}
	for code := range size {
		var labels []string
		for _, k := range columns {
			labels = append(labels, labelText(&k, code))
		}
		codes[joined(labels)] = code
	}
	for row := range keys {
		labels := make([]string, len(shown))
		for i := range shown {
			labels[i] = shown[i][row]
		}
		code, ok := codes[joined(labels)]
		if !ok {
			return errInexact
		}
		keys[row] = string(binary.BigEndian.AppendUint32([]byte(keys[row]), uint32(code)))
	}
	return nil
}

// labelText is the label of a cell as a table of text shows it.
func labelText(k *domain.KeyColumn, cell int) string {
	at := cell / max(k.Stride, 1)
	switch l := k.Labels; {
	case len(l.Strings) > 0:
		return l.Strings[at%len(l.Strings)]
	case len(l.Ints) > 0:
		return strconv.FormatInt(l.Ints[at%len(l.Ints)], 10)
	default:
		return FloatText(l.Floats[at%len(l.Floats)])
	}
}

// FloatText is the shortest text that reads back as v, with an exponent only below 1e-6 and from 1e21 on: how tables of text show numbers.
func FloatText(v float64) string {
	form := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		form = 'g'
	}
	return strconv.FormatFloat(v, form, -1, 64)
}

// joined tells two lists of texts apart.
func joined(texts []string) string { return fmt.Sprintf("%q", texts) }

// appendTextKey appends the form of a text in a key.
func appendTextKey(key []byte, text string) []byte {
	key = append(key, byte(table.String))
	for _, b := range []byte(text) {
		if key = append(key, b); b == 0 {
			key = append(key, 0xff)
		}
	}
	return append(key, 0, 0)
}
