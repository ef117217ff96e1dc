package table

import "strconv"

// Kind is the logical kind of a column's values.
type Kind uint8

// The kinds. Each comment names the slice of Values that holds the values.
const (
	Invalid   Kind = iota // none: this version cannot read the type
	Bool                  // Ints: 0 or 1
	Int                   // Ints
	Uint                  // Ints, the bits of a uint64
	Float                 // Floats
	String                // Offsets and Data: bytes, UTF-8 by convention
	Date                  // Ints: days since 1970-01-01
	Timestamp             // Ints: multiples of Type.Unit since 1970-01-01T00:00:00 (UTC, or local if Type.Zone is "local")
	List                  // Floats: lists of numbers; Column.Lists divides Floats into lists
)

var kindNames = [...]string{"invalid", "bool", "int", "uint", "float", "text", "date", "timestamp", "list of numbers"}

// String returns the kind's name as a user writes it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// The values of Type.Zone.
const (
	UTC   = "UTC"
	Local = "local"
)

// Type is a column's type. Two columns have the same type if and only if their Types are equal.
type Type struct {
	Kind Kind
	// Unit is the length of one timestamp unit in nanoseconds: 1, 1e3, 1e6 or 1e9.
	Unit int64
	// Zone is "UTC" for instants, and "local" for wall-clock times without a zone.
	Zone string
	// Name names a type of kind Invalid in messages (struct, time, …); empty for other kinds.
	Name string
}

// String describes the type in messages.
func (t Type) String() string {
	switch t.Kind {
	case Timestamp:
		return "timestamp[" + unitName(t.Unit) + ", " + t.Zone + "]"
	case Invalid:
		if t.Name != "" {
			return t.Name
		}
	}
	return t.Kind.String()
}

func unitName(unit int64) string {
	switch unit {
	case 1:
		return "ns"
	case 1e3:
		return "us"
	case 1e6:
		return "ms"
	case 1e9:
		return "s"
	}
	return strconv.FormatInt(unit, 10) + "ns"
}
