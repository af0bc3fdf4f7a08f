package ask

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// A Program is a program whose users read errors. It determines how they write options, and which
// options raise limits.
type Program int

// The programs are the npm package with the page, the command line, cohorts on Apache Beam, the
// HTTP server and the Python package.
const (
	JavaScript Program = iota
	CommandLine
	Cohort
	Server
	Python
	programs int = iota
)

// Option returns the name that users of the program write for an option of core, or for a key of a
// request: mean-bag is --mean-bag on the command line, mean_bag in requests and Python, and meanBag
// in JavaScript.
func (p Program) Option(name string) string {
	switch p {
	case JavaScript:
		words := strings.Split(strings.ReplaceAll(name, "_", "-"), "-")
		for i, w := range words[1:] {
			first, size := utf8.DecodeRuneInString(w)
			words[i+1] = strings.ToUpper(string(first)) + w[size:]
		}
		return strings.Join(words, "")
	case CommandLine, Cohort:
		return name
	}
	return strings.ReplaceAll(name, "-", "_")
}

// State returns how users of the program state an option of core: --dtype bfloat16 on the command
// line, where a shell needs quotes around some values, dtype="bfloat16" in Python, dtype:
// "bfloat16" in JavaScript, and in requests "dtype": "bfloat16".
func (p Program) State(name, value string) string {
	switch p {
	case CommandLine:
		if strings.ContainsAny(value, "; #*'\"()&|<>$`\\") {
			value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
		}
		return "--" + name + " " + value
	case Python:
		return p.Option(name) + `="` + value + `"`
	case JavaScript:
		return p.Option(name) + `: "` + value + `"`
	}
	return `"` + Server.Option(name) + `": "` + value + `"`
}

// raisedBy holds, for each limit of quota.LimitedError, the option of each program that raises it,
// or "". Flags of the server belong to its operator.
var raisedBy = map[string][programs]string{
	"memory":           {"memory", "--memory", "--memory", "--memory", "memory"},
	"bag.bytes":        {"limits.bytes", "--memory", "--memory", "--max-unpacked", ""},
	"bag.elements":     {"limits.elements", "--memory", "--memory", "--memory", ""},
	"bag.pixels":       {"limits.pixels", "--memory", "--memory", "--max-pixels", ""},
	"bag.instances":    {"limits.instances", "", "", "--max-instances", ""},
	"bag.bags":         {"limits.bags", "", "", "--max-instances", ""},
	"bag.columns":      {"limits.columns", "", "", "", ""},
	"model.modelBytes": {"limits.modelBytes", "--memory", "--memory", "--max-body", ""},
	"model.elements":   {"limits.elements", "--memory", "--memory", "", ""},
	"model.runBytes":   {"limits.runBytes", "--memory", "--memory", "--memory", ""},
	"model.work":       {"limits.work", "--max-work", "", "--max-work", ""},
	"model.nodes":      {"limits.nodes", "", "", "", ""},
	"model.depth":      {"limits.depth", "", "", "", ""},
	"model.loopTrips":  {"limits.loopTrips", "", "", "", ""},
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

// RaisedBy returns the option of a program that raises the limit that err reports, such as
// --memory. It returns "" if there is none or err does not report a limit.
func RaisedBy(err error, p Program) string { return raisedBy[quota.ExceededLimit(err)][p] }

// ErrorText returns the text of err in one line, as a message of package msg. If err reports a
// limit, it adds what users of the program can do, and if it asks, how they answer.
func ErrorText(err error, p Program) string {
	// The errors of errors.Join are on lines of their own.
	text := msg.Text(strings.ReplaceAll(err.Error(), "\n", " "))
	var question *bagio.QuestionError
	if errors.As(err, &question) {
		text = msg.Text(strings.Replace(string(text), question.Error(), question.Text(p.State), 1))
	}
	limit := quota.ExceededLimit(err)
	if limit == "" {
		return msg.Sprintf("%s", text)
	}
	option := raisedBy[limit][p]
	switch {
	case option == "" && smaller[limit] != "":
		return msg.Sprintf("%s; no option raises it: %s", text, smaller[limit])
	case option == "":
		return msg.Sprintf("%s; no option raises it", text)
	case p == Server && limit == "memory":
		return msg.Sprintf("%s; the key memory raises the limit of a request, and the operator's "+
			"%s that of the server", text, option)
	case p == Server:
		return msg.Sprintf("%s; the operator of the server can raise it by %s", text, option)
	case p == JavaScript:
		return msg.Sprintf("%s; the option %s raises the limit", text, option)
	}
	return msg.Sprintf("%s; %s raises the limit", text, option)
}
