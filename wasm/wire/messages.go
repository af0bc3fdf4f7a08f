package wire

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// Requests, from the client to Go. The answer to a request is the message that its comment names,
// or a Failure. Handles name open models, sets of bags and bags.
type (
	// Hello is the first request. Answer: Welcome.
	Hello struct{}

	// OpenModel opens an ONNX model. Answer: ModelOpened.
	OpenModel struct {
		Name   string
		Card   string       // JSON that overrides the file's own card, or ""
		Plain  bool         // run the whole graph for every coalition
		Limits *ModelLimits // nil for the defaults
		Bytes  []byte
		// External are the files with external tensors, by their path below the model's folder.
		External []File
		Via      string // name of a file of External that the bag goes through first, or ""
		Target   *Target
	}

	// Target is what the vector that a model returns for a bag is compared with; nil for nothing.
	Target struct {
		Name     string    // name of the file or the vector
		Bytes    []byte    // a file of vectors, see bagio.ReadVectors; empty for Vector
		Vector   []float64 // the numbers of one vector, instead of a file
		Likeness string    // cosine, dot, or "" for that of the model card
	}

	// ModelLimits are the numbers of onnxbackend.Limits; 0 is the default.
	ModelLimits struct{ ModelBytes, Elements, RunBytes, Nodes, Depth, LoopTrips, Work int }

	// ReadBags reads one file, or several files that are one bag. Answer: BagsRead.
	ReadBags struct {
		Files         []BagFile
		Read          ask.ReadOptions
		InstanceShape []int      // nil uses the model's input
		Model         int        // handle of the model that supplies missing settings, or 0
		Limits        *BagLimits // nil for the defaults
		Open          *int       // index of a bag to open with the set, or nil
		Watch         bool       // send Progress of the parts of a picture that is cut
	}

	// Survey measures the brightness of the patches of a picture. The other fields are those of
	// ReadBags. Answer: Surveyed.
	Survey struct {
		File          BagFile
		Read          ask.ReadOptions
		InstanceShape []int
		Model         int
		Limits        *BagLimits
		Watch         bool
	}

	// ViewTable requests how a table of text begins, and what its columns are taken for. The fields
	// are those of Survey. Answer: TableViewed.
	ViewTable struct {
		File          BagFile
		Read          ask.ReadOptions
		InstanceShape []int
		Model         int
		Limits        *BagLimits
	}

	// BagLimits are the fields of bagio.Limits; 0 is the default.
	BagLimits struct{ Bytes, Elements, Pixels, Instances, Bags, Columns int }

	// OpenBag opens one bag of a set. Answer: BagOpened.
	OpenBag struct {
		Set    int
		Index  int
		Labels *[]int // true labels of the instances, -1 for unknown; nil for those of the file
	}

	// SelectInstances opens a bag of some instances of another bag, in the given order. Answer:
	// BagOpened.
	SelectInstances struct {
		Bag       int
		Instances []int
	}

	// GetValues requests the values of a bag. Answer: Values.
	GetValues struct{ Bag int }

	// Predict computes the class scores of a bag. Answer: Predicted.
	Predict struct {
		Model   int
		Bag     int
		Without []int  // instances to remove from the bag
		Output  string // prob, logit, or "" for the default
		Watch   bool   // send Progress of the encoding
		Helpers int    // number of programs that can receive a HelperTask
		Eager   bool   // share work of any size with the helpers
	}

	// Plan requests how coalitions of a bag are evaluated. It waits in the queue of explanations.
	// Answer: Planned.
	Plan struct {
		Model   int
		Bag     int
		Without []int // instances to remove from the bag
	}

	// Explain attributes a prediction to the instances. Progress messages are sent before the
	// answer if Watch is true. Answer: Explained.
	Explain struct {
		Model    int
		Bag      int
		Without  []int     // instances to remove from the bag
		Methods  *[]string // nil for the default of the model
		Classes  *[]int    // nil for all
		Settings string    // name of a data set whose settings are the defaults, or ""
		// SkipMissing skips methods that the model does not support; nil does so for all methods.
		SkipMissing *bool
		// Watch requests Progress. Each message costs the engine and the page a tenth of a
		// millisecond.
		Watch   bool
		Predict bool // send Predicted before the answer
		Plan    bool // send Planned before the answer, unless the model is a function
		Notes   bool // send Noted before the answer if it will take long
		Trace   bool // return the coalitions that were evaluated
		Output  string
		Seed    uint64
		Budget  int               // most evaluations, 0 for no limit
		Memory  int               // most bytes of the bag and its explanation, 0 for no limit
		Options ask.MethodOptions // override Settings
		// Coalitions replace the sampler. Each is a string of 0 and 1, a character for each
		// instance.
		Coalitions *[]string
		Trust      bool // measure how reliable the scores are
		// Reference is what covariates are compared with, see ask.Settings.
		Reference *string
		Helpers   int  // number of programs that can receive a HelperTask
		Eager     bool // share work of any size with the helpers
	}

	// Judge measures how faithful explanations are, or any other rankings of a bag's instances.
	// Progress is sent as for Explain. Answer: Judged.
	Judge struct {
		Model   int
		Bag     int
		Without []int // instances to remove from the bag
		Judging ask.Judging
		Watch   bool // send Progress
		Helpers int  // see Explain
		Eager   bool
	}

	// Draw draws a bag, with its explanations if there are any. Answer: Drawn.
	Draw struct {
		Bag    int
		Report *Report // nil to draw the bag alone
		Look   Look
	}

	// WritePNG writes a drawing as a PNG file. Answer: PNG.
	WritePNG struct{ Draw Draw }

	// WriteGeoJSON writes explanations of a bag with places for QuPath. Answer: GeoJSON.
	WriteGeoJSON struct {
		Bag        int
		Report     Report
		ClassNames []string
		Class      int // the class that classifications are about
		Colours    string
		// InstanceNames are those of all instances of the bag, empty for the bag's own.
		InstanceNames []string
	}

	// WriteHeatmap writes an explanation of a bag with places as a pyramid over its slide, as
	// explain --map does. Answer: Heatmap.
	WriteHeatmap struct {
		// Draw holds the bag and the explanations; of its look, Method, Classes, ClassNames,
		// PerClass, Strongest, Removed, Dark and Colours are used.
		Draw Draw
		// Form is "ome.tif", an OME-TIFF with a picture for each class, or "zip", an archive with a
		// Deep Zoom picture of the first class.
		Form  string
		Name  string // of the Deep Zoom picture, without its ending
		Watch bool   // send Progress, which counts tiles
	}

	// WriteStrongest writes the patches with the highest and the lowest scores of each class into a
	// ZIP archive, the files of the command's --tiles-out: see draw.TileFiles. Answer: Archive.
	WriteStrongest struct {
		Draw   Draw // bag and explanations; of its look, ClassNames, Dark and Scale are used
		Slide  int  // handle of the slide whose patches a bag of features holds, or 0
		Number int  // patches of each class and side, at most draw.MostTiles
	}

	// WriteDICOM writes an explanation of a bag that is of DICOM files as a DICOM file, which
	// refers to them: see core/dicomout. Answer: DICOMFile.
	WriteDICOM struct {
		Bag        int
		Report     Report
		ClassNames []string
		Class      int    // the class that scores are about
		Form       string // "seg", a segmentation, or "sr", a structured report
		Top        int    // most instances of a report, 0 for all that stand out
		Colours    string
		// Identifiers is a DICOM file of the same study whose patient and study are copied, or
		// empty.
		Identifiers []byte
		Seconds     int // the file's date, since 1970-01-01T00:00:00Z
	}

	// Release closes a model, a set or a bag. Answer: Done.
	Release struct{ Handle int }

	// Cancel stops the request with this ID, whether it runs or waits. Answer: Done. The cancelled
	// request has its own answer, a Failure of kind cancelled.
	Cancel struct{ Request int }

	// TaskResult returns a helper's reply to a HelperTask, or reports that the helper has failed.
	// Answer: Done.
	TaskResult struct {
		Request int
		Ticket  int
		Failed  bool
		Reply   []byte
	}

	// RunTask computes a task of another program's request. Answer: TaskReply.
	RunTask struct {
		Model int // handle of the same model
		Task  []byte
	}

	// OpenModelFile opens a model file by its path, with the external tensors and the card beside
	// it. Only programs with files support it. Answer: ModelOpened.
	OpenModelFile struct {
		Path   string
		Name   string // of the model, "" for the file's name
		Card   string // JSON that overrides the file's own card, or ""
		Via    string // path of a model that the bag goes through first, or ""
		Target *Target
		Plain  bool
		Limits *ModelLimits
	}

	// ReadBagFile reads a file of bags, or a folder of pictures that are one bag, by its path. Only
	// programs with files support it. The other fields are those of ReadBags. Answer: BagsRead.
	ReadBagFile struct {
		Path          string
		Read          ask.ReadOptions
		InstanceShape []int
		Model         int
		Limits        *BagLimits
		Encoding      *Encoding // encodes the patches of a whole slide; nil reads it as a picture
		Watch         bool      // send Progress of the encoding
	}

	// ReadArray makes one bag of an array (k, ...) in memory. Only programs with files support it.
	// Answer: BagsRead.
	ReadArray struct {
		Name   string // of the bag
		Values Block
		Type   string // NumPy type string of the entries, such as <f4
		Shape  []int
		// Places holds the upper left corner x, y of each instance, or its corners x0, y0, x1, y1;
		// nil if the instances have no places. Without a unit in Read they are level-0 pixels.
		Places        *[]float64
		Slide         *core.Slide // what is known of the image behind Places, or nil
		Relations     *Relations
		Read          ask.ReadOptions // those of places and relations
		InstanceShape []int           // nil uses the model's input
		Model         int             // handle of the model that supplies the layout, or 0
		Limits        *BagLimits
	}

	// OpenCallable opens a function of the client as a model. Requests with it send EvaluateBags.
	// Answer: ModelOpened.
	OpenCallable struct {
		Name     string
		Classes  []string // names
		Scale    string   // a value of core.Scale
		Negative int      // the negative class, -1 if there is none
		Batch    bool     // many coalitions take little more time than a few
	}

	// OpenEnsemble opens several models of one task as one, see ask.NewEnsemble. They are model
	// files that are open. Answer: ModelOpened.
	OpenEnsemble struct {
		Models []int  // handles
		Mean   string // a value of core.Mean, "" for the default
	}

	// BagScores answers EvaluateBags, or reports that the function has failed. Answer: Done.
	BagScores struct {
		Request int
		Ticket  int
		Failed  bool
		Scores  []float64 // (coalition, class)
	}

	// WriteCSV writes cells as a CSV file, in which texts that spreadsheets would run are escaped.
	// Only programs with files support it. Answer: Document.
	WriteCSV struct{ Rows [][]string }

	// Inspect describes a model file as the command bagscope inspect does. Only programs with files
	// support it. Answer: Document.
	Inspect struct {
		Model int
		Bag   int    // determines the plan; 0 generates bags of random values
		Stage string // stage whose nodes are listed: graph, passes, plan, or "" for none
		Plain int    // handle of the same model opened with Plain; stage graph lists its nodes
	}

	// ScoreCoalitions computes the class scores of coalitions. It waits in the queue of
	// explanations, except for a few coalitions of the bag that is encoded already. Answer:
	// CoalitionScores.
	ScoreCoalitions struct {
		Model  int
		Bag    int
		Output string // prob, logit, or "" for the default
		Count  int
		// Coalitions holds a bit for each instance, from the lowest of the first byte on, and
		// begins a byte for each coalition. None is empty.
		Coalitions []byte
	}

	// OpenSlide opens a whole-slide picture in one file, or in several that lie beside each other.
	// Answer: SlideOpened.
	OpenSlide struct {
		Name      string
		Files     []SlideFile
		TileNames string // which number in names of tiles is x, "xy" or "yx", or ""
	}

	// ReadRegion requests the pixels of a rectangle of a level, at most 2^22. Answer: Region.
	ReadRegion struct {
		Slide         int
		Level         int
		X, Y          int // upper left corner in pixels of the level
		Width, Height int
	}

	// ReadOverview requests the whole slide in one picture. Answer: Overview.
	ReadOverview struct {
		Slide int
		Side  int // most pixels of the longer side, at most 4096
	}

	// FindTissue requests which parts of a slide are tissue. Answer: Tissue.
	FindTissue struct {
		Slide     int
		Side      int // see ReadOverview; 0 takes the overview of LayPatches
		Threshold int // see slide.TissueOptions
		Smallest  int
	}

	// PlaceGrid places patches over the tissue, or over the whole slide. Answer: Grid.
	PlaceGrid struct {
		Slide  int
		Tissue *FindTissue // nil for the whole slide; its field Slide is not read
		// The fields from here on are those of slide.GridOptions.
		PatchSize int
		Microns   float64
		Overlap   int
		MinTissue float64
	}

	// WriteTiles writes the patches of a slide to a file, as the command bagscope tiles does: their
	// places, and with an encoder their features. Only programs with files support it. Answer:
	// TilesWritten.
	WriteTiles struct {
		Path     string
		Out      string // path of the file, or ""
		Mask     string // path of the picture of the tissue, or ""
		Encoding Encoding
		SlideMpp *float64 // microns of a pixel of level 0; nil or 0 is what the slide states
		Watch    bool     // send Progress, which counts patches
		Memory   int      // most bytes, 0 for no limit
	}

	// OpenEncoder opens an ONNX model that turns pictures into features. The fields are those of
	// OpenModel. Answer: ModelOpened.
	OpenEncoder struct {
		Name     string
		Card     string
		Limits   *ModelLimits
		Bytes    []byte
		External []File
	}

	// LayPatches lays patches on a slide, to be encoded in parts. Answer: PatchesLaid.
	LayPatches struct {
		Grid    PlaceGrid
		Encoder int // handle of an encoder, or 0
		// Model is the handle of a model that takes pixels, read if Encoder is 0. The encoder that
		// it contains encodes patches; if it contains none, or for 0, they stay pictures.
		Model int
		// From is the handle of other patches of the slide, or 0. The features of those at the same
		// places are kept if the encoder is the same.
		From int
		// Tissue is a file that marks the tissue, instead of Grid.Tissue; Places one with the
		// places of patches, instead of a grid. Nil for none. Exclude are files that mark what is
		// no tissue.
		Tissue, Places *File
		Exclude        []File
	}

	// RecogniseFile asks what a file states of the patches of a slide, see patches.KindOf, or
	// whether it is another library's "configuration" of an encoder. Answer: FileRecognised.
	RecogniseFile struct {
		Slide int // handle, or 0 for none
		File  File
	}

	// EncodePatches encodes patches until so many are done. What is done when the request fails or
	// is cancelled stays done. Answer: PatchesEncoded.
	EncodePatches struct {
		Patches int
		Until   int
		Watch   bool // send Progress, which counts patches
		Helpers int  // see Predict
		Eager   bool
	}

	// ContinuePatches takes the features of a file that WriteFeatures has written before. Answer:
	// PatchesEncoded.
	ContinuePatches struct {
		Patches int
		Name    string // name of the file
		Bytes   []byte
	}

	// OpenPatches opens the patches that are encoded as a bag. Answer: BagOpened.
	OpenPatches struct{ Patches int }

	// WriteFeatures writes the features of the patches that are encoded, as the command bagscope
	// tiles does. Answer: FeatureFile.
	WriteFeatures struct{ Patches int }

	// JoinBags opens a bag of the instances of a bag and then those of another one, see
	// core.Bag.With. Answer: BagOpened.
	JoinBags struct{ Bag, Other int }

	// LabelBag opens a bag of the same instances, which have places, with labels: the class of the
	// annotation that a patch lies in, from 1 in the order of the file, or 0 for none. Answer:
	// BagOpened.
	LabelBag struct {
		Bag         int
		Annotations []byte // a file as annotation.Read reads it
	}

	// FindConcepts requests the sets of instances that a file names, see ask.Input.NameFile.
	// Answer: ConceptsFound.
	FindConcepts struct {
		Bag   int
		Name  string // name of the file
		Bytes []byte
	}

	// StateInputs opens a bag of the same instances with other covariates, as users write them: see
	// core.ParseCovariates. Those that it does not name stay. Answer: BagOpened.
	StateInputs struct {
		Bag    int
		Inputs string
	}

	// WriteAnswer answers a question as the commands explain, sets, pairs, whatif, groups, inside
	// and check do. All parts of the answer share one game, so that evaluations and values are the
	// commands'. Only programs with files support it. Noted is sent if explain will take long.
	// Answer: Document.
	WriteAnswer struct {
		Question string // name of the command
		Model    int
		Bag      int
		Without  []int    // instances to remove from the bag
		Donor    int      // handle of the bag whose instances whatif may add, or 0
		Notes    []string // notes of the client, beside those on the file of the bag
		Request  []byte   // JSON with the keys of ask.Settings, or of ask.Ask and the options
		Watch    bool     // send Progress, whose total is 0 if no bound is known, as of a search
		Memory   int      // most bytes of the answer, 0 for no limit
		// FromFile and FromBytes are the request that opened the model. The question check opens it
		// again with shuffled weights; without either it does not shuffle.
		FromFile  *OpenModelFile
		FromBytes *OpenModel
	}
)

