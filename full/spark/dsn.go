package spark

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// A connection string is a URL:
//
//	spark://user:password@host:port/database?transport=http&tls=true
//
//	transport  binary (the default), or http
//	path       the path of the service over http; cliservice is the default
//	auth       plain (the default: user and password, which a server without authentication ignores), nosasl (binary only),
//	           or bearer (http only: the password is a token)
//	tls        true, or false (the default): certificates are verified by the system's authorities, or by the
//	           authorities in the file that the environment's SSL_CERT_FILE names
//	timeout    how long the server may take to answer one message; 10m is the default. A statement may take longer: the
//	           driver asks for its state again and again
//	spark.…    a setting of the session; name and value have only letters, digits and _.:/-
type config struct {
	user, password, database string
	address                  string // host and port of the server
	http                     bool
	path, auth               string
	tls                      *tls.Config // TLS settings; nil without TLS
	timeout                  time.Duration
	settings                 map[string]string
}

// ofSetting matches the names and values that settings may have. They have no character that could end the SET
// statement.
var ofSetting = regexp.MustCompile(`^[A-Za-z0-9_.:/-]+$`)

// The ways to authenticate, and default values in connection strings.
const (
	authPlain      = "plain"
	authNoSASL     = "nosasl"
	authBearer     = "bearer"
	defaultPort    = "10000"
	defaultTimeout = 10 * time.Minute
)

// errDSN has no details: a connection string may hold a password.
var errDSN = errors.New("the connection string is not of the form spark://user:password@host:port/database")

func parseDSN(dsn string) (*config, error) {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme != "spark" || u.Hostname() == "" {
		return nil, errDSN
	}
	c := &config{
		user: u.User.Username(), address: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), defaultPort)),
		path: "cliservice", auth: authPlain, timeout: defaultTimeout,
		settings: map[string]string{},
	}
	c.password, _ = u.User.Password()
	if len(u.Path) > 1 {
		c.database = u.Path[1:]
	}
	settings, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errDSN
	}
	for name, values := range settings {
		if len(values) != 1 || !c.set(name, values[0], u.Hostname()) {
			return nil, errors.New("the connection string has an unknown setting, or one of an unknown value")
		}
	}
	if c.auth == authNoSASL && c.http || c.auth == authBearer && !c.http {
		return nil, errors.New("the connection string has an auth that its transport does not have")
	}
	return c, nil
}

// set sets an option that follows the question mark. ok is false if there is no such option, or if its value is wrong.
func (c *config) set(name, value, host string) (ok bool) {
	switch name {
	case "transport":
		c.http = value == "http"
		return value == "http" || value == "binary"
	case "path":
		c.path = value
		return true
	case "auth":
		c.auth = value
		return value == authPlain || value == authNoSASL || value == authBearer
	case "tls":
		if value == "true" {
			c.tls = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
		}
		return value == "true" || value == "false"
	case "timeout":
		d, err := time.ParseDuration(value)
		c.timeout = d
		return err == nil && d > 0
	}
	if strings.HasPrefix(name, "spark.") && ofSetting.MatchString(name) && ofSetting.MatchString(value) {
		c.settings[name] = value
		return true
	}
	return false
}
