package wire

// Requests, from JavaScript to Go. The answer to a request is the message that its comment names,
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
	}

	// ModelLimits are the numbers of onnxbackend.Limits; 0 is the default.
	ModelLimits struct{ ModelBytes, Elements, RunBytes, Nodes, Depth, LoopTrips, Work int }

	// ReadBags reads one file, or several files that are one bag. Answer: BagsRead.
	ReadBags struct {
		Files []File
		// Patch states how a picture is cut; nil uses the model's card.
		Patch         *Patch
		InstanceShape []int      // nil uses the model's input
		Array         string     // name of the array of features, or ""
		Model         int        // handle of the model that supplies missing settings, or 0
		Limits        *BagLimits // nil for the defaults
	}

	// BagLimits are the fields of bagio.Limits; 0 is the default.
	BagLimits struct{ Bytes, Elements, Pixels, Instances, Bags, Columns int }

	// OpenBag opens one bag of a set. Answer: BagOpened.
	OpenBag struct {
		Set   int
		Index int
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
		Model       int
		Bag         int
		Without     []int // instances to remove from the bag
		Methods     []string
		Classes     *[]int // nil for all
		Settings    string // name of a data set whose settings are the defaults, or ""
		SkipMissing bool   // skip methods that the model does not support
		// Watch requests Progress. Each message costs the engine and the page a tenth of a
		// millisecond.
		Watch  bool
		Trace  bool // return the coalitions that were evaluated
		Output string
		Seed   uint64
		Budget int // most evaluations, 0 for no limit
		Memory int // most bytes of the bag and its explanation, 0 for no limit
		// Options are options of methods, by JSOption of their names. They override Settings.
		Options []Setting
		// Coalitions replace the sampler. Each is a string of 0 and 1, a character for each
		// instance.
		Coalitions *[]string
		Trust      bool // measure how reliable the scores are
		Helpers    int  // number of programs that can receive a HelperTask
		Eager      bool // share work of any size with the helpers
	}

	// Judge measures how faithful explanations are, or any other rankings of a bag's instances.
	// Progress is sent as for Explain. Answer: Judged.
	Judge struct {
		Model    int
		Bag      int
		Without  []int // instances to remove from the bag
		Rankings []Ranking
		Metrics  []string // names, or all
		Orders   int      // random orders of AOPC-R, 0 for 10
		// References adds a random ranking of each class, and the ranking by true relevance if the
		// bag has labels.
		References bool
		Preset     string
		Strict     bool
		Watch      bool // send Progress
		Output     string
		Seed       uint64
		Budget     int
		// Memory is the most bytes of the bag and its coalitions, 0 for 1 GiB of coalitions.
		Memory  int
		Helpers int // as in Explain
		Eager   bool
	}

	// Draw draws a bag, with its explanations if there are any. Answer: Drawn.
	Draw struct {
		Bag        int
		Shown      *[]Shown  // all explanations of one method, nil to draw the bag alone
		Prediction []float64 // prediction of the report, or empty
		// Classes are the drawn classes, nil for all. The others count for the common scale.
		Classes *[]int
		Kind    string // strip, overlay, bars, or "" for the kind that suits the bag
		// The fields from here on are those of core/draw.Options.
		Width      int
		Cell       int
		Scale      int
		Dark       bool
		ClassNames []string
		PerClass   bool
		Removed    []int
		Top        int
		Discount   bool
		Opacity    float64
		Sorted     bool
	}

	// EncodePNG encodes pixels, four bytes each, as a PNG file. Answer: PNG.
	EncodePNG struct {
		Width, Height int
		RGBA          []byte
	}

	// WriteGeoJSON writes explanations of a bag with places for QuPath. Answer: GeoJSON.
	WriteGeoJSON struct {
		Bag        int
		Measured   []Measured
		ClassNames []string
		Class      int   // the class that classifications are about
		Instances  []int // the instances of the bag that the scores belong to
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
)

