// Command release-stores is release with object stores: s3://, gs:// and az:// in jobs, and for release publish.
package main

import (
	"os"

	"github.com/dprelease/dprelease/cmd/release/command"
	"github.com/dprelease/dprelease/stores"
)

func main() {
	stores.Register()
	os.Exit(command.Main())
}
