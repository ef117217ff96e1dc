package manifest

import (
	"strings"
	"testing"
)

// A text that is not a manifest is refused without quoting it, and so is a manifest of another format.
func TestParse(t *testing.T) {
	text, err := Manifest{Name: "job", Job: []byte("{}")}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	if m, err := Parse(text); err != nil || m.Format != Format || m.Name != "job" {
		t.Errorf("%+v, %v", m, err)
	}
	another := "has another format than dprelease/1: a newer version of the program may read it"
	for text, want := range map[string]string{
		"":                                       "is damaged, or of another version",
		"{":                                      "is damaged, or of another version",
		good[:len(good)/2]:                       "is damaged, or of another version",
		good + "{}":                              "has something after its end",
		"{}":                                     another,
		`{"format": "dprelease/2"}`:              another,
		`{"format": "dprelease/1", "secret": 7}`: "is damaged, or of another version",
		strings.Replace(good, Format, SyntheticFormat, 1): ErrSynthetic.Error(),
	} {
		if _, err := Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}
