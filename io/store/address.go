package store

import (
	"errors"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Address is the URL of an object in a store, or a pattern of such URLs: scheme://bucket/key?options.
type Address struct {
	Scheme string
	Bucket string // for https, the host
	// Key is the object's name without escapes; for https, the path with its escapes.
	Key string
	// Options is the query string. It may hold a signature, so it is never shown.
	Options string
}

// IsAddress reports whether a path is a URL rather than a file of this machine.
func IsAddress(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && schemeText.MatchString(scheme)
}

var (
	schemeText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	// options matches the query string after the last question mark; in a key, a question mark may be a wildcard.
	options = regexp.MustCompile(`\?([A-Za-z][A-Za-z0-9_-]*=[^?]*)$`)
)

// The errors for a malformed URL. They quote nothing of it.
var (
	ErrAddress  = errors.New("the address is malformed")
	ErrPlain    = errors.New("http is not encrypted and does not authenticate the server")
	ErrUserinfo = errors.New("the address holds a name or a password")
	ErrPattern  = errors.New("files on a web server cannot be listed")
)

// ParseAddress parses a URL.
func ParseAddress(s string) (Address, error) {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || !schemeText.MatchString(scheme) {
		return Address{}, ErrAddress
	}
	a := Address{Scheme: strings.ToLower(scheme)}
	switch a.Scheme {
	case "http":
		return a, ErrPlain
	case "https":
		return a.parseWeb(s)
	}
	if at := options.FindStringSubmatchIndex(rest); at != nil {
		rest, a.Options = rest[:at[0]], rest[at[2]:at[3]]
	}
	a.Bucket, a.Key, _ = strings.Cut(rest, "/")
	switch {
	case strings.Contains(a.Bucket, "@"):
		return a, ErrUserinfo
	case a.Bucket == "" || strings.HasPrefix(a.Key, "/"):
		return a, ErrAddress
	}
	return a, nil
}

func (a Address) parseWeb(s string) (Address, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || u.Fragment != "":
		return a, ErrAddress
	case u.User != nil:
		return a, ErrUserinfo
	case strings.ContainsAny(u.EscapedPath(), "*[") || strings.HasSuffix(u.Path, "/"):
		return a, ErrPattern
	}
	a.Bucket = strings.TrimSuffix(strings.ToLower(u.Host), ":443")
	a.Key, a.Options = strings.TrimPrefix(path.Clean(u.EscapedPath()), "/"), u.RawQuery
	return a, nil
}

// Base returns the last part of the key. Messages name the object by it.
func (a Address) Base() string {
	base := path.Base("/" + a.Key)
	if a.Scheme == "https" {
		if plain, err := url.PathUnescape(base); err == nil {
			return plain
		}
	}
	return base
}

// Base returns the last part of a path or of a URL, without the query string.
func Base(place string) string {
	if a, err := ParseAddress(place); err == nil {
		return a.Base()
	}
	if i := strings.IndexByte(place, '?'); i >= 0 && IsAddress(place) {
		place = place[:i]
	}
	return path.Base(place)
}

// String returns the address without its options.
func (a Address) String() string { return a.Scheme + "://" + a.Bucket + "/" + a.Key }

// At returns the address of another object in the same bucket.
func (a Address) At(key string) Address {
	a.Key = key
	return a
}

// Pattern returns the part of the key before the first wildcard, so that a store can list the objects with this prefix.
// ok is false if the key is not a pattern. A pattern has one of * ? [, or ends with a slash and stands for all keys
// below it.
func (a Address) Pattern() (prefix string, ok bool) {
	if i := strings.IndexAny(a.Key, `*?[\`); i >= 0 {
		return a.Key[:i], true
	}
	return a.Key, a.Key == "" || strings.HasSuffix(a.Key, "/")
}

// Matches reports whether the pattern matches a key. A star matches any characters except slashes. A wildcard at the
// beginning of a name does not match a dot (HasHiddenName). A pattern that ends with a slash does not match names that
// begin with a dot or an underscore: other programs use them for their own files.
func (a Address) Matches(key string) bool {
	if a.Key == "" || strings.HasSuffix(a.Key, "/") && !strings.ContainsAny(a.Key, `*?[\`) {
		for part := range strings.SplitSeq(strings.TrimPrefix(key, a.Key), "/") {
			if part == "" || part[0] == '.' || part[0] == '_' && !strings.Contains(part, "=") {
				return false
			}
		}
		return true
	}
	ok, err := path.Match(a.Key, key)
	return err == nil && ok && !HasHiddenName(a.Key, key)
}

// HasHiddenName reports whether a name in the path begins with a dot, and that name in the pattern with a wildcard.
// Such files are not meant, as in a shell: macOS, for example, writes ._trips.csv beside trips.csv. The pattern matches
// the path, and both are clean and have slashes.
func HasHiddenName(pattern, path string) bool {
	names := strings.Split(path, "/")
	for i, part := range strings.Split(pattern, "/") {
		if i < len(names) && strings.HasPrefix(names[i], ".") && strings.IndexAny(part, `*?[`) == 0 {
			return true
		}
	}
	return false
}

// Covers reports whether pattern, which is the URL of an object or a pattern of URLs, matches the URL address. It does
// not compare options.
func Covers(pattern, address string) bool {
	p, err1 := ParseAddress(pattern)
	a, err2 := ParseAddress(address)
	if err1 != nil || err2 != nil || p.Scheme != a.Scheme || p.Bucket != a.Bucket {
		return false
	}
	_, many := p.Pattern()
	return p.Key == a.Key || many && p.Scheme != "https" && p.Matches(a.Key)
}

// WithoutQuery returns a path or URL without the query string of a web server's URL, which may hold a signature.
func WithoutQuery(place string) string {
	if a, err := ParseAddress(place); err == nil && a.Scheme == "https" {
		return a.String()
	}
	return place
}
