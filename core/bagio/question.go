package bagio

import (
	"strings"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// A QuestionError reports a file that can be meant in several ways, which give other results. The
// caller answers by an option of [ReadOptions].
type QuestionError struct {
	File    string
	Seen    string // continues the file's name: "its values are 16-bit integers"
	Option  string // name of the option: "dtype"
	Answers []Answer
}

// An Answer is a value of the option of a [QuestionError], and what is the case if it is right:
// "they are bfloat16".
type Answer struct{ Value, Meaning string }

// Error returns the question with the name of the option.
func (e *QuestionError) Error() string {
	return msg.Sprintf("%s", msg.Text(e.Text(stateByName)))
}

// stateByName returns an option with a value in the words of core.
func stateByName(option, value string) string { return option + " " + value }

// Text returns the question for readers who state an option as write returns it.
func (e *QuestionError) Text(write func(option, value string) string) string {
	var ways []string
	for _, a := range e.Answers {
		ways = append(ways, msg.Sprintf("%s if %s", msg.Text(write(e.Option, a.Value)),
			msg.Text(a.Meaning)))
	}
	return msg.Sprintf("%s: %s; state %s", e.File, msg.Text(e.Seen),
		msg.Text(strings.Join(ways, ", or ")))
}

// Kind returns "format".
func (e *QuestionError) Kind() string { return kind.Format }
