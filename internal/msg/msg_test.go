package msg

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// A name is a text with a method.
type name struct{ text string }

func (n name) String() string { return n.text }

// What is short and visible is printed as fmt prints it.
func TestSprintfIsThatOfFmt(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
	}{
		{"%q is not %s: %v", []any{"a\tb", "ü 漢", errors.New("it is wrong")}},
		{"%d of %v, %s, %q", []any{3, time.Second, name{"a"}, name{"b"}}},
		{"%v %d %q %s", []any{[]int{1, 2}, []int{}, []string{"a", "b"}, []byte("c")}},
		{"%x %c %5.2f %-8s| %.2q %+d %T", []any{[]byte{1, 2}, 'x', 1.5, "a", "abc", 2, nil}},
		{"%v %v %v", []any{nil, (*name)(nil), map[string]int{"a": 1}}},
		{"%[2]s %[1]s %d", []any{"a", "b"}}, // too few
		{"%s", []any{strings.Repeat("a", Name)}},
	} {
		want := fmt.Sprintf(c.format, c.args...)
		must.Equal(t, Sprintf(c.format, c.args...), want)
	}
}

func TestSprintfShortens(t *testing.T) {
	const giant = 1 << 20
	long, hidden := strings.Repeat("ü", giant/2), strings.Repeat("\x01", giant)
	const mark = "… (1048576 bytes)"
	_, number := strconv.Atoi(hidden)
	for _, c := range []struct {
		name, format string
		arg          any
		want         string
	}{
		{"quoted", "%q", long, `"` + long[:Quote] + `"` + mark},
		{"quoted and escaped", "%q", hidden, `"` + strings.Repeat(`\x01`, Quote/4) + `"` + mark},
		{"plain", "%s", long, long[:Name] + mark},
		{"escaped", "%v", hidden, strings.Repeat(`\x01`, Name/4) + mark},
		{"short and escaped", "%s", "a\n\u202eb", `a\n\u202eb`},
		{"bytes", "%q", []byte(long), `"` + long[:Quote] + `"` + mark},
		{"a Stringer", "%v", name{long}, long[:Name] + mark},
		{"entries", "%q", []string{"a", long}, `["a" "` + long[:Quote] + `"` + mark + `]`},
		{"any", "%v", []any{1, hidden}, "[1 " + strings.Repeat(`\x01`, Name/4) + mark + "]"},
		{"a map", "%v", map[string]string{"a": long},
			"map[a:" + long[:Name-6] + "… (1048583 bytes)"},
		{"a long list", "%v", make([]int, 100), "[" + strings.Repeat("0 ", 64) + "and 36 more]"},
		{"a number", "%v", number, "strconv.Atoi: parsing \"" +
			strings.Repeat(`\x01`, Quote/4) + `"` + mark + ": invalid syntax"},
		{"a path", "%v", &fs.PathError{Op: "open", Path: "a\nb", Err: fs.ErrNotExist},
			`open a\nb: file does not exist`},
		{"a text", "%s", Text("a\n" + strings.Repeat("b", Name+1)),
			`a\n` + strings.Repeat("b", Name+1)},
		{"a list", "%s", List([]string{"a", "b\n", hidden}),
			`a, b\n, ` + strings.Repeat(`\x01`, Quote/4) + mark},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Equal(t, Sprintf(c.format, c.arg), c.want)
		})
	}
}

// A message has at most Whole bytes, whatever its arguments, and so has one that quotes it.
func TestMessagesAreBounded(t *testing.T) {
	text := Sprintf(strings.Repeat("%s", 30), any30(strings.Repeat("a", 1<<10))...)
	again := Sprintf("%s and %s", Text(text), Text(text))
	for _, text := range []string{text, again, Cut(strings.Repeat("ü", Whole)),
		string(List(make([]string, 10*Whole))), Errorf("%w%w", errors.New(text),
			errors.New(text)).Error()} {
		must.Equal(t, len(text) <= Whole, true, len(text))
		must.Equal(t, len(text) >= Whole/2, true, len(text))
		must.Equal(t, strings.Contains(text, "\ufffd"), false, "a character is cut")
		if !strings.HasSuffix(text, " bytes)") && !strings.HasSuffix(text, " more") {
			t.Errorf("a message ends with %q", text[len(text)-30:])
		}
	}
}

func any30(v any) []any {
	out := make([]any, 30)
	for i := range out {
		out[i] = v
	}
	return out
}

// Errors can be unwrapped, shortened or not.
func TestErrorfWraps(t *testing.T) {
	for _, text := range []string{"a", strings.Repeat("a", 2*Whole), "a\nb"} {
		cause := &fs.PathError{Op: "open", Path: text, Err: fs.ErrNotExist}
		err := Errorf("%s: %w", strings.Repeat("b", 50), cause)
		var found *fs.PathError
		if !errors.As(err, &found) || found != cause || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%.50q loses its cause", text)
		}
		must.Equal(t, len(err.Error()) <= Whole, true, err)
		must.Equal(t, strings.Contains(err.Error(), "\n"), false, err)
	}
	must.Equal(t, Errorf("a: %w", errors.New("x")).Error(), "a: x", "a short text is changed")
}

func TestFit(t *testing.T) {
	list := []string{strings.Repeat("a", Whole-1), "b", "c"}
	must.Equal(t, len(Fit(list, func(s string) int { return len(s) })), 2)
	must.Equal(t, len(Fit(list[1:], func(s string) int { return len(s) })), 2)
}

// The text of a giant argument is never built.
func TestSprintfAllocatesLittle(t *testing.T) {
	giant := strings.Repeat("\x01", 1<<24)
	bytes := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			Sprintf("%q %s %v", giant, giant, []string{giant})
		}
	}).AllocedBytesPerOp()
	must.Equal(t, bytes <= 1<<16, true, bytes)
}
