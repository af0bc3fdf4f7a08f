package wire

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// Answers and events, from Go to the client. They have the ID of their request.
type (
	// Welcome contains the tables of the core, so that a page can build its forms from them.
	Welcome struct {
		Version  string
		Methods  []ask.Method
		Settings []DataSettings
		Metrics  []metric.Info
	}
	// ModelOpened describes an open model.
	ModelOpened struct {
		Handle int
		Info   core.ModelInfo
		// What the model card states for pages, nil or "" if it does not.
		Patch      *onnxbackend.Patch
		Preprocess *onnxbackend.Preprocess
		Encoder    string // name of the file that encodes patches
		Columns    string // what columns of tables hold, see ReadOptions
	}
	// BagsRead lists the bags of a set. OpenBag opens one by its index in Names.
	BagsRead struct {
		Handle int
		Names  []string
		Notes  []string
		Opened *BagOpened // the bag that ReadBags.Open names; nil if the set has none there
		Cut    *Cut       // nil unless the set is a picture that was cut
		// Deferred states that bags read their values later: the files of the request must stay
		// readable until the set and its bags are closed.
		Deferred bool
	}
	// Surveyed is a picture as it can be cut, with the brightness of its patches.
	Surveyed struct{ Cut Cut }
	// TableViewed is how a table of text begins.
	TableViewed struct {
		Columns []TableColumn // the first ones
		More    int           // number of the other columns
		Problem string        // why the table cannot be read with these roles, or ""
	}
	// TableColumn is a column of a table, and what it is taken for.
	TableColumn struct {
		Name  string // name that the header has
		Label string // its name in the option columns, which may be its number
		// Role is one of bag, name, label, instance_label, x, y, width, height, feature and skip;
		// corner, fact or covariate if its name says so; or "" if the user has to say it.
		Role  string
		Cells []string // cells of the first rows
	}
	// BagOpened describes an open bag.
	BagOpened struct {
		Handle int
		Info   BagInfo
	}
	// Values are the values of a bag, instance after instance.
	Values struct{ Values []float32 }
	// Predicted is a prediction as the model makes it, and as it is read on the scale of the
	// request. It is an event of Explain, too.
	Predicted struct {
		Raw  onnxbackend.Prediction
		Read core.Reading
		// Folds are the models of an ensemble, with their predictions as they are read.
		Folds []ask.Fold
	}
	// CoalitionScores holds the class scores of coalitions.
	CoalitionScores struct {
		Output string    // prob, logit or raw
		Scores []float64 // (coalition, class)
	}
	// Progress counts encoded instances if Instances is true, otherwise evaluations, or parts of a
	// picture. The total number of evaluations is an upper bound.
	Progress struct {
		Completed int
		Total     int
		Instances bool
	}
	// Noted is sent before long work begins, or while it goes on: what may be wrong with its
	// result, or how long it takes and what would be quicker.
	Noted struct{ Notes []string }
	// Explained is an explanation of a bag.
	Explained struct {
		ask.Attributions
		Scales     []draw.Scale // (explanation)
		Instances  []int        // the instances of the bag that the scores belong to
		Coalitions []string     // the evaluated coalitions, if Trace was set
	}
	// Drawn is draw.Scene. Its marks are columns, because a list of structs would take longer to
	// encode than to paint.
	Drawn struct {
		Width, Height int
		Scale         int
		Cells         []Cell
		Names         []Name
		Kinds         []byte    // (mark) draw.Kind
		Places        []float32 // (mark, 4) x, y, width and height
		Colours       []byte    // (mark, 3) red, green and blue
		Opacities     []float32 // (mark)
		Texts         []string  // of the marks that are texts
		// RGBA holds the pixels of the marks that have pixels. It is the last field. Otherwise the
		// fields behind it could make the encoder move megabytes to a larger buffer.
		RGBA []byte
	}
	// PNG is a PNG file.
	PNG struct{ Bytes []byte }
	// Archive is the ZIP archive of a WriteStrongest.
	Archive struct{ Bytes []byte }
	// FileRecognised says what a file is: annotations, mask, places or "" for another one.
	FileRecognised struct{ Kind string }
	// ConceptsFound has the text of concepts, as ask.GroupsOptions takes it.
	ConceptsFound struct{ Text string }
	// GeoJSON is a GeoJSON file.
	GeoJSON struct{ Bytes []byte }
	// Heatmap is the file of a WriteHeatmap.
	Heatmap struct{ Bytes []byte }
	// DICOMFile is the file of a WriteDICOM.
	DICOMFile struct{ Bytes []byte }
	// Done answers a request that has no result.
	Done struct{}
	// HelperTask is an event. JavaScript sends Task to the helper with this number, from 0, by
	// RunTask, and returns its reply by TaskResult.
	HelperTask struct {
		Ticket int
		Helper int
		Task   []byte
	}
	// CancelTask is an event: the reply to this HelperTask is not needed any more.
	CancelTask struct{ Ticket int }
	// TaskReply is the reply to a task.
	TaskReply struct{ Reply []byte }
	// EvaluateBags is an event: the function of OpenCallable has to score coalitions of the
	// request's bag, and BagScores returns the scores. A coalition is ceil(Instances/8) bytes;
	// instance i is bit i%8 of byte i/8. No coalition is empty.
	EvaluateBags struct {
		Ticket     int
		Model      int // handle
		Instances  int
		Count      int // coalitions
		Coalitions []byte
	}
	// Document is a file of text.
	Document struct{ Bytes []byte }
	// SlideOpened describes an open slide.
	SlideOpened struct {
		Handle int
		Info   SlideInfo
	}
	// Region holds pixels of a slide, opaque.
	Region struct {
		Width, Height int
		RGBA          []byte
	}
	// Overview is a whole slide in one picture, opaque.
	Overview struct {
		Width, Height int
		Scale         float64 // pixels of level 0 across that a pixel covers
		RGBA          []byte
	}
	// Tissue says which parts of a slide are tissue.
	Tissue struct {
		Width, Height int     // sides of the mask in its pixels
		Scale         float64 // pixels of level 0 across that a pixel of the mask covers
		Threshold     int     // the saturation that decided
		Mask          []byte  // (height, width), 1 for tissue
	}
	// Grid is the patches of a slide.
	Grid struct {
		PatchSize int // side of a patch in pixels of the patch
		Side      int // side of a patch in pixels of level 0
		Step      int // distance from one patch to the next in pixels of level 0
		Level     int // the level that their pixels are read from
		// Upper left corner of each patch in pixels of level 0.
		X, Y []int `ts:"readonly number[]"`
	}
	// TilesWritten describes the patches of a slide.
	TilesWritten struct {
		Report []byte // the JSON of bagscope tiles
		X, Y   []int  // upper left corners of the patches in pixels of level 0
	}
	// PatchesLaid describes patches that can be encoded.
	PatchesLaid struct {
		Handle int
		Grid   Grid
		// Stages are numbers of patches after which those that are encoded lie evenly over the
		// slide.
		Stages    []int
		Order     []int    // the patches of Grid, in the order in which they are encoded
		Encoded   []int    // patches whose features are known, ascending
		Method    string   // how tissue was found
		Threshold int      // the saturation that decided, 0 for the whole slide
		Share     float64  // part of the slide that is tissue
		Notes     []string // what may be wrong with the features
	}
	// PatchesEncoded says which patches are encoded.
	PatchesEncoded struct {
		Encoded []int    // ascending
		Shape   []int    // shape of a patch's features, empty if none is encoded
		Notes   []string // those of PatchesLaid, and which device computed the last features
	}
	// FeatureFile is the file that WriteFeatures writes.
	FeatureFile struct{ Bytes []byte }
	// Failure is the answer to a request that failed. The kinds and their details are in package
	// host.
	Failure struct {
		Kind    string
		Message string
		Details []core.Setting // values are of type string, bool, int or float64
	}
)
