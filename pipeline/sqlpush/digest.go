package sqlpush

import (
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/unittexts"
)

// The messages that digests are of, as queries/internal/sampling/sample.go has them
//
// What a message is made of is said here once for all dialects; a dialect says how it writes a piece of it.

// pieces is how a dialect writes the pieces of a message.
type pieces struct {
	unit   unittexts.Writer                 // the text of a unit's column, as bytes
	length func(text string) string         // the number of bytes of a unit's text, in four bytes
	number func(x string, width int) string // a number in 4 bytes, if it is not negative, or in 8
	bytes  func(hexadecimal string) string  // bytes that are always the same
}

// of are the pieces of a message, one after the other: before the text of a unit's column its length, so that no two units have the same message.
func (w pieces) of(parts []Part) (all []string) {
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
			all = append(all, w.bytes(expr.Hexadecimal(p.Bytes)))
		}
	}
	return all
}
