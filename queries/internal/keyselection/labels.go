package keyselection

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// Columns returns the key columns of an answer that has one row for each of the keys.
func (d Dimensions) Columns(keys []string) ([]domain.KeyColumn, error) {
	rest := slices.Clone(keys)
	var columns []domain.KeyColumn
	listed := 0
	for i := range d.By {
		if !d.By[i].Discover {
			a := &d.Axes[listed]
			listed++
			codes, err := cutCodes(rest, a.Size)
			if err != nil {
				return nil, err
			}
			for _, k := range a.Domain.Keys(a.Name(), a.Extra.Names) {
				columns = append(columns, domain.KeyColumn{Name: k.Name, Stride: 1, Labels: pickLabels(&k, codes)})
			}
			continue
		}
		labels := make([]string, len(keys), max(len(keys), 1))
		for r := range rest {
			var err error
			if labels[r], rest[r], err = cutLabel(rest[r]); err != nil {
				return nil, err
			}
		}
		if len(labels) == 0 {
			labels = []string{""} // no row uses this label; a list of labels must not be empty
		}
		columns = append(columns, domain.KeyColumn{Name: d.By[i].Name(), Stride: 1,
			Labels: domain.Labels{Strings: labels}})
	}
	return columns, nil
}

// cutCodes removes from the front of each key the code of a dimension with size listed labels, and returns the codes.
func cutCodes(keys []string, size int) ([]int, error) {
	codes := make([]int, len(keys))
	for i, key := range keys {
		if len(key) < 4 {
			return nil, errKey
		}
		code := binary.BigEndian.Uint32([]byte(key[:4]))
		if code > math.MaxInt32 || int(code) >= size {
			return nil, errKey
		}
		codes[i], keys[i] = int(code), key[4:]
	}
	return codes, nil
}

// pickLabels returns the labels of the cells with these codes. If there are no codes, it returns one label that no row
// uses, because a list of labels must not be empty.
func pickLabels(k *domain.KeyColumn, codes []int) domain.Labels {
	if len(codes) == 0 {
		codes = []int{0}
	}
	stride := max(k.Stride, 1)
	return domain.Labels{
		Strings: picked(k.Labels.Strings, codes, stride), Ints: picked(k.Labels.Ints, codes,
			stride), Floats: picked(k.Labels.Floats, codes, stride),
	}
}

func picked[T any](labels []T, codes []int, stride int) []T {
	if len(labels) == 0 {
		return nil
	}
	out := make([]T, len(codes))
	for i, c := range codes {
		out[i] = labels[c/stride%len(labels)]
	}
	return out
}

// ErrLabels means that the key columns of a released table do not fit the job's dimensions.
var ErrLabels = errors.New("its keys do not fit the dimensions")

// Recover returns the key of each row of a released table with this number of rows. texts[i][row] is the text in key
// column i. A label of a listed dimension becomes its code again; every other text becomes a key part of type string,
// whatever the type of the column was.
func (d Dimensions) Recover(texts [][]string, rows int) ([]string, error) {
	keys := make([]string, rows)
	column, listed := 0, 0
	for i := range d.By {
		if d.By[i].Discover {
			if column >= len(texts) {
				return nil, ErrLabels
			}
			for row, text := range texts[column] {
				keys[row] = string(appendText(append([]byte(keys[row]), byte(table.String)), []byte(text)))
			}
			column++
			continue
		}
		a := &d.Axes[listed]
		names := a.Domain.Keys(a.Name(), a.Extra.Names)
		if column+len(names) > len(texts) {
			return nil, ErrLabels
		}
		if err := appendCodes(keys, texts[column:column+len(names)], names, a.Size); err != nil {
			return nil, err
		}
		column, listed = column+len(names), listed+1
	}
	if column != len(texts) {
		return nil, ErrLabels
	}
	return keys, nil
}

// appendCodes appends to each key the code of a listed dimension. It finds the code by the row's labels: texts[i][row]
// is the label in column i of the dimension, and columns[i] gives the label of each code from 0 to size-1.
func appendCodes(keys []string, texts [][]string, columns []domain.KeyColumn, size int) error {
	codes := map[string]int{}
	for code := range size {
		var labels []string
		for i := range columns {
			labels = append(labels, columns[i].Text(code))
		}
		codes[joined(labels)] = code
	}
	for row := range keys {
		labels := make([]string, len(texts))
		for i := range texts {
			labels[i] = texts[i][row]
		}
		code, ok := codes[joined(labels)]
		if !ok {
			return ErrLabels
		}
		keys[row] = string(binary.BigEndian.AppendUint32([]byte(keys[row]), uint32(code)))
	}
	return nil
}

// joined encodes a list of texts as one text, different lists as different texts.
func joined(texts []string) string { return fmt.Sprintf("%q", texts) }
