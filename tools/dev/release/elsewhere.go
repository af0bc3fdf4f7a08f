package main

import (
	"os"
	"syscall"
)

// moveElsewhere changes the environment of this program and of all that it starts: time zone,
// language, user, date of files, folder for temporary files and mask of permissions. A build whose
// bytes depend on one of them then differs from the first one. In Kiritimati it is mostly another
// day, and Turkish has other capital letters.
func moveElsewhere(temporary string) error {
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return err
	}
	for _, v := range [][2]string{{"TZ", "Pacific/Kiritimati"}, {"LC_ALL", "tr_TR.UTF-8"},
		{"LANGUAGE", "tr"}, {"USER", "elsewhere"}, {"LOGNAME", "elsewhere"}, {"TMPDIR", temporary},
		{"SOURCE_DATE_EPOCH", "1700000000"}, {"NODE_ENV", "development"}} {
		if err := os.Setenv(v[0], v[1]); err != nil {
			return err
		}
	}
	syscall.Umask(0o077)
	return nil
}
