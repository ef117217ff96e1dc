package configs

import (
	"slices"
	"strings"
	"time"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// timezone checks that the job's time zone is in the IANA database.
func (c *checker) timezone(at *yamltree.Path) {
	name := c.job.Input.Timezone
	if !c.isValid(at) || isZone(name) {
		return
	}
	hint := "write a name of the IANA database, such as Europe/Berlin"
	if _, secret := c.Src.Public[at.String()]; !secret {
		if meant := zoneLike(name); meant != "" {
			hint = "did you mean " + meant + "?"
		}
	}
	c.bad(at, CodeBadValue, c.Show(at, name)+" is not the name of a time zone", hint)
}

// isZone reports whether a name is in the IANA database. Local would mean another zone on another machine.
func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "" && name != "Local"
}

// zoneRegions are the first parts of the names of time zones.
var zoneRegions = []string{"Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}

// zoneLike returns the time zone that a word probably means: it lacks its region, or differs in capitals and at most
// one letter. It returns "" if there is none. Package time cannot list the zones, so zoneLike tries names.
func zoneLike(word string) string {
	word = strings.ReplaceAll(word, " ", "_")
	if len(word) < 5 || len(word) > 40 { // many short names differ in one letter
		return ""
	}
	names := []string{word}
	for _, region := range zoneRegions {
		names = append(names, region+"/"+word)
	}
	for i := range len(word) + 1 {
		before, after := word[:i], word[i:]
		for _, letter := range "abcdefghijklmnopqrstuvwxyz_/" {
			names = append(names, before+string(letter)+after)
			if after != "" {
				names = append(names, before+string(letter)+after[1:])
			}
		}
		if after != "" {
			names = append(names, before+after[1:])
		}
		if len(after) > 1 {
			names = append(names, before+after[1:2]+after[:1]+after[2:])
		}
	}
	for _, name := range names {
		if capitals := withCapitals(name); isZone(capitals) {
			return capitals
		}
		if isZone(name) {
			return name
		}
	}
	return ""
}

// withCapitals returns a name in lower case, but each of its words with a capital: Port_Of_Spain.
func withCapitals(name string) string {
	letters := []byte(strings.ToLower(name))
	for i, c := range letters {
		if begins := i == 0 || slices.Contains([]byte("/_-"), letters[i-1]); begins && 'a' <= c && c <= 'z' {
			letters[i] -= 'a' - 'A'
		}
	}
	return string(letters)
}
