package table

// Expand returns c's rows without runs: c itself where it has none, else scratch, whose slices it reuses, with one
// code a row. Plain values become a dictionary of the runs' values, so no value is copied.
func (c *Column) Expand(scratch *Column) *Column {
	if c.Ends == nil {
		return c
	}
	codes, valid := scratch.Codes[:0], scratch.Valid[:0]
	start := int32(0)
	for i, end := range c.Ends {
		code := int32(i)
		if c.Codes != nil {
			code = c.Codes[i]
		}
		for ; start < end; start++ {
			codes = append(codes, code)
		}
	}
	*scratch = Column{Type: c.Type, Dict: c.Dict, Values: c.Values, Codes: codes}
	if c.Valid != nil {
		scratch.Valid = repeat(valid, c.Valid, c.Ends)
	}
	return scratch
}

// repeat appends to dst the item of each run as often as the run is long.
func repeat(dst, src []bool, ends []int32) []bool {
	start := int32(0)
	for i, end := range ends {
		for ; start < end; start++ {
			dst = append(dst, src[i])
		}
	}
	return dst
}
