// Package redact hides the values that jobs take from the environment, which may be passwords, in messages.
package redact

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
)

// Environment looks variables up for jobs. It remembers their values in order to redact them in messages, since they
// may be passwords. The zero value is ready to use. It is safe for concurrent use.
type Environment struct {
	mu     sync.Mutex
	values map[string]string
}

// Lookup returns the value of a variable of this process; ok is false if it is not set.
func (e *Environment) Lookup(name string) (value string, ok bool) {
	value, ok = os.LookupEnv(name)
	if ok {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.values == nil {
			e.values = map[string]string{}
		}
		e.values[name] = value
	}
	return value, ok
}

// shortestSecret is the minimum length of a value that is redacted: a value of one or two characters occurs in every
// line.
const shortestSecret = 3

// Redact replaces each value that was looked up by ${env:NAME}, longer values first.
func (e *Environment) Redact(s string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	names := slices.SortedFunc(maps.Keys(e.values), func(a, b string) int {
		if d := len(e.values[b]) - len(e.values[a]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		if value := e.values[name]; len(value) >= shortestSecret {
			s = strings.ReplaceAll(s, value, "${env:"+name+"}")
		}
	}
	return s
}
