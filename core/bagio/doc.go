// Package bagio turns bytes into bags. It knows files only as bytes, so that it works alike behind
// a command line and in a browser.
//
//	bytes ── Read ───────┐
//	bytes ── ReadFiles ──┼─► Set ── Bag(i) ──► *core.Bag ── WriteSet ──► .npz
//	fs.FS ── ReadFolder ─┘
//	bytes ── ReadIDX, ReadNpy ──► Array ── Bag(name, indices) ──► *core.Bag
//
// # Formats
//
//	.npy       one bag, (k, ...); numbers of any size, either byte order, C or Fortran order
//	.npz       a bag set: instances (N, ...), offsets (B+1), and optional labels (B), instance_labels (N),
//	           boxes (N, 4) x0 y0 x1 y1, names (B); bag b is instances[offsets[b]:offsets[b+1]].
//	           Without offsets it is one bag
//	.csv       one instance a row; the header names the bag's id first, then features and, if any, label
//	           (or class_id: the bag's class), instance_label, and x0 y0 x1 y1. Without a header, or
//	           with a first column called as features are (f1, x0, 7), it is an error: nothing tells
//	           an id from a feature then. Columns class, flag and the like, which hold words, are left
//	           out, and Set.Notes says so
//	IDX        one bag of all instances; ReadIDX serves those who draw bags from a data set
//	a picture  PNG or JPEG, cut into patches as PatchOptions says. EXIF orientation is not looked at
//	pictures   a folder, or several files: one bag, each picture an instance
//
// A single file may be wrapped in gzip. Unsigned bytes are raw pixels, which a model's preprocessing
// has yet to see; other types are taken as they are. NaN and infinity are refused.
//
// # Trust
//
// Files are hostile. What a file declares is compared with what its length can bear out before
// anything is allocated, and Limits bounds the rest. A *FormatError says what is wrong and where, a
// *LimitError which limit would have to grow.
//
// # The smallest program
//
//	set, err := bagio.Read("digits.npz", data, bagio.Options{})
//	if err != nil {
//		return err
//	}
//	bag, err := set.Bag(0)
package bagio
