package mechanism

import "fmt"

// Format writes the number of cells and nothing else, whatever the verb.
func (e Exact) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "mechanism.Exact(%d cells)", e.Cells()) // Formatter has no way to return an error
}

// MarshalJSON returns ErrSealed.
func (Exact) MarshalJSON() ([]byte, error) { return nil, ErrSealed }

// MarshalText returns ErrSealed. encoding/xml and text log handlers call it, too.
func (Exact) MarshalText() ([]byte, error) { return nil, ErrSealed }

// MarshalBinary returns ErrSealed.
func (Exact) MarshalBinary() ([]byte, error) { return nil, ErrSealed }

// MarshalYAML returns ErrSealed.
func (Exact) MarshalYAML() (any, error) { return nil, ErrSealed }

// GobEncode returns ErrSealed.
func (Exact) GobEncode() ([]byte, error) { return nil, ErrSealed }
