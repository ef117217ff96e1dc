package table

// Bounds holds the min and max of some values of a column. The column must be held in Ints, and must not be unsigned.
// Nulls are ignored.
type Bounds struct{ Min, Max int64 }

// Holds reports whether every row's value is null or within the bounds. Values of the dictionary that no row has are
// ignored.
func (b Bounds) Holds(c *Column) bool {
	for i := range c.Len() {
		if v := c.Values.Ints[c.Index(i)]; (v < b.Min || v > b.Max) && (c.Valid == nil || c.Valid[i]) {
			return false
		}
	}
	return true
}
