//go:build !unix || aix || solaris

package cli

import "os"

// lockFile reports true: the standard library has no locks of files here.
func lockFile(*os.File) bool { return true }
