package mechanism

import (
	"crypto/rand"
	"io"
	"reflect"
	"strings"
	"sync/atomic"
)

// fixed is above 0 while tests of this module draw from a reader of their own.
var fixed atomic.Int32

// systemRandom returns the system's source of randomness. It is a variable, [rand.Reader], that every package of a
// program can set. A program that sets it would know the noise, so any reader except the standard library's is
// ErrRandom. The reader is returned, so that the one that was looked at is the one that is read.
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
