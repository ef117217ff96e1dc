package configs

import "testing"

// A flaw names the key that the user must change.
func TestFlawsNameTheirKey(t *testing.T) {
	for _, c := range []struct{ from, to, width, every, key string }{
		{"0", "10", "5", "", ""}, {"a", "10", "5", "", "from"}, {"0", "0", "5", "", "to"}, {"0", "10", "-5", "",
			"width"}, {"0", "10", "3", "", "width"},
		{"0", "10", "1e-6", "", "width"}, {"0", "1e31", "1", "", "to"},
		{"2024-01-01", "2024-03-01", "", "month", ""}, {"2024-01", "2024-03-01", "", "month", "from"}, {"2024-01-31",
			"2024-03-31", "", "month", "from"},
		{"2024-01-01", "2024-03-02", "", "month", "to"}, {"2024-01-01", "2024-01-01", "", "day", "to"}, {"0001-01-01",
			"9999-01-01", "", "day", "every"},
	} {
		got, flaw := byWidth(c.from, c.to, c.width)
		if c.every != "" {
			got, flaw = byCalendar(c.from, c.to, c.every)
		}
		key := ""
		if flaw != nil {
			key = flaw.Key
		}
		if key != c.key || (len(got) > 0) != (c.key == "") {
			t.Errorf("%+v: %q, %d edges", c, key, len(got))
		}
	}
}
