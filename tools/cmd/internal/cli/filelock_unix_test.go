//go:build unix && !aix && !solaris

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestWriteFeaturesAlone begins a file while another call writes it.
func TestWriteFeaturesAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.h5")
	err := WriteFeatures(t.Context(), path, described(),
		func(from int, sink func(*core.Bag) error) error {
			err := WriteFeatures(t.Context(), path, described(), counted(-1, nil))
			if err == nil || !strings.Contains(err.Error(), "another process is writing") {
				t.Errorf("a second writer: %v", err)
			}
			return counted(-1, nil)(from, sink)
		})
	if err != nil || !complete(path, described(), headOf(t)) {
		t.Errorf("the first writer: %v", err)
	}
}

// headOf returns the head of the described file.
func headOf(t *testing.T) []byte {
	t.Helper()
	return must.Get(described().Head())(t)
}
