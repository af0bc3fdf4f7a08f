package bagio

import (
	"math"

	"github.com/bagscope/bagscope/core"
)

// ReadOptions declares the options of reading bags that users give: as flags, in requests, in the
// npm package and as attributes of the page's element. All of these are made from this list or
// checked against it. Each option is a field of [Options] or of its [PatchOptions].
func ReadOptions() []core.Option {
	pixels := func() *core.Range { return &core.Range{Least: 0, Most: math.Inf(1)} }
	return []core.Option{
		{
			Name: "array", Title: "Array", Kind: core.KindText,
			Help: "Name of the array of features in a file with several arrays, such as " +
				"uni/features; with an asterisk, as in slide*, each array is a bag.",
			Default: "an array with a usual name, or the only one",
		},
		{
			Name: "bag-by", Title: "Bag by", Kind: core.KindText,
			Help: "Name of the column whose values are the ids of bags, such as patient: of a " +
				"table, or of obs in .h5ad files.",
			Default: "of a table a column with a usual name, or the first one",
		},
		{
			Name: "columns", Title: "Columns", Kind: core.KindText,
			Help: "What columns hold, such as slide=bag; stain*=skip: a name and one of bag, " +
				"name, label and instance_label, and in tables instance_name, x, y, width, " +
				"height, feature and skip.",
			Default: "from the model card, else in tables what their names and rows say",
		},
		{
			Name: "patch-size", Title: "Patch size", Kind: core.KindInteger,
			Help: "Side of a picture's patches, in pixels; " +
				"0 is the side of the model's instances. Beside coordinates, the side of a patch " +
				"in pixels of level 0.",
			Default: "from the model card, or beside coordinates what the file states",
			Range:   pixels(),
		},
		{
			Name: "stride", Title: "Stride", Kind: core.KindInteger,
			Help:    "Distance from one patch to the next, in pixels; 0 is the patch size.",
			Default: "the patch size",
			Range:   pixels(),
		},
		{
			Name: "background", Title: "Background", Kind: core.KindNumber,
			Help: "Patches whose mean brightness is at least this value, up to 256, are omitted; " +
				"0 keeps all patches.",
			Default: "from the model card",
			Range:   &core.Range{Least: 0, Most: 256},
		},
		{
			Name: "adjacency", Title: "Adjacency", Kind: core.KindText,
			Help: "How the graph of a bag is built from the places of its patches: grid4, grid8, " +
				"knn(n) or radius(r), then weights, loops, row or symmetric; such as " +
				"radius(1.5) symmetric.",
			Default: "the relations of the file, or from the model card",
		},
		{
			Name: "coords-unit", Title: "Unit of coordinates", Kind: core.KindText,
			Help: "Unit of a file's coordinates: px for pixels of level 0, um for micrometres, " +
				"the pixels of level 0 that a unit is, such as 4, or its micrometres, such as " +
				"0.5um.",
			Default: "what the file states, else px",
		},
		{
			Name: "origin", Title: "Origin", Kind: core.KindText,
			Help: "What places in files of a slide count from: canvas, the corner of level 0, as " +
				"for OpenSlide, or bounds, the corner of the scanned part, as for QuPath. Of a " +
				"file that does not state its bounds, their corner, such as 1024,2048.",
			Default: "bounds in GeoJSON, else canvas",
		},
		{
			Name: "tile-names", Title: "Names of tiles", Kind: core.KindText,
			Help: "Which number in the names of tiles is x, such as of 3_5.jpg or " +
				"slide_(512,1024).png: xy, yx, or none if they are no places. Words in names, as " +
				"in x512_y1024, count before it.",
			Default: "what the words in names, the sides of tiles or their edges say, or an error",
		},
		{
			Name: "dtype", Title: "Type of values", Kind: core.KindText,
			Help: "What integers in a file are: bfloat16 if they are its bits, which HDF5 and " +
				"NumPy cannot name, or stored if they are integers.",
			Default: "what the file states; integers that look like bits of bfloat16 are an error",
		},
		{
			Name: "series", Title: "Series", Kind: core.KindText,
			Help: "Number of the series of slices, or of the volume, in files that hold several, " +
				"such as 4; the error lists them. With all, the pictures of all series of DICOM " +
				"are one bag.",
			Default: "the only series",
		},
		{
			Name: "slice-axes", Title: "Axes of slices", Kind: core.KindText,
			Help: "Where instances, rows and columns of a NIfTI volume go, in three letters: " +
				"toward R, L, A, P, S or I of the patient, such as SPL, or along the axes i, j " +
				"and k of the file: nibabel's data[:, :, k] is kij.",
			Default: "from the model card, else across the third axis, turned as in DICOM files",
		},
		{
			Name: "window", Title: "Window", Kind: core.KindText,
			Help: "Centre and width that map grey values of DICOM and NIfTI, such as Hounsfield " +
				"units, to pixels 0 to 255: 40,400, or one for each channel with semicolons " +
				"between them. Bytes are pixels already.",
			Default: "from the model card, else values go into the model as they are",
		},
		{
			Name: "spacing", Title: "Spacing", Kind: core.KindText,
			Help: "Distance of pixels in mm to which slices of DICOM and NIfTI are interpolated, " +
				"and behind a comma that of slices: 0.8 or 0.8,3. With fit instead of the first " +
				"one, slices are scaled to the model's input.",
			Default: "from the model card, else slices stay as they are",
		},
		{
			Name: "neighbours", Title: "Neighbours", Kind: core.KindInteger,
			Help: "Slices on each side of one that are its channels beside it: 1 for models that " +
				"take three slices as channels; 0 is what the model card states.",
			Default: "from the model card, else none",
			Range:   &core.Range{Least: 0, Most: core.MostNeighbours},
		},
		{
			Name: "inputs", Title: "Inputs beside the bag", Kind: core.KindText,
			Help: "What inputs of the model beside the instances take for this bag, such as " +
				"age=63, or age=63; stage=0,0,1.",
			Default: "what the file states under these names, else from the model card",
		},
		{
			Name: "slide-mpp", Title: "Micrometres a pixel", Kind: core.KindNumber,
			Help: "Micrometres that a pixel of level 0 covers, of a slide or for coordinates in " +
				"micrometres; 0 is what the file states.",
			Default: "what the file states, else from the model card",
			Range:   pixels(),
		},
	}
}
