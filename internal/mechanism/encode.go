package mechanism

import "fmt"

// Format writes the number of cells for every verb, so that no log shows an answer.
func (e Exact) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "mechanism.Exact(%d cells)", e.Cells()) // Formatter has no way to return an error
}

// MarshalJSON returns ErrEncode.
func (Exact) MarshalJSON() ([]byte, error) { return nil, ErrEncode }

// MarshalText returns ErrEncode. encoding/xml and text log handlers call it.
func (Exact) MarshalText() ([]byte, error) { return nil, ErrEncode }

// MarshalBinary returns ErrEncode.
func (Exact) MarshalBinary() ([]byte, error) { return nil, ErrEncode }

// MarshalYAML returns ErrEncode.
func (Exact) MarshalYAML() (any, error) { return nil, ErrEncode }

// GobEncode returns ErrEncode.
func (Exact) GobEncode() ([]byte, error) { return nil, ErrEncode }
