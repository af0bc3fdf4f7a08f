package dataset

import (
	"encoding/binary"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// fewPictures are the files of an MNIST of 20 pictures for each part, whose first pixel is given.
func fewPictures(first byte) map[string]string {
	const n = 20
	header := func(kind uint32, sizes ...uint32) []byte {
		out := binary.BigEndian.AppendUint32(nil, 0x800|kind)
		for _, s := range sizes {
			out = binary.BigEndian.AppendUint32(out, s)
		}
		return out
	}
	pictures, labels := header(3, n, 28, 28), header(1, n)
	pixels := make([]byte, n*28*28)
	pixels[0] = first
	for i := range byte(n) {
		labels = append(labels, i%10)
	}
	files := map[string]string{}
	for _, part := range []string{"train", "t10k"} {
		files[part+"-images-idx3-ubyte"] = string(pictures) + string(pixels)
		files[part+"-labels-idx1-ubyte"] = string(labels)
	}
	return files
}

// TestContentIdentifiesFilesOfConstantStatistics checks that sets of other pictures have another
// Content. Sets with measured statistics need none.
func TestContentIdentifiesFilesOfConstantStatistics(t *testing.T) {
	content := func(first byte) string {
		t.Helper()
		set := must.Get(Open("mnist", write(t, fewPictures(first)), small))(t)
		return set.Content
	}
	if a := content(1); len(a) != 64 || a != content(1) || a == content(2) {
		t.Errorf("the contents are %q, %q and %q", a, content(1), content(2))
	}
	must.Equal(t, must.Get(Open("digits", "", small))(t).Content, "",
		"drawn digits have the content")
}
