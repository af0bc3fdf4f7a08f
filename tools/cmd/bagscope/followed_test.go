package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A problem is a command line that gets advice, and how the advice is followed.
type problem struct {
	name string
	// about has words of the advice, if the command prints several.
	about string
	// args returns the command line. It writes the files that the command reads.
	args func(t *testing.T) []string
	// follow changes the command line, or a file of it, as the message says.
	follow func(t *testing.T, message string, args []string) []string
	// later has words of the error that then remains, of a later stage; "" is success.
	later string
}

// follows runs the command lines of problems, follows the advice that they print, and runs them
// again: the advice is gone.
func follows(t *testing.T, book *advice.Book, list []problem) {
	for _, p := range list {
		t.Run(p.name, func(t *testing.T) {
			args := p.args(t)
			_, out, errs := bagscope(t, args...)
			message := out + errs
			line := book.Read(t, message, p.about)
			args = p.follow(t, message, args)
			code, out, errs := bagscope(t, args...)
			if p.later == "" && code != 0 || !strings.Contains(errs, p.later) {
				t.Fatalf("%s\nthen\n%s", message, errs)
			}
			must.Equal(t, line.In(out+errs), false, out+errs)
		})
	}
}

// words returns a command line.
func words(line string, more ...string) []string { return append(strings.Fields(line), more...) }

// on returns a function that writes a model and a bag of instances of n numbers, or none for 0, and
// returns a command line about them.
func on(command string, m ot.Model, instances, n int) func(t *testing.T) []string {
	return func(t *testing.T) []string {
		args := words(command, "--model", writeTemp(t, "m.onnx", m.Bytes()))
		if n > 0 {
			args = append(args, "--bag", table(t, instances, n))
		}
		return args
	}
}

// table writes a bag of instances of n numbers.
func table(t *testing.T, instances, n int) string {
	var b strings.Builder
	b.WriteString("bag" + strings.Repeat(",f", n) + "\n")
	for i := range instances {
		b.WriteString("a")
		for j := range n {
			b.WriteString("," + []string{"1", "-2", ".5", "0", "3"}[(3*i+j)%5])
		}
		b.WriteString("\n")
	}
	return writeTemp(t, "bag.csv", []byte(b.String()))
}

// card follows a message that states an entry of the card with a key, in which words are replaced.
func card(key string, replace ...string) func(*testing.T, string, []string) []string {
	entry := regexp.MustCompile(`"` + key + `": (\{[^{}]*\}|"[a-zA-Z-]+"|-?[0-9.]+)`)
	return func(t *testing.T, message string, args []string) []string {
		found := strings.NewReplacer(replace...).Replace(entry.FindString(message))
		must.Equal(t, found != "", true, key, message)
		return append(args, "--card", writeTemp(t, "card.json", []byte("{"+found+"}")))
	}
}

// cardBeside writes a card beside a file of the command line, as NAME.bagscope.json.
func cardBeside(t *testing.T, model, text string) {
	path := strings.TrimSuffix(model, filepath.Ext(model)) + ".bagscope.json"
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// last returns the value behind a flag of a command line.
func last(args []string, name string) string {
	for i := range args {
		if args[i] == name {
			return args[i+1]
		}
	}
	return ""
}

// plus follows a message by a flag that it names, perhaps without dashes, with values.
func plus(setting string, values ...string) func(*testing.T, string, []string) []string {
	return func(t *testing.T, message string, args []string) []string {
		must.Contain(t, message, strings.TrimPrefix(setting, "--"))
		return append(append(args, setting), values...)
	}
}

// without follows a message by leaving out flags, each with its value.
func without(names ...string) func(*testing.T, string, []string) []string {
	return func(t *testing.T, message string, args []string) (out []string) {
		for i := 0; i < len(args); i++ {
			if len(names) > 0 && strings.Contains(strings.Join(names, " ")+" ", args[i]+" ") {
				must.Contain(t, message, args[i])
				i++
				continue
			}
			out = append(out, args[i])
		}
		return out
	}
}
