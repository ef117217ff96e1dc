package table

// Bounds are a min and a max of some values of a column whose Values are in Ints and not unsigned. Nulls are in no bounds.
type Bounds struct{ Min, Max int64 }

// Holds says whether the values of all rows of a column are within the bounds or null. Entries of a dictionary that no row has do not
// count.
func (b Bounds) Holds(c *Column) bool {
	for i := range c.Entries() {
		at := i
		if c.Codes != nil {
			at = int(c.Codes[i])
		}
		if v := c.Values.Ints[at]; (v < b.Min || v > b.Max) && (c.Valid == nil || c.Valid[i]) {
			return false
		}
	}
	return true
}
