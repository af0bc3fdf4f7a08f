package must

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// ended records the message that ends a test.
type ended struct {
	testing.TB
	message string
}

func (e *ended) Helper() {}

func (e *ended) Fatalf(format string, _ ...any) {
	e.message = format
	panic(e)
}

// TestChecks: each check ends a test, or does not.
func TestChecks(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "a.npy", Err: fs.ErrNotExist}
	var path *fs.PathError
	for name, check := range map[string]func(t testing.TB){
		"Do":                      func(t testing.TB) { Do(t, nil) },
		"Do, ends":                func(t testing.TB) { Do(t, io.EOF) },
		"Get":                     func(t testing.TB) { Get(1, nil)(t) },
		"Get, ends":               func(t testing.TB) { Get(1, io.EOF)(t) },
		"Fail":                    func(t testing.TB) { Fail(t, Err(1, missing), "open", "a.npy") },
		"Fail, no error, ends":    func(t testing.TB) { Fail(t, nil) },
		"Fail, other words, ends": func(t testing.TB) { Fail(t, missing, "open", "b.npy") },
		"As":                      func(t testing.TB) { As(t, missing, &path, "a.npy") },
		"As, another type, ends":  func(t testing.TB) { As(t, io.EOF, &path) },
		"As, no error, ends":      func(t testing.TB) { As(t, nil, &path) },
		"As, other words, ends":   func(t testing.TB) { As(t, missing, &path, "b.npy") },
		"Is":                      func(t testing.TB) { Is(t, missing, fs.ErrNotExist) },
		"Is, ends":                func(t testing.TB) { Is(t, missing, io.EOF) },
		"Contain":                 func(t testing.TB) { Contain(t, "a b", "a", "b") },
		"Contain, ends":           func(t testing.TB) { Contain(t, "a b", "a", "c") },
		"Equal":                   func(t testing.TB) { Equal(t, 1, 1) },
		"Equal, ends":             func(t testing.TB) { Equal(t, 1, 2) },
		"EqualSlices":             func(t testing.TB) { EqualSlices(t, []int{}, nil) },
		"EqualSlices, ends":       func(t testing.TB) { EqualSlices(t, []int{1}, []int{2}) },
		"EqualSlices, more, ends": func(t testing.TB) { EqualSlices(t, []int{1, 2}, []int{1}) },
	} {
		t.Run(name, func(t *testing.T) {
			e := &ended{TB: t}
			defer func() {
				if r := recover(); r != nil && r != any(e) {
					panic(r)
				}
				if ends := e.message != ""; ends != strings.HasSuffix(name, ", ends") {
					t.Errorf("it ends the test: %v", ends)
				}
			}()
			check(e)
		})
	}
	if path == nil || !errors.Is(path, fs.ErrNotExist) {
		t.Errorf("As sets the error %v", path)
	}
}
