package wire

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
)

// Parts of messages.
type (
	// File is a file that the user has chosen.
	File struct {
		Name  string
		Bytes []byte
	}
	// Block holds bytes, or names them in a file that the program maps read-only. The file must not
	// change while the bag is open.
	Block struct {
		Bytes  []byte // used if Path is ""
		Path   string
		Offset int // in bytes
		Length int // in bytes
	}
	// Relations hold a value for each pair of the k instances of a bag: a matrix, or edges.
	Relations struct {
		Matrix  *Block    // (k, k) float32, little-endian, row-major; nil for edges
		From    []int     // (edge) the instance where it begins
		To      []int     // (edge) the instance where it ends
		Weights []float64 // (edge)
	}
	// SlideFile is a file of Size bytes of a slide, which JavaScript keeps by the number Part until
	// the slide is released.
	SlideFile struct {
		Name string
		Part int
		Size int
	}
	// BagFile is a file of bags: its bytes or, if Part is above 0, the number of a file of Size
	// bytes that JavaScript keeps, which is read in parts; Bytes are then its first ones, or none.
	// Width and Height are above 0 for the RGBA pixels of a decoded picture, see bagio.File.
	BagFile struct {
		Name   string
		Bytes  []byte
		Part   int
		Size   int
		Width  int
		Height int
	}
	// Cut is how a picture is cut into patches: a grid, of which the dark patches are kept.
	Cut struct {
		Size   int // side of a patch in pixels
		Stride int // pixels from one patch to the next
		// Patches with a mean of at least this value are omitted; 0 keeps all.
		Background    float64
		Channels      int // 3 for red, green, blue, or 1 for luma
		Width, Height int // sides of the picture in pixels
		Across, Down  int // patches in a row and in a column of the grid, background included
		// Mean brightness 0..255 of each patch of the grid, row by row; empty if not measured.
		Means []float64
	}
	// Encoding states how the patches of a whole slide are laid and encoded. Nil and zero values
	// take what the cards of the model and of the encoder state, see ask.Lay.
	Encoding struct {
		Encoder string // path of the .onnx file that encodes patches, or ""
		// Folder holds the encoder that the model's card names; it is read if Encoder is "".
		Folder     string
		Card       string // JSON that overrides the encoder's own card, or ""
		PatchSize  int    // side in pixels
		Microns    *float64
		Overlap    *int
		Threshold  int
		MinTissue  float64
		WholeSlide bool
		Tissue     string // path of a file or folder, see ask.Lay, or ""
		Exclude    string
		Places     string
	}
	// DataSettings are the paper's settings for a data set. Options have their names in
	// JavaScript; an option that is absent has its default.
	DataSettings struct {
		Name    string
		Title   string
		Options []core.Setting
	}
	// BagInfo holds the properties of a bag.
	BagInfo struct {
		Name      string
		Instances int   // number of instances k
		Shape     []int // shape of one instance
		// Shape of the pictures that features were encoded from, if they can be encoded again to
		// find which of their bands matter, or null.
		Pictures *[]int
		// True if values are pixels 0..255 to which the model's preprocessing is still to be
		// applied.
		Raw     bool
		Boxes   *[]Box // rectangle of each instance in its picture, or null
		Labels  *[]int // true label of each instance (-1 means unknown), or null
		Classes *[]int // true classes of the bag, or null
		// What the file calls each instance, and each value of an instance; empty if it does not.
		InstanceNames, FeatureNames []string
		// What an instance is called, unless the model card says it.
		Noun core.Noun
		// What the file states about the slide that the boxes are in, or null.
		Slide *core.Slide
		// Where instances that are slices of a volume lie in the patient, or null.
		Slices *Slices
		// What inputs of the model beside the instances take for this bag, as the file or a caller
		// states it.
		Covariates []core.Covariate
	}
	// Slices are where the slices of a volume lie in the patient. x grows to the left of the
	// patient, y to the back and z to the head.
	Slices struct {
		// Position of each slice in mm, along the normal of the first one; empty if it is unknown.
		Positions []float64
		// Directions in which the columns, and in which the rows, of the first slice follow each
		// other: x, y and z each. Empty if they are unknown.
		Rows, Across []float64
		// Distance in mm from a row to the next one, and from a column to the next one; 0 if it is
		// unknown.
		RowSpacing, ColumnSpacing float64
		Thickness                 float64 // millimetres of a slice, 0 if unknown
		// Centre and width of the range of values that the file of the first slice shows first; a
		// width of 0 if it states none.
		WindowCentre, WindowWidth float64
	}
	// SlideInfo holds the properties of an open slide.
	SlideInfo struct {
		Name   string
		Format string       // see slide.Slide
		Levels []SlideLevel // the largest first; there is at least one
		// Microns that a pixel of level 0 covers, across and down; 0 if the file does not say.
		MicronsX, MicronsY float64
		Magnification      float64 // power of the objective; 0 if the file does not say
		// Whether the file holds a picture of the label or of the whole glass. These may name a
		// patient and are never read.
		Private bool
	}
	// SlideLevel is one resolution of a slide.
	SlideLevel struct {
		Width, Height         int // pixels
		TileWidth, TileHeight int // pixels of a tile of the file, which is decoded at once
		// Pixels of level 0 across that one pixel of this level covers; 1 for level 0.
		Downsample float64
	}
	// Box is a rectangle in pixels.
	Box struct{ X, Y, Width, Height int }
	// Report is what drawings and files need of an explanation.
	Report struct {
		Explanations []Attribution
		Prediction   []float64 // or empty
		Instances    []int     // the instances of the bag that the scores belong to
	}
	// Attribution holds the fields of core.Explanation that drawings and files need.
	Attribution struct {
		Method  string
		Class   int
		Scores  []float64
		Stderr  *[]float64
		Unit    string
		Neutral float64
		Evident []bool // empty if every score is evidence
		Notes   []string
	}
	// Look says how a bag is drawn. But for Kind, the fields are those of core/draw.Options.
	Look struct {
		Kind   string // strip, overlay, map, bars, or "" for the kind that suits the bag
		Method string
		// Classes are the drawn classes, nil for all. The others count for the common scale.
		Classes    *[]int
		ClassNames []string
		NameWidth  int
		Width      int
		Cell       int
		Height     int
		Scale      int
		Dark       bool
		Colours    string
		PerClass   bool
		Strongest  float64
		Removed    *[]int // nil for those that the report does not explain
		Top        int
		Discount   bool
		Opacity    float64
		Sorted     bool
		Order      *[]int
		Words      *draw.Words // nil for English
	}
	// Name is the room that a drawing leaves to the name of a class.
	Name struct {
		Class         int
		Above         bool // whether it is above a column, not beside a row
		X, Y          int
		Width, Height int
	}
	// Cell is the place of an instance, or of its score for a class, in a drawing.
	Cell struct {
		Instance int  // index into the bag that was drawn
		Class    *int // the class whose score the cell shows, or null for the instance itself
		X, Y     int
		Width    int
		Height   int
	}
)
