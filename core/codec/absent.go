//go:build js

package codec

import "context"

// Available reports whether this program contains the decoder.
const Available = false

func decode(context.Context, Header, []byte) ([]byte, error) {
	return nil, bad("this program has no decoder of JPEG 2000")
}
