package cohort

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Folder is a job folder of TRIDENT or CLAM, a folder of features of STAMP, or a dataset of
// torchmil. Each file of features in it is a bag. Exactly one of Trident, Clam, Stamp and Torchmil
// must be set.
type Folder struct {
	// Trident is a --job_dir of TRIDENT: COORDS/features_ENCODER/SLIDE.h5.
	Trident string
	// Clam is a --feat_dir of CLAM: h5_files/SLIDE.h5 and pt_files/SLIDE.pt. The former are used if
	// both exist, because only they have coordinates.
	Clam string
	// Stamp is the folder of features of STAMP, its output_dir: SLIDE.h5, or ENCODER/SLIDE.h5.
	Stamp string
	// Torchmil is a folder with features (or features_NAME, or features/features_NAME), and labels,
	// patch_labels and coords if bags and instances have labels and places: NAME.npy of each bag in
	// each of them.
	Torchmil string
	Features string // path of the folder of features below the job folder, or its last name
	Model    string // path of an .onnx file
	Labels   string // path of a CSV, see slidetable.ReadLabels; "" for none
	// Split is the path of a CSV, see slidetable.ReadSplit: only the slides of its part Part are
	// explained. "" explains all slides.
	Split string
	Part  string // "train", "val" or "test", the default
}

// manifestFile is the name of the manifest of a job folder below the folder of results.
const manifestFile = "manifest.jsonl"

// featureEndings are the endings of files of features.
var featureEndings = []string{".h5", ".hdf5", ".pt", ".pth", ".safetensors", ".npz", ".npy"}

// given reports whether a job folder was named.
func (f *Folder) given() bool {
	return f.Trident != "" || f.Clam != "" || f.Stamp != "" || f.Torchmil != ""
}

// flag returns the option that names the job folder, and its value.
func (f *Folder) flag() (option, dir string) {
	switch {
	case f.Trident != "":
		return "trident", f.Trident
	case f.Torchmil != "":
		return "torchmil", f.Torchmil
	case f.Stamp != "":
		return "stamp", f.Stamp
	}
	return "clam", f.Clam
}

// wrong returns an *OptionError about the job folder.
func (f *Folder) wrong(reason string, args ...any) error {
	option, dir := f.flag()
	return &OptionError{option, msg.Sprintf("%s %s", dir, msg.Text(msg.Sprintf(reason, args...)))}
}

// check validates the options that belong to a job folder.
func (f *Folder) check() error {
	named := 0
	for _, dir := range []string{f.Trident, f.Clam, f.Stamp, f.Torchmil} {
		if dir != "" {
			named++
		}
	}
	option, _ := f.flag()
	switch {
	case named > 1:
		return &OptionError{option, "and another of --trident, --clam, --stamp and --torchmil " +
			"both name a folder of bags; use only one of them"}
	case !f.given():
		for option, value := range map[string]string{"features": f.Features, "model": f.Model,
			"slide-labels": f.Labels, "split": f.Split, "part": f.Part} {
			if value != "" {
				return &OptionError{option, "needs --trident, --clam, --stamp or --torchmil; a " +
					"manifest names its own"}
			}
		}
		return nil
	case f.Part != "" && f.Split == "":
		return &OptionError{"part", "needs --split: the CSV file that says which slides are in it"}
	case f.Model == "":
		return &OptionError{"model", "is missing: the .onnx file that explains the slides"}
	}
	if _, dir := f.flag(); inBucket(dir) {
		return f.wrong("is not a local folder; write a --manifest for files in a bucket")
	}
	return nil
}

// write writes the manifest of the job folder.
func (f *Folder) write(ctx context.Context, manifest string) error {
	lines, err := f.lines()
	if err != nil {
		return err
	}
	return writeFile(ctx, manifest, func(w io.Writer) error {
		for _, l := range lines {
			if _, err := w.Write(append(mustJSON(l), '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// lines returns a line for each slide, in the order of their names. Paths are absolute.
func (f *Folder) lines() ([]Line, error) {
	_, dir := f.flag()
	features, err := f.features(dir)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(features)))
	if err != nil {
		return nil, err
	}
	model := f.Model
	if !inBucket(model) {
		if model, err = filepath.Abs(model); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, f.wrong("cannot be read: %v", err)
	}
	var lines []Line
	var slides []string
	seen := map[string]bool{}
	for _, e := range entries {
		ending := filepath.Ext(e.Name())
		// macOS writes a hidden file ._SLIDE.h5 beside each file of a shared folder.
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") ||
			!slices.Contains(featureEndings, strings.ToLower(ending)) {
			continue
		}
		slide := strings.TrimSuffix(e.Name(), ending)
		if seen[slide] {
			return nil, f.wrong("has two files of the slide %s in %s; remove one", slide, features)
		}
		seen[slide] = true
		slides = append(slides, slide)
		lines = append(lines, Line{Model: model, Bag: filepath.Join(folder, e.Name())})
	}
	if len(lines) == 0 {
		return nil, f.wrong("has no file of features in %s; they end in %s", features,
			strings.Join(featureEndings, ", "))
	}
	if f.Torchmil != "" {
		if err := f.torchmilLabels(lines, slides); err != nil {
			return nil, err
		}
	}
	if err := f.label(lines, slides); err != nil {
		return nil, err
	}
	return f.split(lines, slides)
}

// below returns the paths in a folder that match a pattern of path.Match.
func below(dir, pattern string) []string {
	names, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil {
		panic(err) // the pattern is malformed
	}
	return names
}

// features returns the path of the folder of features below the job folder. Several folders without
// a choice are an error that lists them.
func (f *Folder) features(dir string) (string, error) {
	if _, err := os.Stat(dir); err != nil {
		return "", f.wrong("cannot be read: %v", err)
	}
	found := []string{"h5_files", "pt_files"}
	switch {
	case f.Trident != "":
		found = below(dir, "*/features_*")
	case f.Stamp != "":
		if found = below(dir, "*"); len(below(dir, "*.h5")) > 0 {
			found = []string{"."}
		}
		found = slices.DeleteFunc(found, func(name string) bool {
			return len(below(dir, path.Join(name, "*.h5"))) == 0
		})
	case f.Torchmil != "":
		if found = below(dir, "features/features_*"); len(found) == 0 {
			found = below(dir, "features")
		}
		found = append(found, below(dir, "features_*")...)
	}
	found = slices.DeleteFunc(found, func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err != nil || !info.IsDir()
	})
	if len(found) == 0 {
		if f.Trident != "" {
			return "", f.wrong("has no folder of features, such as " +
				"20x_256px_0px_overlap/features_uni_v1; name the --job_dir of TRIDENT")
		}
		if f.Stamp != "" {
			return "", f.wrong("has no .h5 files of features; name the output_dir of STAMP's " +
				"preprocessing")
		}
		if f.Torchmil != "" {
			return "", f.wrong("has no folder features; name the folder that holds features, " +
				"labels and patch_labels")
		}
		return "", f.wrong("has neither a folder h5_files nor pt_files; name the --feat_dir of " +
			"CLAM")
	}
	list := strings.Join(found, ", ")
	if f.Features != "" {
		chosen := slices.DeleteFunc(slices.Clone(found), func(name string) bool {
			return name != f.Features && path.Base(name) != f.Features
		})
		if len(chosen) != 1 {
			return "", &OptionError{"features", msg.Sprintf("%q names %d folders; use one of %s",
				f.Features, len(chosen), list)}
		}
		return chosen[0], nil
	}
	if f.Clam == "" && len(found) > 1 {
		return "", f.wrong("has several folders of features; choose one by --features: %s", list)
	}
	return found[0], nil
}
