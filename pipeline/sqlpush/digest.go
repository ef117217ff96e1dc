package sqlpush

// A unit keeps its rows with the smallest digests. The database and the local engine keep the same rows, because both
// compute digests of the same messages, byte for byte (queries/bounding/messages.go). A message consists of parts,
// which bounds.go and keys.go list once for all dialects; each dialect defines how it writes a part.

// part is a part of a digest's message. One of Bytes, Column, Unit, Text and Number is set.
type part struct {
	Bytes  []byte
	Column string
	Unit   *column
	// Text is a column of a sample, whose canonical text is written without its length. NULL is written as the byte 255;
	// NeverNull is set if the column has none.
	Text      *column
	NeverNull bool
	Number    string
	Width     int // the integer's bytes: 4 if it cannot be negative, otherwise 8
}

// pieces holds the functions by which a dialect writes the parts of a message.
type pieces struct {
	unit   unitText                         // the text of a unit's column, as bytes
	length func(text string) string         // the number of bytes of a unit's text, as four bytes
	number func(x string, width int) string // an integer as width bytes: 4 (never negative) or 8
	bytes  func(hexadecimal string) string  // constant bytes
}

// exprs returns the SQL expression of each part of a message. The length of a unit's text precedes the text, so that
// different units have different messages.
func (w pieces) exprs(parts []part) (all []string) {
	for _, p := range parts {
		switch {
		case p.Unit != nil:
			text := w.unit(p.Unit.Expr, p.Unit.Type, p.Unit.Binary)
			all = append(all, w.length(text), text)
		case p.Text != nil:
			text := w.unit(p.Text.Expr, p.Text.Type, p.Text.Binary)
			if !p.NeverNull {
				text = "CASE WHEN " + p.Text.Expr + " IS NULL THEN " + w.bytes("ff") + " ELSE " + text + " END"
			}
			all = append(all, text)
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
