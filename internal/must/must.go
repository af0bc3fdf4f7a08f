// Package must ends a test where a call fails that only prepares it.
package must

import "testing"

// Do ends the test with the error of a call, unless it is nil.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
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
