//go:build gpu && !js

package gpu

import (
	"reflect"
	"testing"

	"github.com/cogentcore/webgpu/wgpu"
)

// TestBindingParts compares the fields of the binding's types with those that calls of C read.
func TestBindingParts(t *testing.T) {
	for _, v := range []any{wgpu.Buffer{}, wgpu.Queue{}} {
		is, want := reflect.TypeOf(v), reflect.TypeFor[parts]()
		if is.NumField() != 2 || is.Size() != want.Size() || is.Field(0).Name != "deviceRef" ||
			is.Field(1).Name != "ref" || is.Field(1).Offset != want.Field(1).Offset {
			t.Errorf("%v has other fields than deviceRef and ref", is)
		}
	}
}
