//go:build unix && !aix && !solaris

package cli

import (
	"errors"
	"os"
	"syscall"
)

// lockFile reports whether no other process, and no other caller, writes a file. The lock ends when
// the file is closed, also if the process is killed. File systems without locks have none.
func lockFile(file *os.File) bool {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK)
}
