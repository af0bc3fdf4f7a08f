package hdf5

import "cmp"

// Limits bounds the memory and work of reading a file. Zero fields have their defaults.
type Limits struct {
	Metadata int64 // bytes of headers, links, attributes and indexes of chunks; default 64 MiB
	Objects  int64 // groups, datasets and named types; default 2^16
	Elements int64 // numbers in one dataset; default 2^28
	Chunk    int64 // bytes of a chunk that is larger than its dataset; default 64 MiB

	// Reserve is called before bytes of metadata are read; decoded, they take up to four times as
	// much. The file's methods return its error. Nil reserves nothing.
	Reserve func(bytes int64) error
}

// deepest is the number of groups that may be nested.
const deepest = 256

func (l Limits) withDefaults() Limits {
	return Limits{
		Metadata: cmp.Or(l.Metadata, 64<<20),
		Objects:  cmp.Or(l.Objects, 1<<16),
		Elements: cmp.Or(l.Elements, 1<<28),
		Chunk:    cmp.Or(l.Chunk, 64<<20),
		Reserve:  l.Reserve,
	}
}

// metadata returns the budget for a file of a size. The structures of a valid file do not overlap.
// The factor leaves room for paths and strings, which repeat parts of them.
func (l Limits) metadata(size int64) int64 {
	return min(l.Metadata, 8*min(size, 1<<50)+1<<20)
}
