//go:build !unix

package command

func noCore() {}
