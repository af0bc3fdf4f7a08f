package dicom

import (
	"encoding/binary"
	"strings"
)

// A syntax is how a file is encoded (PS3.5, annex A).
type syntax struct {
	order    binary.ByteOrder
	implicit bool
	deflated bool
	packing  packing
}

// A packing is the compression of frames.
type packing int

const (
	native packing = iota
	rle
	jpeg
	jpeg2000
	jpegLS
	parts // fragments that are not compressed
)

// UIDs of transfer syntaxes.
const (
	uidImplicit  = "1.2.840.10008.1.2"
	uidExplicit  = "1.2.840.10008.1.2.1"
	uidDirectory = "1.2.840.10008.1.3.10" // a class: DICOMDIR
	uidSlide     = "1.2.840.10008.5.1.4.1.1.77.1.6"
)

var syntaxes = map[string]syntax{
	uidImplicit:               {order: binary.LittleEndian, implicit: true},
	uidExplicit:               {order: binary.LittleEndian},
	uidExplicit + ".98":       {order: binary.LittleEndian, packing: parts},
	uidExplicit + ".99":       {order: binary.LittleEndian, deflated: true},
	"1.2.840.10008.1.2.2":     {order: binary.BigEndian},
	"1.2.840.10008.1.2.5":     {order: binary.LittleEndian, packing: rle},
	"1.2.840.10008.1.2.4.50":  {order: binary.LittleEndian, packing: jpeg},
	"1.2.840.10008.1.2.4.51":  {order: binary.LittleEndian, packing: jpeg},
	"1.2.840.10008.1.2.4.57":  {order: binary.LittleEndian, packing: jpeg},
	"1.2.840.10008.1.2.4.70":  {order: binary.LittleEndian, packing: jpeg},
	"1.2.840.10008.1.2.4.80":  {order: binary.LittleEndian, packing: jpegLS},
	"1.2.840.10008.1.2.4.81":  {order: binary.LittleEndian, packing: jpegLS},
	"1.2.840.10008.1.2.4.90":  {order: binary.LittleEndian, packing: jpeg2000},
	"1.2.840.10008.1.2.4.91":  {order: binary.LittleEndian, packing: jpeg2000},
	"1.2.840.10008.1.2.4.201": {order: binary.LittleEndian, packing: jpeg2000},
	"1.2.840.10008.1.2.4.202": {order: binary.LittleEndian, packing: jpeg2000},
	"1.2.840.10008.1.2.4.203": {order: binary.LittleEndian, packing: jpeg2000},
	"1.2.840.113619.5.2":      {order: binary.LittleEndian, implicit: true},
}

// refusedSyntaxes are the names of compressions by the end of their UIDs below 1.2.840.10008.1.2.
var refusedSyntaxes = map[string]string{
	"4.92": "JPEG 2000 in several components", "4.93": "JPEG 2000 in several components",
	"4.110": "JPEG XL", "4.111": "JPEG XL", "4.112": "JPEG XL",
	"8.1": "deflate, frame by frame",
}

// syntaxOf returns how a file of a transfer syntax is encoded, or an *UnsupportedError.
func syntaxOf(name, uid string) (syntax, error) {
	if s, ok := syntaxes[uid]; ok {
		return s, nil
	}
	end := strings.TrimPrefix(uid, uidImplicit+".")
	if what, ok := refusedSyntaxes[end]; ok {
		return syntax{}, &UnsupportedError{name, "compression by " + what, decompress}
	}
	if strings.HasPrefix(end, "4.10") {
		return syntax{}, &UnsupportedError{name, "video (MPEG)",
			"save the pictures of interest as PNG"}
	}
	return syntax{}, &UnsupportedError{name, "an unknown transfer syntax", decompress}
}

// Ways to convert a file.
const decompress = "gdcmconv of GDCM writes it uncompressed: gdcmconv --raw FILE raw.dcm; and " +
	"so does pydicom with pylibjpeg: python3 -c \"import pydicom; d = pydicom.dcmread('FILE'); " +
	"d.decompress(); d.save_as('raw.dcm')\""

// byPydicom returns the way to convert a file by a statement about its data set d.
func byPydicom(statement string) string {
	return "pydicom converts the file: python3 -c \"import numpy, pydicom; " +
		"d = pydicom.dcmread('FILE'); " + statement + "\""
}
