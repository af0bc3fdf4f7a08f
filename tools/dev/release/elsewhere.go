package main

import (
	"os"
	"syscall"
)

// moveElsewhere gives this program, and all that it starts, an environment in which a build that
// depends on it would write other bytes: another time zone, in which the date is another, another
// language, user, date of files and folder for temporary files, and files that others cannot read.
// Turkish turns i into İ.
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
