package sqlstore

const (
	applicationID = 0x6470726c // "dprl", in the file's header
	layout        = 1          // version of the tables
	incoming      = -1         // in the place of the version while a ledger is being copied here
)

// origin is what a new ledger begins with. The zero origin is a ledger of its own.
type origin struct {
	secret []byte // of the ledger that is copied; nil: a new one
}

// version is what stands for the layout's version in a new ledger.
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
