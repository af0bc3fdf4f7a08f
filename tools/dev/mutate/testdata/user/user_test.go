// Package user has a test of another package.
package user

import (
	"testing"

	"github.com/bagscope/bagscope/tools/dev/mutate/testdata/tiny"
)

func TestClampFromAbove(t *testing.T) {
	if tiny.Clamp(9, 2, 5) != 5 {
		t.Error("wrong")
	}
}
