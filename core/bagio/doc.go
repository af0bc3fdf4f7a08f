// Package bagio reads bags from bytes and writes sets of bags. It takes the content of files
// instead of paths, so that it works the same on a command line and in a browser.
//
//	bytes ── Read ───────┐
//	bytes ── ReadFiles ──┼─► Set ── Bag(i) ──► *core.Bag ── WriteSet ──► .npz
//	fs.FS ── ReadFolder ─┘
//	bytes ── ReadIDX, ReadNpy ──► Array ── Bag(name, indices) ──► *core.Bag
//
// # Formats
//
//	.npy       one bag, (k, ...); numbers of any size, either byte order, C or Fortran order
//	.npz       a bag set: instances (N, ...), offsets (B+1), and optional labels (B),
//	           instance_labels (N), boxes (N, 4) x0 y0 x1 y1, names (B); bag b is
//	           instances[offsets[b]:offsets[b+1]]. Without offsets it is one bag. With coords
//	           (k, 2) instead of these, it holds features. A sparse matrix of SciPy (CSR, CSC,
//	           COO) is one bag
//	.csv       one instance per row, with a header. Cells are separated by commas, semicolons or
//	           tabs; between the last two, numbers may have decimal commas. Columns hold the
//	           bag's id, features and, optionally, label (or class_id: the bag's class),
//	           instance_label, and x0 y0 x1 y1, or x y. Names decide what a column holds, those
//	           of QuPath, HALO and pandas too, then its rows: text is ignored, and numbers are
//	           features. Whole numbers that rise from row to row, other names of coordinates, and
//	           a first column that is different in each row are a [QuestionError], which
//	           [Options].Columns answers. Set.Notes says what was taken for what. A missing header
//	           is an error
//	.mat       MATLAB's files of version 5 and 7.3: features with a list
//	           of the ids of their bags, as Andrews et al. and PRTools keep sets; cells or structs
//	           with a matrix for each bag; or one matrix. A list of labels has one for each bag or
//	           each instance; -1 and 1 become 0 and 1
//	.arff      Weka's relational form: an id, the instances of a bag, and its class
//	LIBSVM     lines of a label and numbered features: one bag, or one for each qid
//	IDX        one bag of all instances; ReadIDX returns the array, to draw bags from a data set
//	HDF5       features as h5py writes them for CLAM and TRIDENT (.h5), with every storage except
//	           other files, and with the filters that internal/hdf5 lists
//	.pt        features that torch.save wrote, as a zip archive or in the form before PyTorch 1.6:
//	           a tensor, or dicts and lists of tensors; a list of vectors is a bag, and a list of
//	           tensors (k, ...) a set of bags. Nothing in the file is executed
//	.safetensors  features
//	a picture  PNG, JPEG, WebP or TIFF, or the pixels of another, cut into patches as PatchOptions
//	           states. EXIF orientation and colour profiles are ignored, transparent parts lie on
//	           white, and of 16 bits the upper 8 remain. Of a TIFF file with several pictures the
//	           first is read, and of a pyramid (.svs, OME-TIFF) the largest level
//	pictures   a folder, or several files: one bag, each picture an instance
//	DICOM      a file with one picture, cut into patches; the frames of one, or the slices of a
//	           series in a folder, in several files or in a zip archive: one bag, each an
//	           instance, in the order of positions in the patient. Values are rescaled and
//	           float32, but for bytes and colours, which are pixels; see package dicom
//	NIfTI      a volume: one bag, each slice across its third axis an instance, in the order and
//	           turned as in the DICOM files of the volume. Scaled voxels are float32, others keep
//	           their type, and unsigned bytes and colours are pixels
//
// A file of features may name its array of features, (k, ...) or (1, k, ...), as [Options].Array or
// by a usual name; arrays whose names fit an Array with an asterisk, such as */features, are a bag
// each. A list beside it with a usual name of ids, such as slide_id or bag_ids, makes bags, as do
// columns of AnnData's obs that [Options].BagBy states. A file may also name coordinates (k, 2) or
// (k, 4), instance labels (k), and attributes that say how coordinates lie on a slide: those of
// STAMP, CLAM, TRIDENT, slideflow, TIAToolbox and LazySlide,
// see testdata/tools/tools.md. Coordinates become pixels of level 0, or remain in micrometres if
// nothing states how many a pixel covers. [Set.Notes] says what no attribute states.
//
// A single file may be compressed with gzip. Unsigned bytes are raw pixels, to which a model
// applies its preprocessing; other types are converted to float32 unchanged. NaN and infinity are
// rejected.
//
// # Untrusted files
//
// Files may be malicious. Before memory is allocated, the sizes that a file declares are compared
// with its length, and Limits bounds the rest. A *FormatError states the fault and its place in the
// file, a *LimitError the limit that is exceeded.
//
// # The smallest program
//
//	set, err := bagio.Read("digits.npz", data, bagio.Options{})
//	if err != nil {
//		return err
//	}
//	bag, err := set.Bag(0)
package bagio
