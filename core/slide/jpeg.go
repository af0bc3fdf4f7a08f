package slide

import (
	"image"
	"image/jpeg"
	"io"
)

// mostTables bounds the bytes of JPEG tables that blocks share.
const mostTables = 1 << 16

// jpegConfig returns the size of a JPEG picture.
func jpegConfig(r io.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) }
