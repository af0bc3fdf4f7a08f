// Package dicom reads pictures, series of slices and tiles of whole slides from DICOM files
// (PS3.10) by ranges.
//
//	io.ReaderAt ── Open ──► File ── Frame(i) ──► Frame ──┬─► Values  numbers for a model
//	                                                     └─► Shown   pixels for a person
//
// Uncompressed files in implicit and explicit VR and both byte orders, deflated files, RLE, JPEG
// of 8 and 12 bits and without loss, JPEG-LS, and JPEG 2000 with HTJ2K are read; other transfer
// syntaxes are an *[UnsupportedError] that names the compression and a way to remove it. Samples
// have 1, 8, 16 or 32 bits.
//
// # Private attributes
//
// Only attributes of the list in tags.go are read: those of pixels, places and values, and the UIDs
// that join files with each other. Names, dates, accession numbers and numbers of patients are
// skipped by their lengths, so that nothing can show them. Only [Identifiers] reads them, for files
// that are written about the pictures.
//
// # Untrusted files
//
// Sizes are compared with the length of the file before memory is allocated, and with [Options].
package dicom
