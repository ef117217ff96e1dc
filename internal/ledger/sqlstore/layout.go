package sqlstore

const (
	applicationID = 0x6470726c // "dprl": marks the file's header as a ledger's
	layout        = 1          // the version of the tables
	incoming      = -1         // the version of an unfinished copy, until the copy is complete
)

// origin describes how a new store starts: as a new ledger (the zero origin), or as the copy of another.
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

func (o origin) secretOrNew() []byte {
	if o.secret != nil {
		return o.secret
	}
	return newSecret()
}
