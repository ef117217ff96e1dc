// Package trino adds the driver of Trino to a program that imports it, for jobs with input.sql and driver: trino.
//
// The driver sends statements to a coordinator over HTTP. It repeats a request if that is safe, and cancels the
// statement on the server if its context ends.
package trino

import (
	"database/sql"
	"database/sql/driver"
	"net/http"
	"net/url"
	"time"

	trino "github.com/trinodb/trino-go-client/trino"

	"github.com/dprelease/dprelease/internal/silence"
)

// retries is how long the driver repeats a failed request. Longer would not help: after a restart the coordinator no
// longer has the statement.
const retries = 30 * time.Second

// cancelling is how long an interrupted run waits for the coordinator to cancel a statement.
const cancelling = 3 * time.Second

func init() {
	trino.DefaultRequestRetryTimeout, trino.DefaultCancelQueryTimeout = retries, cancelling
	sql.Register("dprelease-trino", &limited{})
}

// limited is the client's driver, with connections that fail if the coordinator is silent for [silence.Limit].
type limited struct{ trino.Driver }

// OpenConnector parses a connection string. The client takes TLS and proxies from the string only for transports of its
// own, which have no limit on silence. So OpenConnector moves these settings to its transport.
func (d *limited) OpenConnector(dsn string) (driver.Connector, error) {
	c, err := trino.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if _, err := trino.NewConnector(c); err != nil ||
		c.CustomClientName != "" { // a client that the program has registered
		return d.Driver.OpenConnector(dsn)
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = silence.Dialer(t.DialContext, silence.Limit, nil)
	if t.TLSClientConfig, err = c.TLSConfig(); err != nil {
		return nil, err
	}
	switch {
	case c.HTTPProxy != "":
		t.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: c.HTTPProxy})
	case c.SOCKSProxy != "":
		t.Proxy = http.ProxyURL(&url.URL{Scheme: "socks5", Host: c.SOCKSProxy})
	}
	c.SSLCert, c.SSLCertPath, c.SSLVerification, c.HTTPProxy, c.SOCKSProxy = "", "", "", "", ""
	c.SSLClientCert, c.SSLClientCertPath, c.SSLClientKey, c.SSLClientKeyPath = "", "", "", ""
	c.HTTPClient = &http.Client{Transport: t}
	return trino.NewConnector(c)
}
