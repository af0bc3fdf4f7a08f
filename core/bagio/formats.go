package bagio

import (
	"strings"

	"github.com/bagscope/bagscope/core/bagio/internal/mat"
	"github.com/bagscope/bagscope/internal/otherfile"
)

// A Format is a file format that bags are read from.
type Format struct {
	Name    string   // the name in texts: ".npy", "IDX"
	Endings []string // file name endings, in lower case
	Summary string   // what a file holds, in a few words
	// Native is set if programs for browsers and Node refuse such files, and say how to convert
	// them.
	Native bool

	// begins reports whether a file is of the format. It is nil for text, which has no
	// magic number and is tried last.
	begins func(*source) bool
	read   func(*source, Options) (*Set, error)
}

// Formats lists the formats of [Read], in the order of texts. Help texts, error messages, the
// OpenAPI document, the npm package and the page take theirs from here.
func Formats() []Format {
	formats := []Format{
		{"DICOM", []string{".dcm", ".dicom", ".zip"},
			"a picture in patches, or a series of slices", false, isSeries,
			setFromDICOMs},
		{"NIfTI", []string{".nii"}, "the slices of a volume", false, headed(isNIfTI), setFromNIfTI},
		{".npy", []string{".npy"}, "one bag, instances first", false, headed(magic(npyMagic)),
			setFromNpy},
		{".pt", []string{".pt", ".pth"}, "features, as torch.save writes them", false, isTorch,
			setFromTorch},
		{".safetensors", []string{".safetensors"}, "features", false, isSafetensors,
			setFromSafetensors},
		{"HDF5", []string{".h5", ".hdf5", ".h5ad"},
			"features, as STAMP, CLAM and TRIDENT write them", false, isHDF5, setFromHDF5},
		{"Zarr", []string{".zarr"}, "features, or AnnData", false, isZarr, setFromZarr},
		{".npz", []string{".npz"}, "one bag, or bags by offsets or by numbers", false,
			headed(magic("PK\x03\x04", "PK\x05\x06")), setFromNpz},
		{".mat", []string{".mat"}, "bags as cells, or features with the ids of bags", false,
			headed(magic(mat.Magic)), whole(setFromMAT)},
		{".arff", []string{".arff"}, "bags, as Weka's relational attributes", false,
			func(s *source) bool { return otherfile.IsARFF(string(s.head)) },
			whole(setFromARFF)},
		{"LIBSVM", []string{".svm", ".libsvm"}, "one bag, or bags by qid", false,
			func(s *source) bool { return otherfile.IsLibSVM(string(s.head)) },
			whole(setFromLIBSVM)},
		{".csv", []string{".csv", ".tsv"}, "a set of bags, an instance in each row", false, nil,
			whole(setFromCSV)},
		{"IDX", []string{".idx"}, "one bag, instances first", false, headed(isIDX),
			whole(setFromIDX)},
	}
	const rows = "a set of bags, an instance in each row"
	formats = append(formats,
		Format{"Parquet", []string{".parquet"}, rows, true, isParquet, setFromParquet},
		Format{"Feather", []string{".feather", ".arrow"}, rows, true,
			headed(magic("ARROW1\x00\x00")), setFromFeather})
	for _, k := range pictureKinds {
		formats = append(formats, Format{k.name, k.endings, "a picture, cut into patches", false,
			headed(k.begins), setFromPicture})
	}
	return formats
}

// FormatList returns the names of all formats that this program reads as a text has them, with
// "and" or "or" before the last.
func FormatList(conjunction string) string {
	var names []string
	for _, f := range Formats() {
		if f.Native && !readsColumnar {
			continue
		}
		names = append(names, f.Name)
	}
	return enumerate(names, conjunction)
}

// enumerate joins at least two names as a text has them: "a, b and c".
func enumerate(names []string, conjunction string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + conjunction + " " + names[last]
}

// magic returns a test of the content, which decides before the ending of the name, for files that
// begin with one of some strings.
func magic(heads ...string) func([]byte) bool {
	return func(data []byte) bool {
		for _, head := range heads {
			if begins(data, head) {
				return true
			}
		}
		return false
	}
}
