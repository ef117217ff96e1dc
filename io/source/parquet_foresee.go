package source

import (
	"cmp"
	"context"
	"io"
	"slices"
)

// Pages counts data pages.
type Pages struct {
	All     int `json:"all"`
	Skipped int `json:"skipped"` // without a row that is wanted
}

// Pages counts, as far as page indexes tell, the pages that columns have in the splits that are not skipped, and those that Read will
// not decode. It reads no row; pages whose headers alone have statistics are not known to be skipped.
func (s *Selection) Pages(ctx context.Context, columns []string) (sum Pages, err error) {
	for split := range s.d.places {
		f, at, ok := s.footed(split)
		if !ok || s.Skips(split) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		if _, err := s.d.check(split, columns); err != nil {
			return sum, err
		}
		n, err := f.foresee(request{at, columns, s})
		if err != nil {
			return sum, s.d.placed(err, s.d.places[split].file)
		}
		sum.All += n.All
		sum.Skipped += n.Skipped
	}
	return sum, nil
}

// rows are those from one on up to, not including, another.
type rows struct{ from, to int64 }

// foresee implements footed.
func (p *parquetFile) foresee(r request) (Pages, error) {
	var used []*leaf
	for i := range p.leaves {
		l := &p.leaves[i]
		if slices.Contains(r.columns, l.field.Name) && p.groups[r.split].chunks[l.chunk].index[1].size != 0 {
			used = append(used, l)
		}
	}
	if len(used) == 0 {
		return Pages{}, nil
	}
	f, err := p.reopen()
	if err != nil {
		return Pages{}, err
	}
	defer f.Close()
	var pages, out []rows
	for _, l := range used {
		all, none, err := p.ruledOut(f, l, r)
		if err != nil {
			e := own(err)
			e.RowGroup, e.Column = r.split, l.field.Name
			return Pages{}, e
		}
		pages, out = append(pages, all...), append(out, none...)
	}
	return within(pages, out), nil
}

// ruledOut returns the rows of a column's pages, and of those in which none is wanted.
func (p *parquetFile) ruledOut(f io.ReaderAt, l *leaf, r request) (pages, out []rows, err error) {
	c, total := &p.groups[r.split].chunks[l.chunk], p.groups[r.split].rows
	if err := c.check(l, total, p.end); err != nil {
		return nil, nil, err
	}
	var x *pageIndex
	err = guard(func() error {
		parts, err := l.indexParts(f, c, p.end)
		if err == nil {
			x, err = newIndex(c.physical, parts, total)
		}
		return err
	})
	if err != nil || x == nil || x.first == nil {
		return nil, nil, err
	}
	pick := r.where.of(l, c)
	for i, from := range x.first {
		page := rows{from, total}
		if i+1 < len(x.first) {
			page.to = x.first[i+1]
		}
		pages = append(pages, page)
		if b, ok := x.bounds(l, i); ok && pick != nil && pick.none(pick.cut(b)) {
			out = append(out, page)
		}
	}
	return pages, out, nil
}

// within counts pages, and those of which all rows are in the union of others.
func within(pages, union []rows) Pages {
	slices.SortFunc(union, func(a, b rows) int { return cmp.Compare(a.from, b.from) })
	var whole []rows
	for _, r := range union {
		if n := len(whole); n > 0 && r.from <= whole[n-1].to {
			whole[n-1].to = max(whole[n-1].to, r.to)
		} else {
			whole = append(whole, r)
		}
	}
	n := Pages{All: len(pages)}
	for _, p := range pages {
		i, found := slices.BinarySearchFunc(whole, p.from, func(r rows, from int64) int { return cmp.Compare(r.from, from) })
		if !found {
			i--
		}
		if i >= 0 && p.to <= whole[i].to {
			n.Skipped++
		}
	}
	return n
}
