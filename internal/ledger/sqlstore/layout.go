package sqlstore

const (
	applicationID = 0x6470726c // "dprl", in the file's header
	layout        = 1          // version of the tables
	incoming      = -1         // stands for the version while a ledger is copied into the store
)

// origin is the start of a new ledger. The zero origin is a ledger of its own.
type origin struct {
	secret []byte // the secret of the ledger that is copied; nil for a new secret
}

// version returns the version to store in a new ledger.
func (o origin) version() int {
	if o.secret != nil {
		return incoming
	}
	return layout
}

func (o origin) secretOrNew() ([]byte, error) {
	if o.secret != nil {
		return o.secret, nil
	}
	return newSecret()
}
