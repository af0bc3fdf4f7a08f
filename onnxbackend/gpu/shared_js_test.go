//go:build gpu

package gpu

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

var triedWithPasses = []bool{true} // a device that is a program in a browser takes its time

// openShared fetches a file below the shared folder from the host of the page.
func openShared(t testing.TB, parts ...string) io.ReadCloser {
	t.Helper()
	answer, err := http.Get(os.Getenv("BAGSCOPE_SHARED") + strings.Join(parts, "/"))
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", parts[len(parts)-1], answer.Status)
	}
	return answer.Body
}
