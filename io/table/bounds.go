package table

// Bounds are the least and the greatest of some values of one column: Ints of the kinds that Values.Ints holds, else Floats. Nulls
// and NaN have no part in them.
type Bounds struct {
	Ints   [2]int64
	Floats [2]float64
}

// Hold says whether all values of a column without a dictionary are within the bounds; k is not unsigned.
func (b *Bounds) Hold(k Kind, c *Column) bool {
	if c.Codes != nil {
		return true // a dictionary may have values that no row has
	}
	if k == Float {
		return within(c.Values.Floats, c.Valid, b.Floats)
	}
	return within(c.Values.Ints, c.Valid, b.Ints)
}

func within[T int64 | float64](values []T, valid []bool, ends [2]T) bool {
	least, most := ends[0], ends[1]
	for i, x := range values {
		if (x < least || x > most) && (valid == nil || valid[i]) {
			return false
		}
	}
	return true
}
