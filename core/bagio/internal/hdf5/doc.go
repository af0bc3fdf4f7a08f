// Package hdf5 reads arrays of numbers and attributes from HDF5 files, through an io.ReaderAt and
// without cgo.
//
//	bytes ── Open ──► File ─┬─ Datasets ──► Dataset ── ReadFloat32(dst, from, rows) ──► numbers
//	                        └─ Groups ────► attributes
//
// Open reads the superblock and the headers of all objects. The values of a dataset are read in
// blocks of rows, straight into the caller's slice if their type and storage permit it, so that an
// array is held once.
//
// # What is read
//
//   - superblocks 0 to 3, object headers 1 and 2, every index of chunks
//   - groups with symbol tables, compact links and dense links; soft links inside the file
//   - compact, contiguous and chunked storage, with the filters deflate, shuffle, fletcher32,
//     lzf, scale-offset, and those of the registry for blosc, lz4, bitshuffle and zstd
//   - integers of 8 to 64 bits, floats of 16 to 64 bits, bfloat16, booleans, in both byte orders
//   - attributes of these types and strings
//
// Everything else is an *UnsupportedError that names it: external and virtual storage, external
// links, other filters, compound types. It fails the dataset that needs it, not the file.
//
// # Untrusted files
//
// Files may be malicious. A length is compared with the file before memory is allocated. All
// metadata that is read is deducted from a budget, which bounds cycles and structures that overlap.
// A chunk never unpacks to more than its declared size.
//
// Sections in comments refer to the HDF5 File Format Specification, version 3.0.
package hdf5
