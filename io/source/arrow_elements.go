package source

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
)

// floats appends the next n numbers to dst as floats, those that are null as NaN.
func (r *arrowReader) floats(n int, dst []float64) ([]float64, error) {
	for n > 0 {
		k, err := r.ready(min(n, batchRows))
		if err != nil {
			return dst, err
		}
		if k == 0 {
			return dst, shortBuffer()
		}
		c, err := r.take(k)
		if err != nil {
			return dst, err
		}
		dst = appendFloats(dst, &c)
		n -= k
	}
	return dst, nil
}

// appendFloats appends the numbers of a plain column.
func appendFloats(dst []float64, c *table.Column) []float64 {
	from := len(dst)
	switch c.Type.Kind {
	case table.Float:
		dst = append(dst, c.Values.Floats...)
	case table.Uint:
		for _, v := range c.Values.Ints {
			dst = append(dst, float64(uint64(v)))
		}
	default:
		for _, v := range c.Values.Ints {
			dst = append(dst, float64(v))
		}
	}
	for i, v := range c.Valid {
		if !v {
			dst[from+i] = math.NaN()
		}
	}
	return dst
}

// skip passes n numbers.
func (r *arrowReader) skip(n int64) error {
	for n > 0 {
		k, err := r.ready(int(min(n, batchRows)))
		if err != nil {
			return err
		}
		if k == 0 {
			return shortBuffer()
		}
		if _, err := r.take(k); err != nil {
			return err
		}
		n -= int64(k)
	}
	return nil
}
