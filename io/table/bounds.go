package table

// Bounds are ends between which the values of one column are: Ints of the kinds that Values.Ints holds (no unsigned ones), Floats or
// Texts. Nulls and NaN have no part in them.
type Bounds struct {
	Ints   [2]int64
	Floats [2]float64
	// Texts are ordered byte by byte. The second may have been cut short, so that whatever begins with it is within.
	Texts [2]string
	// Empty says that there is no value: all are null or NaN.
	Empty bool
}

// And returns bounds of the values of a kind that are within both.
func (b Bounds) And(k Kind, other Bounds) Bounds {
	switch k {
	case Float:
		b.Floats = [2]float64{max(b.Floats[0], other.Floats[0]), min(b.Floats[1], other.Floats[1])}
	case String:
		b.Texts = [2]string{max(b.Texts[0], other.Texts[0]), lower(b.Texts[1], other.Texts[1])}
	default:
		b.Ints = [2]int64{max(b.Ints[0], other.Ints[0]), min(b.Ints[1], other.Ints[1])}
	}
	b.Empty = b.Empty || other.Empty
	return b
}

// lower returns the upper end of texts, one of two, that is passed first.
func lower(a, b string) string {
	if n := min(len(a), len(b)); a[:n] != b[:n] {
		return min(a, b)
	}
	if len(a) > len(b) { // it begins with b, and allows less
		return a
	}
	return b
}

// Above says whether a text is after all texts between the bounds.
func (b *Bounds) Above(text string) bool {
	most := b.Texts[1]
	return text[:min(len(text), len(most))] > most
}
