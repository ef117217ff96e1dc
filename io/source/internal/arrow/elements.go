package arrow

import "github.com/dprelease/dprelease/io/source/internal/scan"

// floats appends the next n numbers of the array to dst. A null becomes NaN.
func (r *arrayReader) floats(n int, dst []float64) ([]float64, error) {
	for n > 0 {
		k, err := r.ready(min(n, scan.BatchRows))
		if err != nil {
			return dst, err
		}
		if k == 0 {
			return dst, shortBuffer()
		}
		c, err := r.nextRows(k)
		if err != nil {
			return dst, err
		}
		dst = scan.AppendFloats(dst, &c)
		n -= k
	}
	return dst, nil
}

// skip discards the next n numbers of the array.
func (r *arrayReader) skip(n int64) error {
	for n > 0 {
		k, err := r.ready(int(min(n, scan.BatchRows)))
		if err != nil {
			return err
		}
		if k == 0 {
			return shortBuffer()
		}
		if _, err := r.nextRows(k); err != nil {
			return err
		}
		n -= int64(k)
	}
	return nil
}
