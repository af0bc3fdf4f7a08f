// Package must ends a test where a call or a value is not as it must be. The arguments called about
// name the case in the message.
package must

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Do ends the test with the error of a call, unless it is nil.
func Do(t testing.TB, err error, about ...any) {
	if err != nil {
		t.Helper()
		t.Fatalf("%s%v", text(about), err)
	}
}

// Get takes the results of a call. The function that it returns gives the value, or ends the test
// with the error: data := must.Get(os.ReadFile(name))(t).
func Get[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Err takes the results of a call and returns the error: must.Fail(t, must.Err(Read(name))).
func Err[T any](_ T, err error) error { return err }

// Fail ends the test unless err is an error with all words.
func Fail(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	Contain(t, err.Error(), words...)
}

// As ends the test unless err is an error of the type of target, with all words. It sets target.
func As[E error](t testing.TB, err error, target *E, words ...string) {
	t.Helper()
	if !errors.As(err, target) {
		t.Fatalf("error %v is a %T, want a %T", err, err, *target)
	}
	Fail(t, err, words...)
}

// Is ends the test unless err is or wraps target.
func Is(t testing.TB, err, target error, about ...any) {
	if !errors.Is(err, target) {
		t.Helper()
		t.Fatalf("%serror %v, want %v", text(about), err, target)
	}
}

// Contain ends the test unless a text contains all words.
func Contain(t testing.TB, text string, words ...string) {
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Helper()
			t.Fatalf("no %q in %q", word, text)
		}
	}
}

// Equal ends the test unless a value is the wanted one.
func Equal[T comparable](t testing.TB, got, want T, about ...any) {
	if got != want {
		t.Helper()
		t.Fatalf("%sgot %#v, want %#v", text(about), got, want)
	}
}

// EqualSlices ends the test unless a slice has the wanted elements. The message begins with the
// first that differs.
func EqualSlices[S ~[]E, E comparable](t testing.TB, got, want S, about ...any) {
	if !slices.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Helper()
		t.Fatalf("%sfrom element %d, of %d got %.500s, of %d want %.500s", text(about), at,
			len(got), fmt.Sprintf("%#v", got[at:]), len(want), fmt.Sprintf("%#v", want[at:]))
	}
}

// text writes what a check is about.
func text(about []any) string {
	if len(about) == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintln(about...)) + ": "
}
