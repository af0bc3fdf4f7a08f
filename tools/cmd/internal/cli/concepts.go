package cli

import (
	"archive/zip"
	"io"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// ConceptFlags name files that state sets of instances.
type ConceptFlags struct {
	annotations    AnnotationFlags
	vectors, codes string // paths, or ""
	save           string // path of a file, or ""
}

// Register adds the flags to a command.
func (f *ConceptFlags) Register(c *cobra.Command) {
	f.annotations.Register(c, "annotations", "file of annotations, GeoJSON of QuPath or XML of "+
		"ASAP, Aperio or HALO: each class is a concept of the instances inside")
	c.Flags().StringVar(&f.vectors, "vectors", "", "a file with an array (d) or (n, d) for each "+
		"name, such as of text or of patches of another slide: a concept has the instances that "+
		"are most similar to its vectors (.npz, .pt or .safetensors)")
	c.Flags().StringVar(&f.codes, "codes", "", "an .onnx file that computes codes from features, "+
		"such as a linear probe or a part of a sparse autoencoder: each is a concept of the "+
		"instances whose code is above 0")
	FileFlag(c, &f.save, "save-vectors", "write the values of the instances of each concept to "+
		"an .npz file of vectors", ".npz")
}

// OfEachBag returns an error of usage if the instances of one bag are to be saved.
func (f *ConceptFlags) OfEachBag() error {
	if f.save == "" {
		return nil
	}
	return Usagef("--save-vectors writes the instances of one bag; omit --every-bag and " +
		"--bags-folder")
}

// SaveVectors writes the values of the instances of concepts as --vectors reads them.
func (f *ConceptFlags) SaveVectors(in *ask.Input, a *ask.GroupsAnswer) error {
	if f.save == "" {
		return nil
	}
	if a.Concepts == nil || len(a.Concepts.List) < 2 { // NameNearest reads two or more
		return Usagef("--save-vectors writes those of two concepts or more, such as of tumour " +
			"and of everything else; name them by --concepts")
	}
	return WriteFile(f.save, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for n, group := range a.Groups {
			var values []float32
			for _, i := range group {
				values = append(values, in.Whole.Instance(i)...)
			}
			member, err := z.Create(a.Concepts.List[n].Name + ".npy")
			if err != nil {
				return err
			}
			shape := []int{len(group), in.Whole.Stride()}
			if err := bagio.WriteNpy(member, shape, values); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// Add adds the concepts of the files to an input, in the layout of its model.
func (f *ConceptFlags) Add(
	c *cobra.Command, in *ask.Input, model *ModelFlags,
) error {
	regions, err := f.annotations.Read(c.Context())
	if err != nil {
		return err
	}
	if regions != nil {
		if err := in.NameRegions(c.Context(), regions, f.annotations.Classes); err != nil {
			return err
		}
	}
	if f.vectors != "" {
		data, err := ReadFile(c.Context(), f.vectors)
		if err != nil {
			return err
		}
		if err := in.NameVectors(c.Context(), f.vectors, data); err != nil {
			return err
		}
	}
	if f.codes == "" {
		return nil
	}
	o, err := model.options(c.Context())
	if err != nil {
		return err
	}
	e, err := openFile(c.Context(), f.codes, o, onnxbackend.OpenCodes)
	if err != nil {
		return err
	}
	codes, err := e.Encode(c.Context(), in.Whole)
	if err != nil {
		return err
	}
	return in.NameCodes(codes)
}
