package source

import (
	"errors"
	"io"
)

// seek moves all readers to the first row, from row on, that is in no page without rows that are wanted, and returns it.
func (s *scan) seek(row int64) (int64, error) {
	if !s.picks {
		return row, nil
	}
	start := row
	for from := int64(-1); from < row; {
		from = row
		err := s.each(func(_ int, r *columnReader) (err error) {
			if r.pick != nil {
				row, err = r.wanted(row)
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	s.skipped += row - start
	return row, s.each(func(_ int, r *columnReader) error { return r.skip(row) })
}

// wanted returns the first row, from row on, that is in no page of the column without rows that are wanted. The page in which it is
// may not be decoded yet.
func (c *columnReader) wanted(row int64) (int64, error) {
	if err := c.approach(row); err != nil {
		return 0, err
	}
	if c.page.left == 0 {
		c.pick.within = c.pick.whole
	}
	for c.between() {
		h, rows, err := c.guard.ahead()
		switch {
		case errors.Is(err, io.EOF):
			return max(row, c.row), nil
		case err != nil:
			return 0, err
		case rows < 0 || rows > 0 && !c.pick.rulesOut(h, c.guard.skips.page):
			return max(row, c.row), nil
		}
		if err := c.pass(rows); err != nil {
			return 0, err
		}
	}
	return max(row, c.row), nil
}

// between says whether the next row is the first of a page that was not read.
func (c *columnReader) between() bool {
	switch {
	case c.leaf.void || c.guard.row() != c.row:
		return false
	case c.lists != nil:
		return c.lists.between()
	}
	return c.page.left == 0
}

// pass passes over the next page.
func (c *columnReader) pass(rows int64) error {
	c.row += rows
	return c.guard.pass(rows)
}

// approach drops rows before row, by whole pages without decoding them, until row is in the next page or in what is decoded.
func (c *columnReader) approach(row int64) error {
	for c.row < row {
		if c.between() {
			_, rows, err := c.guard.ahead()
			switch {
			case errors.Is(err, io.EOF):
				return tooFew()
			case err != nil:
				return err
			case rows >= 0 && rows <= row-c.row:
				if err := c.pass(rows); err != nil {
					return err
				}
				continue
			case rows > 0:
				return nil
			}
		}
		if err := c.drop(row); err != nil {
			return err
		}
	}
	return nil
}

// drop decodes what comes next and drops its rows before row.
func (c *columnReader) drop(row int64) error {
	n, err := c.ready()
	if errors.Is(err, io.EOF) {
		return tooFew()
	}
	if err == nil {
		c.take(int(min(int64(n), row-c.row)))
	}
	return err
}

// skip drops all rows before row.
func (c *columnReader) skip(row int64) error {
	for c.row < row {
		if err := c.approach(row); err != nil {
			return err
		}
		if c.row < row {
			if err := c.drop(row); err != nil {
				return err
			}
		}
	}
	return nil
}
