package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// endings is the annotation of a flag with the endings that the name of its file may have.
const endings = "endings"

// foreign lists endings of formats. A name with another ending, or with none, is the user's choice.
var foreign = []string{".bz2", ".csv", ".dcm", ".dzi", ".geojson", ".gz", ".h5", ".hdf5", ".html",
	".jpeg", ".jpg", ".json", ".jsonl", ".npy", ".npz", ".onnx", ".parquet", ".pdf", ".png", ".svg",
	".tif", ".tiff", ".tsv", ".webp", ".xlsx", ".xz", ".zip", ".zst"}

// texts lists endings of formats that [WriteFile] compresses if ".gz" follows them.
var texts = []string{".csv", ".geojson", ".json"}

// compresses reports whether the name of a file has the ending of a text and ".gz".
func compresses(name string) bool {
	name, ok := strings.CutSuffix(strings.ToLower(name), ".gz")
	return ok && slices.ContainsFunc(texts, func(ending string) bool {
		return strings.HasSuffix(name, ending)
	})
}

// FileFlag adds a flag that names a file to write, whose format has these endings. If the file has
// the ending of another format, the command ends with an error of usage before its work: other
// programs would take the file for what it is not.
func FileFlag(c *cobra.Command, file *string, name, usage string, ending ...string) {
	c.Flags().StringVar(file, name, "", usage)
	f := c.Flags().Lookup(name)
	f.Annotations = map[string][]string{endings: ending}
}

// checkEndings returns the error of the first flag of FileFlag with a wrong ending, or nil.
func checkEndings(c *cobra.Command) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		may, name := f.Annotations[endings], strings.ToLower(f.Value.String())
		if compresses(name) {
			name = strings.TrimSuffix(name, ".gz")
		}
		has := func(ending string) bool { return strings.HasSuffix(name, ending) }
		if err == nil && may != nil && !slices.ContainsFunc(may, has) &&
			slices.ContainsFunc(foreign, has) {
			err = Usagef("--%s does not write the format that the ending of %s states; name a "+
				"file %s", f.Name, f.Value, strings.Join(may, " or "))
		}
	})
	return err
}
