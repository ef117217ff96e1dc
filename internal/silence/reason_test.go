package silence_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"

	"github.com/dprelease/dprelease/internal/silence"
)

// A reason has words of its own. It never has those of the error, which can quote a connection string.
func TestReason(t *testing.T) {
	for want, err := range map[string]error{
		"its host name is not known":            &net.DNSError{Err: "no such host", Name: "secret", IsNotFound: true},
		"its host name cannot be looked up now": &net.DNSError{Err: "i/o timeout", Name: "secret", IsTimeout: true},
		"nothing listens at its host and port":  errors.Join(errors.New("secret"), &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}),
		"no network leads to its host":          syscall.EHOSTUNREACH,
		"its certificate is not one that this machine trusts for this host": fmt.Errorf("secret: %w",
			&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}),
		"it does not offer TLS": errors.New("secret: server refused TLS connection"),
	} {
		if got := silence.Reason(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
	if got := silence.Reason(errors.New("secret")) + silence.Reason(nil); got != "" {
		t.Error(got)
	}
}
