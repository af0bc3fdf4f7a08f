//go:build gpu

package gpu

import (
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

var triedWithPasses = []bool{true} // a device that is a program in a browser is slow

// nodeTests fetches the archive of the official ONNX node tests from the address that the page
// names.
func nodeTests(t testing.TB) []byte {
	t.Helper()
	address := os.Getenv("NODE_TESTS")
	answer := must.Get(http.Get(address))(t)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, answer.Status, err)
	}
	return data
}
