package private

import (
	"slices"
	"testing"

	"golang.org/x/sys/windows"
)

// An entry of a folder's access list that only what is made in it inherits is counted if that is asked for.
func TestInheritOnlyEntries(t *testing.T) {
	for _, c := range []struct {
		entries      string
		rights       windows.ACCESS_MASK
		here, within bool
	}{
		{"(A;OIIO;GR;;;BU)", Read | Write, false, true},
		{"(A;OICIIO;GA;;;WD)", Replace, false, true},
		{"(A;OI;GR;;;BU)", Read | Write, true, true},
		{"(A;OICIIO;GA;;;CO)(A;OICIIO;GA;;;BA)", Read | Write, false, false},
		{"(D;OIIO;GR;;;BU)", Read | Write, false, false},
	} {
		sd, err := windows.SecurityDescriptorFromString("O:SYD:P(A;OICI;FA;;;SY)" + c.entries)
		if err != nil {
			t.Fatal(err)
		}
		for _, within := range []bool{false, true} {
			who, err := holders(sd, c.rights, within)
			if want := c.here || within && c.within; err != nil || (len(who) > 0) != want {
				t.Errorf("%s, within %v: %q, %v", c.entries, within, slices.Sorted(slices.Values(who)), err)
			}
		}
	}
}
