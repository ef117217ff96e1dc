package sqlpush

// A database keeps the rows of a unit that have the smallest digests, and the local engine keeps the same rows: both
// make digests from the messages of queries/bounding/messages.go, byte for byte. A message consists of parts, which
// bounds.go and keys.go list once for all dialects; a dialect defines how each part is written.

// part is a piece of a message: constant bytes, a column of bytes, a column of the privacy unit, or an integer of some
// width.
type part struct {
	Bytes  []byte
	Column string
	Unit   *column // Expr is the name of a column that holds it
	Number string
	Width  int // bytes of the number: 4 if it is not negative, or 8
}

// pieces defines how a dialect writes the parts of a message.
type pieces struct {
	unit   unitText                         // the text of a unit's column, as bytes
	length func(text string) string         // the number of bytes of a unit's text, in four bytes
	number func(x string, width int) string // an integer of width bytes: 4 (never negative) or 8
	bytes  func(hexadecimal string) string  // constant bytes
}

// of returns the parts of a message, written. The text of a unit's column follows its length, so that different units
// have different messages.
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