// Answers and events, from Go to JavaScript. They have the ID of their request.
type (
	// Welcome contains the tables of the core, so that a page can build its forms from them.
	Welcome struct {
		Version  string
		Methods  []Method
		Settings []DataSettings
		Metrics  []Metric
	}
	// ModelOpened describes an open model.
	ModelOpened struct {
		Handle int
		Info   ModelInfo
	}
	// BagsRead lists the bags of a set. OpenBag opens one by its index in Names.
	BagsRead struct {
		Handle int
		Names  []string
		Notes  []string
	}
	// BagOpened describes an open bag.
	BagOpened struct {
		Handle int
		Info   BagInfo
	}
	// Values are the values of a bag, instance after instance.
	Values struct{ Values []float32 }
	// Predicted is a prediction. Prediction is on the scale Output, Scores are the model's own
	// values on the scale Scale.
	Predicted struct {
		Prediction []float64
		Output     string
		Scores     []float64
		Scale      string
		Classes    []string
		Outputs    []Tensor
		Notes      []string
	}
	// Planned describes how coalitions of a bag are evaluated.
	Planned struct {
		Strategy string   // the strategy of onnxbackend.PlanInfo
		Bytes    int      // bytes of the encoded bag
		Once     []string // operators that run once for the bag
		Each     []string // operators that run for coalitions
		Meet     []string // the operators in Each that mix instances
		Why      []string // reasons for the cut
	}
	// Progress counts encoded instances if Instances is true, otherwise evaluations. The total
	// number of evaluations is an upper bound.
	Progress struct {
		Completed int
		Total     int
		Instances bool
	}
	// Explained is a report with the scores of all methods and classes.
	Explained struct {
		Prediction   []float64
		Output       string
		Explanations []Explanation
		Skipped      []Skipped
		Evaluations  int
		Seed         uint64
		Notes        []string
		Classes      []string // names
		Instances    []int    // the instances of the bag that the scores belong to
		Coalitions   []string // the evaluated coalitions, if Trace was set
		Trust        []Trust  // a value for each method, if Trust was set
	}
	// Judged holds the metrics of rankings.
	Judged struct {
		Judgements  []Judgement
		Random      []Band // the random curve of each class, if AOPC-R was requested
		Output      string
		Evaluations int
		Seed        uint64
		Classes     []string // names
		Instances   []int    // the ranked instances of the bag
	}
	// Drawn is a picture with the places of its cells.
	Drawn struct {
		Width, Height int
		Cells         []Cell
		// RGBA is the last field. Otherwise the fields behind it could make the encoder move
		// megabytes to a larger buffer.
		RGBA []byte
	}
	// PNG is a PNG file.
	PNG struct{ Bytes []byte }
	// GeoJSON is a GeoJSON file.
	GeoJSON struct{ Bytes []byte }
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
	// Failure is the answer to a request that failed. The kinds and their details are in package
	// host.
	Failure struct {
		Kind    string
		Message string
		Details []Setting
	}
)

