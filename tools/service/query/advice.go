package query

import (
	"strings"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// A Door is a program whose users read errors. Its options that raise limits are in raisedBy.
type Door int

// The doors are the command line, cohorts on Apache Beam, and the HTTP server.
const (
	CommandDoor Door = iota
	CohortDoor
	ServerDoor
	PythonDoor
	doors int = iota
)

// raisedBy holds, for each limit of quota.LimitedError, the option of each door that raises it, or
// "". Flags of the server belong to its operator.
var raisedBy = map[string][doors]string{
	"memory":           {"--memory", "--memory", "--memory", "memory"},
	"bag.bytes":        {"--memory", "--memory", "--max-unpacked", ""},
	"bag.elements":     {"--memory", "--memory", "--memory", ""},
	"bag.pixels":       {"--memory", "--memory", "--max-pixels", ""},
	"bag.instances":    {"", "", "--max-instances", ""},
	"bag.bags":         {"", "", "--max-instances", ""},
	"bag.columns":      {"", "", "", ""},
	"model.modelBytes": {"--memory", "--memory", "--max-body", ""},
	"model.elements":   {"--memory", "--memory", "", ""},
	"model.runBytes":   {"--memory", "--memory", "--memory", ""},
	"model.work":       {"--max-work", "", "--max-work", ""},
	"model.nodes":      {"", "", "", ""},
	"model.depth":      {"", "", "", ""},
	"model.loopTrips":  {"", "", "", ""},
}

// smaller says what helps if a limit has no option.
var smaller = map[string]string{
	"bag.bytes":     "read the file in Python and give the array itself",
	"bag.elements":  "read the file in Python and give the array itself",
	"bag.pixels":    "scale the picture down, or cut it into several",
	"bag.instances": "split the file into smaller ones, or cut a picture with a larger stride",
	"bag.bags":      "split the file into smaller ones",
	"bag.columns":   "save the features as .npy instead of a table",
}

// RaisedBy returns the option of a door that raises the limit that err reports, such as --memory.
// It returns "" if there is none or err does not report a limit.
func RaisedBy(err error, d Door) string { return raisedBy[quota.ExceededLimit(err)][d] }

// ErrorText returns the text of err in one line, as a message of package msg. If err reports a
// limit, it adds what users of the door can do.
func ErrorText(err error, d Door) string {
	// The errors of errors.Join are on lines of their own.
	text := msg.Text(strings.ReplaceAll(err.Error(), "\n", " "))
	limit := quota.ExceededLimit(err)
	if limit == "" {
		return msg.Sprintf("%s", text)
	}
	option := raisedBy[limit][d]
	switch {
	case option == "" && smaller[limit] != "":
		return msg.Sprintf("%s; no option raises it: %s", text, smaller[limit])
	case option == "":
		return msg.Sprintf("%s; no option raises it", text)
	case d == ServerDoor && limit == "memory":
		return msg.Sprintf("%s; the key memory raises the limit of a request, and the operator's %s "+
			"that of the server", text, option)
	case d == ServerDoor:
		return msg.Sprintf("%s; the operator of the server can raise it by %s", text, option)
	}
	return msg.Sprintf("%s; %s raises the limit", text, option)
}
