package source

// Exists looks for the input's files and opens none: nil if every path and pattern finds one. Errors: as Open.
func Exists(o Options) error {
	_, err := find(o)
	return err
}