// Parts of messages.
type (
	// File is a file that the user has chosen.
	File struct {
		Name  string
		Bytes []byte
	}
	// Patch states how a picture is cut into patches.
	Patch struct {
		Size       int     // side in pixels, 0 for the side of the model's instances
		Stride     int     // distance in pixels, 0 for Size
		Background float64 // patches of at least this mean brightness are omitted, 0 for none
	}
	// Method is a row of core.Methods.
	Method struct {
		Name    string
		Title   string
		Summary string
		Cost    string
		Options []string
	}
	// DataSettings are the paper's settings for a data set. Options have the names of JSOption; an
	// option that is absent has its default.
	DataSettings struct {
		Name    string
		Title   string
		Options []Setting
	}
	// ModelInfo is core.ModelInfo with the parts of the model card that pages show.
	ModelInfo struct {
		Name         string
		SHA256       string
		Opset        int
		Inputs       []TensorInfo
		Outputs      []TensorInfo
		Operators    []string
		Parameters   int
		Input        string
		InstanceAxis int
		Output       string
		Classes      []string
		Negative     int
		Scale        string
		Inherent     string
		Truth        []Truth
		Notes        []string
		Patch        *Patch
		Preprocess   *Preprocess
	}
	// Preprocess is the preprocessing of the model card.
	Preprocess struct {
		Scale     float64
		Mean, Std []float64 // one for each channel, or one for all channels
	}
	// TensorInfo is core.TensorInfo.
	TensorInfo struct {
		Name  string
		Type  string
		Shape []int
		Names []string
	}
	// Truth is core.Truth: the labels that support and refute a class.
	Truth struct {
		Support []int
		Refute  []int
	}
	// BagInfo describes a bag. Boxes are the places of its instances in a picture.
	BagInfo struct {
		Name      string
		Instances int
		Shape     []int
		Raw       bool
		Boxes     *[]Box
		Labels    *[]int
		Classes   *[]int
		Slide     *Slide // what the file says of the image behind the boxes, or nil
	}
	// Slide holds the fields of core.Slide; 0 is unknown.
	Slide struct {
		Width, Height      int
		Magnification, MPP float64
		PatchSize          int
	}
	// Box is a rectangle in pixels.
	Box struct{ X, Y, Width, Height int }
	// Tensor is an output of the model.
	Tensor struct {
		Name  string
		Type  string
		Shape []int
		Data  []float64
	}
	// Explanation is core.Explanation: the scores of one class by one method.
	Explanation struct {
		Method      string
		Settings    []Setting
		Class       int
		Scores      []float64
		Unit        string
		Stderr      *[]float64
		Freedom     float64
		Neutral     float64
		Evident     []bool
		R2          *float64
		Evaluations int
		Notes       []string
	}
	// Trust is metric.Trust.
	Trust struct {
		Method      string
		Classes     []int
		Aopcr       []TrustRow
		Beaten      []int
		Correlation []float64
		Cuts        int
		Sentences   []string
	}
	// TrustRow holds the AOPC-R of one method for each class.
	TrustRow struct {
		Method string
		Values []float64
	}
	// Ranking holds the scores that order the instances, and the fit of the surrogate if there is
	// one.
	Ranking struct {
		Method string
		Class  int
		Scores []float64
		R2     *float64
	}
	// Judgement holds the metrics of one ranking. Morf and Lerf are the removal curves, most and
	// least relevant instances first; they are empty if no requested metric needs them.
	Judgement struct {
		Method  string
		Class   int
		Values  []Score
		Spread  *float64 // of the random orders
		Trivial bool     // every order has the same value
		Morf    []float64
		Lerf    []float64
	}
	// Score is the value of a metric.
	Score struct {
		Metric string
		Value  float64
	}
	// Band is the mean removal curve of random orders with its standard deviation.
	Band struct {
		Class     int
		Mean      []float64
		Deviation []float64
	}
	// Metric is a row of metric.Metrics.
	Metric struct {
		Name    string
		Title   string
		Summary string
		Labels  bool // it needs instance labels
		Lower   bool // lower values are better
	}
	// Shown holds the fields of an explanation that a drawing needs.
	Shown struct {
		Method  string
		Class   int
		Scores  []float64
		Unit    string
		Neutral float64
		Evident []bool // empty if every score is drawn as evidence
	}
	// Measured holds the fields of an explanation that a GeoJSON file needs.
	Measured struct {
		Method  string
		Class   int
		Scores  []float64
		Stderr  *[]float64
		Neutral float64
		Evident []bool
	}
	// Skipped is a method that the model does not support.
	Skipped struct {
		Method string
		Reason string
	}
	// Setting is a name with a string, bool, int or float64.
	Setting struct {
		Name  string
		Value any
	}
	// Cell is the place of an instance, or of its score for a class, in a drawing.
	Cell struct {
		Instance int
		Class    *int // nil for the instance itself
		X, Y     int
		Width    int
		Height   int
	}
)

// Bodies lists every message, in the order of its number on the wire, from 1. New messages are
// added at the end.
func Bodies() []any {
	return []any{
		Hello{}, OpenModel{}, ReadBags{}, OpenBag{}, SelectInstances{}, GetValues{}, Predict{},
		Explain{}, Draw{}, EncodePNG{}, Release{}, Cancel{},
		Welcome{}, ModelOpened{}, BagsRead{}, BagOpened{}, Values{}, Predicted{}, Progress{},
		Explained{}, Drawn{}, PNG{}, Done{}, Failure{},
		TaskResult{}, RunTask{}, HelperTask{}, CancelTask{}, TaskReply{},
		Judge{}, Judged{},
		Plan{}, Planned{},
		WriteGeoJSON{}, GeoJSON{},
	}
}
