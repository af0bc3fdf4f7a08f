// Package jpegframe bounds the memory and the time of decoding JPEG pictures by image/jpeg, and
// gives them the colours of libjpeg.
package jpegframe

import (
	"bytes"
	"fmt"
	"iter"
)

// Markers of a JPEG stream (ITU-T T.81, table B.1). Those up to startOfImage have no segment.
const (
	temporary    = 0x01
	firstFrame   = 0xc0
	lastFrame    = 0xc2
	firstRestart = 0xd0
	startOfImage = 0xd8
	endOfImage   = 0xd9
	startOfScan  = 0xda
	fill         = 0xff
)

// Bytes returns the memory that decoding a picture takes for each pixel, in bytes.
func Bytes(stream []byte) int64 {
	n := int64(4)
	if bytes.Contains(stream, []byte("\xff\xc2")) {
		n += 16 // four coefficients of four bytes: a progressive picture
	}
	for marker, segment := range segments(stream) {
		if marker < firstFrame || marker > lastFrame {
			continue
		}
		if len(segment) > 5 && segment[5] == 4 {
			n += 4 // four components are joined in a second picture
		}
		break
	}
	return n
}

// mostScans bounds the scans of a picture: encoders write about ten, and each, though it may have a
// few bytes, takes the time of the whole picture.
const mostScans = 100

// Check returns an error for a picture of too many scans.
func Check(stream []byte) error {
	// Counting bytes is fast, and only a thumbnail or what follows the picture adds to the scans.
	if bytes.Count(stream, []byte{0xff, startOfScan}) <= mostScans {
		return nil
	}
	if n := scans(stream); n > mostScans {
		return fmt.Errorf("the JPEG stream has %d scans; at most %d are read", n, mostScans)
	}
	return nil
}

// scans counts the scans of a picture.
func scans(stream []byte) int {
	n := 0
	for marker := range segments(stream) {
		if marker == startOfScan {
			n++
		}
	}
	return n
}

// segments returns the segments of a picture by their markers, up to its end. Data within segments
// are not searched.
func segments(stream []byte) iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		for at := 0; at+4 <= len(stream); {
			switch marker := stream[at+1]; {
			case stream[at] != 0xff, marker == fill:
				at++ // coded data, or a fill byte
				continue
			case marker == 0, marker == temporary,
				marker >= firstRestart && marker <= startOfImage:
				at += 2
				continue
			case marker == endOfImage:
				return
			}
			size := max(2, int(stream[at+2])<<8+int(stream[at+3]))
			if !yield(stream[at+1], stream[at+4:min(at+2+size, len(stream))]) {
				return
			}
			at += 2 + size
		}
	}
}
