package storestest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
)

// Tokens and keys with which clients sign in to the emulators.
const (
	// AzureAccount is the account that every azurite has.
	AzureAccount = "devstoreaccount1"
	// AzureKey is the key of that account.
	AzureKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
	// GoogleToken is the token that the emulator gives to accounts that may read and write.
	GoogleToken = "hush-token-of-the-test"
)

const (
	fakeGCS    = "github.com/fsouza/fake-gcs-server@v1.56.1"
	azurite    = "azurite@3.35.0"
	googleHost = "storage.googleapis.com"
	reader     = "reader@test.iam.gserviceaccount.com"
	stranger   = "stranger@test.iam.gserviceaccount.com"
)

// emulator returns the path of a program in the user's cache directory, where install puts it. It installs only with
// DPRELEASE_LONG=1, since that takes a minute of CPU time; otherwise the test is skipped.
func emulator(t testing.TB, path string, install func(dir string) *exec.Cmd) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(cache, "dprelease-test")
	path = filepath.Join(dir, path)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("DPRELEASE_LONG") == "" {
		t.Skip("the emulator is not installed: DPRELEASE_LONG=1 installs it")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := install(dir).CombinedOutput(); err != nil {
		t.Skipf("the emulator cannot be had: %v: %.200s", err, out)
	}
	return path
}

// StartGCS starts fake-gcs-server until the test ends, and sets the variable that lets clients use it without
// credentials.
func StartGCS(t testing.TB) *Server {
	t.Helper()
	s := startGCS(t, "")
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(s.proxy.URL, "http://"))
	return s
}

// startGCS starts fake-gcs-server, which answers requests for one host name: host or, if that is "", the name of its
// proxy.
func startGCS(t testing.TB, host string) *Server {
	t.Helper()
	program := emulator(t, "fake-gcs-server", func(dir string) *exec.Cmd {
		cmd := exec.Command("go", "install", fakeGCS)
		cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
		return cmd
	})
	s := &Server{Scheme: "gs"}
	s.serve(t, func(at string) *exec.Cmd {
		name, port, _ := net.SplitHostPort(at)
		if host == "" {
			host = s.proxy.Listener.Addr().String()
		}
		return exec.Command(program, "-scheme", "http", "-host", name, "-port", port, "-backend", "memory", "-public-host",
			host, "-log-level", "error")
	})
	s.put = func(key string, content []byte) error {
		return posted(s.Direct+"/upload/storage/v1/b/bucket/o?uploadType=media&name="+url.QueryEscape(key), content)
	}
	if err := posted(s.Direct+"/storage/v1/b?project=test", []byte(`{"name": "bucket"}`)); err != nil {
		t.Fatal(err)
	}
	return s
}

func posted(address string, content []byte) error {
	r, err := http.Post(address, "application/json", bytes.NewReader(content))
	if err != nil {
		return err
	}
	_ = r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return errors.New(r.Status)
	}
	return nil
}

// Google is fake-gcs-server in place of Google's host, for processes that the test starts. Requests need a token, and
// only the account in the file Credentials gets one.
type Google struct {
	*Server
	// Authority is the certificate of the server, in PEM. SSL_CERT_FILE names a file with it. A test may set
	// SSL_CERT_FILE to another file that also contains it.
	Authority []byte
	// Credentials, Stranger and Revoked are files of service accounts: one that may use the bucket, one that may not,
	// and one whose key was revoked.
	Credentials, Stranger, Revoked string
}

// StartGoogle starts fake-gcs-server until the test ends, behind a proxy that acts as Google's host and requires
// credentials. It sets the variables of processes that the test starts. The test's own process does not use it, since
// Go reads these variables once: write objects by Server.Put.
func StartGoogle(t testing.TB) *Google {
	t.Helper()
	g := &Google{Server: startGCS(t, googleHost)}
	certificate := g.certificate(t)
	tlsServer := httptest.NewUnstartedServer(http.HandlerFunc(g.authorize))
	tlsServer.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	tlsServer.Config.ErrorLog = log.New(io.Discard, "", 0)
	tlsServer.StartTLS()
	t.Cleanup(tlsServer.Close)
	tunnel := httptest.NewServer(tunnelTo(tlsServer.Listener.Addr().String()))
	t.Cleanup(tunnel.Close)
	tokens := httptest.NewServer(http.HandlerFunc(giveToken))
	t.Cleanup(tokens.Close)
	dir := t.TempDir()
	g.Credentials = account(t, dir, reader, tokens.URL)
	g.Stranger = account(t, dir, stranger, tokens.URL)
	g.Revoked = account(t, dir, "revoked", tokens.URL)
	trusted := filepath.Join(dir, "authority.pem")
	if err := os.WriteFile(trusted, g.Authority, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HTTPS_PROXY": tunnel.URL, "https_proxy": tunnel.URL, "NO_PROXY": "", "no_proxy": "", "SSL_CERT_FILE": trusted,
		"STORAGE_EMULATOR_HOST":          "",
		"GOOGLE_APPLICATION_CREDENTIALS": g.Credentials, "HOME": dir,
	} {
		t.Setenv(name, value)
	}
	return g
}

