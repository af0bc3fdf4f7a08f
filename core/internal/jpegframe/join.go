package jpegframe

import "errors"

// Markers of segments that state a colour space.
const (
	application0 = 0xe0
	adobe        = 0xee
)

// What the decoder of the standard library tells colour spaces by: a JFIF header stands for YCbCr,
// an Adobe header with transform 0 for RGB.
var (
	jfifHeader  = []byte("\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
	adobeHeader = []byte("\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")
)

// Join returns the JPEG stream of a block: the tables that all blocks share, and the block. Its
// three components are red, green and blue if isRGB, else YCbCr, as TIFF Technical Note 2 demands,
// whatever the stream's own headers say. It has an end, which some writers leave out and libjpeg
// adds, too. tables may be empty.
func Join(tables, block []byte, isRGB bool) ([]byte, error) {
	header := jfifHeader
	if isRGB {
		header = adobeHeader
	}
	out := make([]byte, 0, len(tables)+len(block)+len(header)+6)
	out = append(append(out, 0xff, startOfImage), header...)
	var err error
	if len(tables) > 0 {
		if out, err = appendSegments(out, tables); err != nil {
			return nil, err
		}
	}
	out, err = appendSegments(out, block)
	return append(out, 0xff, endOfImage), err
}

var errSegments = errors.New("the JPEG stream ends within a segment")

// appendSegments appends the segments of a JPEG stream without its start, its end before any scan,
// and headers that state a colour space.
func appendSegments(out, stream []byte) ([]byte, error) {
	if len(stream) < 2 || stream[0] != 0xff || stream[1] != startOfImage {
		return nil, errors.New("the JPEG stream has no start")
	}
	for rest := stream[2:]; len(rest) > 0; {
		if len(rest) < 2 || rest[0] != 0xff {
			return nil, errSegments
		}
		switch marker := rest[1]; marker {
		case 0xff: // a fill byte
			rest = rest[1:]
			continue
		case endOfImage:
			return out, nil
		case startOfScan:
			return append(out, rest...), nil
		}
		if len(rest) < 4 {
			return nil, errSegments
		}
		n := 2 + int(rest[2])<<8 + int(rest[3])
		if n < 4 || n > len(rest) {
			return nil, errSegments
		}
		if rest[1] != application0 && rest[1] != adobe {
			out = append(out, rest[:n]...)
		}
		rest = rest[n:]
	}
	return out, nil
}

// AdobeTransform returns the transform that an Adobe header states before the first scan, 0 for
// none and 1 for YCbCr, and whether there is such a header.
func AdobeTransform(stream []byte) (transform byte, ok bool) {
	for marker, segment := range segments(stream) {
		if marker == startOfScan {
			break
		}
		if marker == adobe && len(segment) >= 12 && string(segment[:5]) == "Adobe" {
			return segment[11], true
		}
	}
	return 0, false
}

// Kinds of streams that package codec decodes.
const (
	Lossless = "lossless JPEG"
	MoreBits = "JPEG of 12 bits"
)

// Unread returns the kind of a JPEG stream that image/jpeg does not decode, or "": lossless or
// arithmetic coding, JPEG-LS, or samples of more than 8 bits.
func Unread(stream []byte) string {
	for marker, segment := range segments(stream) {
		switch {
		case marker == 0xc3 || marker == 0xc7:
			return Lossless
		case marker == 0xf7:
			return "JPEG-LS"
		case marker == 0xc9 || marker == 0xca || marker == 0xcb:
			return "JPEG with arithmetic coding"
		case marker >= firstFrame && marker <= lastFrame:
			if len(segment) > 0 && segment[0] != 8 {
				return MoreBits
			}
			return ""
		case marker == startOfScan:
			return ""
		}
	}
	return ""
}
