package keyselection

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// Keys of an engine that adds up rows itself
//
// A database groups rows by the values of the dimensions and returns the values of each group. Join makes a key of
// these values, the same key that a Keying makes of the rows.

// Parts returns one KeyPart for each dimension, in order. It reports to l.Problems each column that is missing or has a
// type without keys. field(i) is the path of dimension i in the job.
func (d Dimensions) Parts(l domain.BatchColumns, field func(dimension int) string) []aggregation.KeyPart {
	parts, axis := make([]aggregation.KeyPart, len(d.By)), 0
	for i, dim := range d.By {
		if !dim.Discover {
			parts[i].Axis = axis
			axis++
			continue
		}
		f := field(i) + ".column"
		_, t, ok := l.Find(dim.Column, f)
		if ok && !hasKeys(t) {
			hint := problem.BadType(t).Hint // BadType has a hint if no query can read columns of this type
			if hint == "" {
				hint = "numbers with fractions are cut with edges; " + problem.TypesOfTexts
			}
			l.Problems.Add(f, problem.CodeColumnType, "a column of type "+t.String()+" has no keys to discover", hint)
		}
		parts[i] = aggregation.KeyPart{Axis: -1, Column: dim.Column, Type: t, Fold: dim.Fold, Prefix: appendPrefix(nil, &t)}
		if t.Kind == table.String {
			parts[i].Suffix = []byte{0, 0}
		}
	}
	return parts
}

// Join returns the key with these values, one for each part. ok is false if a value cannot be in a key.
func Join(parts []aggregation.KeyPart, values []aggregation.KeyValue) (key string, ok bool) {
	var b []byte
	for i := range parts {
		p, v := &parts[i], &values[i]
		switch {
		case p.Axis >= 0:
			b = binary.BigEndian.AppendUint32(b, uint32(v.Number))
		case p.Type.Kind == table.String:
			if !isKey(v.Text) {
				return "", false
			}
			b = appendText(append(b, p.Prefix...), v.Text)
		default:
			b = appendNumber(append(b, p.Prefix...), v.Number)
		}
	}
	return string(b), true
}

// AddTotal implements [accumulate.Partial]: it adds t.Rows units to the count of key t.Key.
func (a *Counts) AddTotal(t aggregation.Total) error {
	if t.Table != 0 || t.Cell != 0 || t.Rows < 0 || a.keys.check(t.Key) != nil {
		return columnar.ErrShape
	}
	d := digest(sha256.Sum256([]byte(t.Key)))
	a.names.add(d, t.Key)
	a.add(&d, min(t.Rows, accumulate.MaxRows))
	a.makeRoom()
	return a.failed
}

// AddTotal implements [accumulate.Partial]: it adds the numbers of cell t.Cell to the entry of key t.Key.
func (a *Values) AddTotal(t aggregation.Total) error {
	if t.Table != 0 || t.Cell < 0 || t.Cell >= int64(a.Sums.Cells) || t.Rows < 0 || len(t.Sums) != a.second() ||
		a.Keys.check(t.Key) != nil {
		return columnar.ErrShape
	}
	var e entry
	binary.BigEndian.PutUint32(e[:], uint32(t.Cell))
	d := sha256.Sum256([]byte(t.Key))
	copy(e[bounding.CellBytes:], d[:])
	at := a.totals.at(&e)
	for i, x := range t.Sums {
		a.totals.numbers.Add(at+i, x)
	}
	if a.Sums.Second != nil {
		a.totals.numbers.Add(at+a.second(), t.Second)
	}
	if a.Sums.CountRows {
		a.totals.numbers.Add(at+a.rows(), int128.Of(t.Rows))
	}
	a.makeRoom()
	return a.failed
}
