package sqlpush

// A database keeps the rows of a unit that have the smallest digests, and the local engine keeps the same ones: the
// messages that these digests are of are those of queries/bounding/sample.go, byte for byte. A message is made
// of parts. What they are is said once, for all dialects (bounds.go, keys.go); a dialect says how it writes each of
// them.

// part is a piece of a message: bytes that are always the same, a column of bytes, a column of the privacy unit, or a
// whole number in some bytes.
type part struct {
	Bytes  []byte
	Column string
	Unit   *column // Expr is the name of a column that holds it
	Number string
	Width  int // of the number: 4 if it is not negative, or 8
}

// pieces is how a dialect writes the pieces of a message.
type pieces struct {
	unit   unitText                         // the text of a unit's column, as bytes
	length func(text string) string         // the number of bytes of a unit's text, in four bytes
	number func(x string, width int) string // a number in 4 bytes, if it is not negative, or in 8
	bytes  func(hexadecimal string) string  // bytes that are always the same
}

// of are the pieces of a message, one after the other: before the text of a unit's column its length, so that no two
// units have the same message.
func (w pieces) of(parts []part) (all []string) {
	for _, p := range parts {
		switch {
		case p.Unit != nil:
			text := w.unit(p.Unit.Expr, p.Unit.Type, p.Unit.Binary)
			all = append(all, w.length(text), text)
		case p.Column != "":
			all = append(all, p.Column)
		case p.Number != "":
			all = append(all, w.number(p.Number, p.Width))
		default:
			all = append(all, w.bytes(hexadecimal(p.Bytes)))
		}
	}
	return all
}