// authorize passes on requests that have the token.
func (g *Google) authorize(w http.ResponseWriter, r *http.Request) {
	switch r.Header.Get("Authorization") {
	case "Bearer " + GoogleToken:
		g.proxy.Config.Handler.ServeHTTP(w, r)
	case "":
		w.WriteHeader(http.StatusUnauthorized)
	default:
		w.WriteHeader(http.StatusForbidden)
	}
}

// giveToken gives accounts their tokens. It does not verify signatures.
func giveToken(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.FormValue("assertion"), ".")
	var claims struct {
		Iss string `json:"iss"`
	}
	if len(parts) == 3 {
		raw, _ := base64.RawURLEncoding.DecodeString(parts[1])
		_ = json.Unmarshal(raw, &claims) // if this fails, the request is unsigned
	}
	token, ok := map[string]string{reader: GoogleToken, stranger: "hush-token-of-a-stranger"}[claims.Iss]
	w.Header().Set("Content-Type", "application/json")
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error": "invalid_grant", "error_description": "hush: Invalid JWT Signature."}`)
		return
	}
	_, _ = fmt.Fprintf(w, `{"access_token": %q, "token_type": "Bearer", "expires_in": 3600}`, token)
}

// account writes the file of a service account.
func account(t testing.TB, dir, email, tokens string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "test", "private_key_id": "1", "client_email": email, "client_id": "1",
		"token_uri":   tokens,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})),
	})
	path := filepath.Join(dir, email+".json")
	if err := errors.Join(err, os.WriteFile(path, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// certificate makes the certificate of Google's host.
func (g *Google) certificate(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{googleHost}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true, IsCA: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	g.Authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

// tunnelTo returns a proxy that connects requests for Google's host to one server.
func tunnelTo(at string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != googleHost+":443" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		to, err := net.Dial("tcp", at)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		from, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			_ = to.Close()
			return
		}
		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(to, buffered) // copy until either side ends
			_, _ = to.Close(), from.Close()
		}()
		_, _ = io.Copy(from, to)
		_, _ = to.Close(), from.Close()
	})
}

// StartAzure starts azurite until the test ends, and sets the variables by which started processes find it. In the
// test's own process, the URL of an object needs AzureOptions.
func StartAzure(t testing.TB) *Server {
	t.Helper()
	program := emulator(t, filepath.Join("azurite", "node_modules", ".bin", "azurite-blob"), func(dir string) *exec.Cmd {
		return exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix",
			filepath.Join(dir, "azurite"), azurite)
	})
	dir, s := t.TempDir(), &Server{Scheme: "az"}
	s.serve(t, func(at string) *exec.Cmd {
		name, port, _ := net.SplitHostPort(at)
		return exec.Command(program, "--silent", "--skipApiVersionCheck", "--location", dir, "--blobHost", name, "--blobPort",
			port, "--disableTelemetry")
	})
	key, err := azblob.NewSharedKeyCredential(AzureAccount, AzureKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azblob.NewClientWithSharedKeyCredential(s.Direct+"/"+AzureAccount, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreateContainer(t.Context(), "bucket", nil); err != nil {
		t.Fatal(err)
	}
	s.put = func(key string, content []byte) error {
		_, err := client.UploadBuffer(context.Background(), "bucket", key, content, nil)
		return err
	}
	for name, value := range map[string]string{
		"AZURE_STORAGE_ACCOUNT": AzureAccount, "AZURE_STORAGE_KEY": AzureKey, "AZURE_STORAGE_PROTOCOL": "http",
		"AZURE_STORAGE_DOMAIN": strings.TrimPrefix(s.proxy.URL, "http://"), "AZURE_STORAGE_IS_LOCAL_EMULATOR": "true",
	} {
		t.Setenv(name, value)
	}
	return s
}

// AzureOptions returns the URL options by which the test's own process finds azurite, without the question mark.
func (s *Server) AzureOptions() string {
	return "localemu=true&protocol=http&domain=" + strings.TrimPrefix(s.proxy.URL, "http://")
}
