package mechanism

import (
	"crypto/rand"
	"io"
	"reflect"
	"strings"
	"sync/atomic"
)

// fixed is the number of tests that draw from their own reader instead of the system's.
var fixed atomic.Int32

// systemRandom returns the system's source of randomness. [rand.Reader] is a variable: any package of the program could
// replace it, and would then know the noise. So any reader that is not the standard library's is ErrRandom. The caller
// draws from the returned reader, since the variable could change after the check.
func systemRandom() (io.Reader, error) {
	r := rand.Reader
	of := reflect.TypeOf(r)
	if of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case fixed.Load() > 0:
		return r, nil
	case of == nil, of.PkgPath() != "crypto/rand" && !strings.HasPrefix(of.PkgPath(), "crypto/internal/"):
		return nil, ErrRandom
	}
	return r, nil
}
