//go:build gpu

package gpu

import (
	"io"
	"net/http"
	"os"
	"testing"
)

var triedWithPasses = []bool{true} // a device that is a program in a browser is slow

// nodeTests fetches the archive of the official ONNX node tests from the address that the page
// names.
func nodeTests(t testing.TB) []byte {
	t.Helper()
	address := os.Getenv("NODE_TESTS")
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, answer.Status, err)
	}
	return data
}
