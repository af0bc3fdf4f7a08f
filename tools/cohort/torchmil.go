package cohort

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/msg"
)

// mostLabels bounds the bytes of an array of labels.
const mostLabels = 1 << 27

// torchmilLabels adds the labels of bags and instances to the lines of a dataset of torchmil: those
// of labels/NAME.npy and patch_labels/NAME.npy. Without such a folder, lines keep none; a bag
// without its file is an error.
func (f *Folder) torchmilLabels(lines []Line, names []string) error {
	for i, name := range names {
		label, err := f.labelsOf("labels", name)
		if err != nil {
			return err
		}
		if label != nil && len(label) != 1 {
			return f.wrong("has %d labels in labels/%s.npy, and a bag has one", len(label), name)
		}
		if label != nil {
			lines[i].Label = strconv.Itoa(label[0])
		}
		if lines[i].Labels, err = f.labelsOf("patch_labels", name); err != nil {
			return err
		}
	}
	return nil
}

// labelsOf returns the numbers of an array in a folder of labels, or nil if there is no such
// folder.
func (f *Folder) labelsOf(folder, name string) ([]int, error) {
	path := filepath.Join(f.Torchmil, folder)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	path = filepath.Join(path, name+".npy")
	info, err := os.Stat(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: err}
	}
	if !info.Mode().IsRegular() || info.Size() > mostLabels {
		return nil, f.wrong("has no array of labels of at most %d bytes in %s", mostLabels,
			msg.Text(filepath.Join(folder, name+".npy")))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: err}
	}
	array, err := bagio.ReadNpy(path, data, bagio.Limits{})
	if err != nil {
		return nil, err
	}
	return array.Ints()
}