// Bodies lists every message, in the order of its number on the wire, from 1. Those of what-ifs are
// the last.
func Bodies() []any {
	return append([]any{
		Hello{}, OpenModel{}, ReadBags{}, OpenBag{}, SelectInstances{}, GetValues{}, Predict{},
		Explain{}, Draw{}, WritePNG{}, Release{}, Cancel{},
		Welcome{}, ModelOpened{}, BagsRead{}, BagOpened{}, Values{}, Predicted{}, Progress{},
		Explained{}, Drawn{}, PNG{}, Done{}, Failure{},
		TaskResult{}, RunTask{}, HelperTask{}, CancelTask{}, TaskReply{},
		Judge{}, ask.Judged{},
		Plan{}, ask.Planned{},
		WriteGeoJSON{}, GeoJSON{},
		OpenModelFile{}, ReadBagFile{}, ReadArray{}, OpenCallable{}, BagScores{}, WriteCSV{},
		EvaluateBags{}, Document{},
		Inspect{},
		ScoreCoalitions{}, CoalitionScores{},
		OpenSlide{}, ReadRegion{}, ReadOverview{}, FindTissue{}, PlaceGrid{},
		SlideOpened{}, Region{}, Overview{}, Tissue{}, Grid{},
		WriteTiles{}, TilesWritten{},
		OpenEncoder{}, LayPatches{}, EncodePatches{}, ContinuePatches{}, OpenPatches{},
		WriteFeatures{}, PatchesLaid{}, PatchesEncoded{}, FeatureFile{},
		JoinBags{}, WriteAnswer{},
		WriteHeatmap{}, Heatmap{},
		Survey{}, Surveyed{},
		Noted{},
		StateInputs{}, LabelBag{}, RecogniseFile{}, WriteStrongest{}, Archive{},
		WriteDICOM{}, DICOMFile{}, FileRecognised{},
		ViewTable{}, TableViewed{},
		OpenEnsemble{},
		FindConcepts{}, ConceptsFound{},
	}, whatIfs...)
}
