package silence

import (
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"syscall"
)

// Reason returns why a server cannot be reached, in words that hold nothing of the connection string; "" if the error
// does not tell.
func Reason(err error) string {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &name) && name.IsNotFound:
		return "its host name is not known"
	case errors.As(err, &name):
		return "its host name cannot be looked up now"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at its host and port"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no network leads to its host"
	case errors.As(err, &certificate):
		return "its certificate is not one that this machine trusts for this host"
	case strings.Contains(err.Error(), "server refused TLS connection"): // pgx has no error of its own for this
		return "it does not offer TLS"
	}
	return ""
}
