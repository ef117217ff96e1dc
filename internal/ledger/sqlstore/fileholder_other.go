//go:build !linux

package sqlstore

import "github.com/dprelease/dprelease/internal/ledger"

// fileHolder returns ledger.ErrBusy: these systems do not list who has locked a file.
func fileHolder(string) error { return ledger.ErrBusy }
