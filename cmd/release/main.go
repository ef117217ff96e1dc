// Command release turns a private table into a differentially private data release.
package main

import (
	"os"

	"github.com/dprelease/dprelease/cmd/release/command"
)

func main() { os.Exit(command.Main()) }
