package bagio

import (
	"bytes"
	"encoding/binary"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// orientationOf returns the orientation that the Exif data of a PNG, JPEG or WebP file state (Exif
// 3.0, tag 274): 2 to 8 for a picture that is mirrored or turned, else 1.
func orientationOf(data []byte) int {
	switch {
	case begins(data, jpegMagic):
		return slide.OrientationOf(exifOfJPEG(data))
	case begins(data, pngMagic):
		return slide.OrientationOf(chunk(data[len(pngMagic):], "eXIf", binary.BigEndian, 4, 4))
	case isWebP(data):
		exif := chunk(data[12:], "EXIF", binary.LittleEndian, 0, 0)
		return slide.OrientationOf(bytes.TrimPrefix(exif, []byte("Exif\x00\x00")))
	}
	return 1
}

// exifOfJPEG returns the Exif data before the pixels of a JPEG file, or nil.
func exifOfJPEG(data []byte) []byte {
	for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != 0xda; {
		if rest[1] == 0xff { // a fill byte
			rest = rest[1:]
			continue
		}
		n := 2 + int(binary.BigEndian.Uint16(rest[2:])) // the length counts itself
		if n < 4 || n > len(rest) {
			return nil
		}
		if exif, ok := bytes.CutPrefix(rest[4:n], []byte("Exif\x00\x00")); ok && rest[1] == 0xe1 {
			return exif
		}
		rest = rest[n:]
	}
	return nil
}

// chunk returns the bytes of the chunk of a name in a list of chunks, or nil. PNG has the length
// before the name and a checksum behind the bytes; RIFF has the name first, and even lengths.
func chunk(data []byte, name string, order binary.ByteOrder, nameAt, checksum int) []byte {
	for len(data) >= 8 {
		n := int64(order.Uint32(data[4-nameAt:]))
		if n > int64(len(data)-8) {
			return nil
		}
		if string(data[nameAt:nameAt+4]) == name {
			return data[8 : 8+n]
		}
		next := 8 + n + int64(checksum)
		if checksum == 0 {
			next += n % 2
		}
		data = data[min(next, int64(len(data))):]
	}
	return nil
}

// orientationNotes says that a picture is read as it is stored although its file states another
// orientation.
func orientationNotes(name string, orientation int) []string {
	if orientation <= 1 {
		return nil
	}
	return []string{msg.Sprintf("%s states that its picture is to be mirrored or turned "+
		"(orientation %d). Its pixels are read as they are stored. libvips turns them: "+
		"vips autorot FILE turned.png", name, orientation)}
}
