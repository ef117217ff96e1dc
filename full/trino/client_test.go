package trino_test

import (
	"database/sql"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// The driver verifies the server with the certificate in the connection string, and connects through the proxy in it.
func TestSettingsOfTheConnection(t *testing.T) {
	seen := "" // the host in the request that the proxy received
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = "answered " + r.URL.Host
		_, _ = io.WriteString(w, `{"id": "a", "stats": {"state": "FINISHED"}}`)
	})
	secure, plain := httptest.NewTLSServer(answer), httptest.NewServer(answer)
	t.Cleanup(secure.Close)
	t.Cleanup(plain.Close)
	cert := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(cert, block, 0o600); err != nil {
		t.Fatal(err)
	}
	proxy, _ := url.Parse(plain.URL)
	host, _ := url.Parse(secure.URL)
	for dsn, want := range map[string]string{
		"https://me@" + host.Host + "?SSLCertPath=" + url.QueryEscape(cert): "answered ",
		"https://me@" + host.Host:                              "",
		"http://me@trino.example:8080?httpProxy=" + proxy.Host: "answered trino.example:8080",
		"http://me@trino.example?httpProxy=a:1&socksProxy=b:1": "",
	} {
		db, err := sql.Open("dprelease-trino", dsn)
		if err != nil {
			t.Fatal(err)
		}
		seen = ""
		_, err = db.ExecContext(t.Context(), "SELECT 1")
		_ = db.Close()
		if seen != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, want %q: %v", dsn, seen, want, err)
		}
	}
}
