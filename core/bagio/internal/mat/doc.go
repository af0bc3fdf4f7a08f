// Package mat reads MATLAB's files of version 5, which save writes with -v6 and -v7, from "MAT-File
// Format" of MathWorks (R2024b), chapter 1. Files of version 7.3 are HDF5.
//
//   - mat.go: the file, its variables, and limits
//   - element.go: data elements, packed or not
//   - value.go: arrays, cells, structs and their numbers
//
// A value keeps its bytes in the file's memory until its numbers are read. Nothing is allocated by
// a size that the file states before it is compared with the bytes that follow or with Limits.
package mat
