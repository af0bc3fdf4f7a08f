package cli

import (
	_ "embed"
	"strings"
)

//go:generate cp ../../../../version.txt version.txt
//go:embed version.txt
var versionFile string

// Version returns the version of this build, such as 0.1.0.
func Version() string { return strings.TrimSpace(versionFile) }
