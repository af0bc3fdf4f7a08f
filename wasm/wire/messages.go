package wire

// Requests, from JavaScript to Go. Each is answered by the message named beside it, or by a
// Failure.
type (
	// Hello opens the conversation. Answer: Welcome.
	Hello struct{}

	// OpenModel opens an ONNX model. Answer: ModelOpened.
	OpenModel struct {
		Name     string
		Card     string       // JSON that wins over the file's own card, or ""
		Plain    bool         // run the whole graph for every coalition
		Limits   *ModelLimits // nil for the defaults
		Bytes    []byte
		External []File // what the model keeps tensors in, by path below its folder
	}

	// ModelLimits are those of onnxbackend.Limits; 0 is the default.
	ModelLimits struct{ ModelBytes, Elements, RunBytes, Nodes, Depth, LoopTrips, Work int }

	// ReadBags reads one file, or several that are one bag. Answer: BagsRead.
	ReadBags struct {
		Files         []File
		Patch         *Patch // how a picture is cut
		InstanceShape []int
		Model         int        // handle of a model whose card fills in what is missing, or 0
		Limits        *BagLimits // nil for the defaults
	}

	// BagLimits are those of bagio.Limits; 0 is the default.
	BagLimits struct{ Bytes, Elements, Pixels, Instances, Bags, Columns int }

	// TakeBag takes one bag out of a set. Answer: BagTaken.
	TakeBag struct {
		Set   int
		Index int
	}

	// SelectInstances makes a bag of some instances of another, in the order given. Answer:
	// BagTaken.
	SelectInstances struct {
		Bag       int
		Instances []int
	}

	// GetValues asks for the values of a bag. Answer: Values.
	GetValues struct{ Bag int }

	// Predict scores a bag. Answer: Predicted.
	Predict struct {
		Model   int
		Bag     int
		Without []int  // instances that are left out
		Output  string // prob, logit, or "" for the default
		Watch   bool   // send Progress of the encoding
		Helpers int    // programs that may be asked, by Shared, to encode a part
		Eager   bool   // ask them for any part, however small
	}

	// Plan asks how coalitions of a bag are evaluated. It waits for its turn as an explanation
	// does. Answer: Planned.
	Plan struct {
		Model   int
		Bag     int
		Without []int // instances that are left out
	}

	// Explain attributes a prediction. Progress messages come first if they are asked for; answer:
	// Explained.
	Explain struct {
		Model       int
		Bag         int
		Without     []int // instances that are left out
		Methods     []string
		Classes     *[]int // nil for all
		Settings    string // name of a data set whose settings fill in what is nil, or ""
		SkipMissing bool
		// send Progress: each message costs the engine and the page a tenth of a millisecond
		Watch  bool
		Trace  bool // return the coalitions that were evaluated
		Output string
		Seed   uint64
		Budget int
		// most bytes that the bag and its explanation may take, 0 for no limit
		Memory int
		// options of methods, by JSOption of their names; they win over Settings
		Options []Setting
		// in place of drawn ones: 0 and 1, a character for each instance; or nil
		Coalitions *[]string
		Trust      bool // measure how far the scores can be trusted
		Helpers    int  // programs that may be asked, by Shared, to do a part
		Eager      bool // ask them for any part, however small
	}

	// Judge measures how faithful explanations are, or any other rankings of a bag's instances.
	// Progress as for Explain; answer: Judged.
	Judge struct {
		Model    int
		Bag      int
		Without  []int // instances that are left out
		Rankings []Ranking
		Metrics  []string // names, or all
		Orders   int      // random orders of AOPC-R, 0 for 10
		// judge a random ranking of each class as well, and that by true relevance
		References bool
		Preset     string
		Strict     bool
		Watch      bool // send Progress
		Output     string
		Seed       uint64
		Budget     int
		// most bytes that the bag and its coalitions may take, 0 for 1 GiB of coalitions
		Memory  int
		Helpers int // see Explain
		Eager   bool
	}

	// Draw draws a bag, with explanations of it when there are any. Answer: Drawn.
	Draw struct {
		Bag        int
		Shown      *[]Shown  // all explanations of one method, nil to draw the bag alone
		Prediction []float64 // of the report, or empty
		// those that are drawn, nil for all; the others count for the common scale
		Classes    *[]int
		Kind       string // strip, overlay, bars, or "" for what suits the bag
		Width      int    // the fields from here on are those of core/draw.Options
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

	// EncodePNG writes pixels as a PNG file. Answer: PNG.
	EncodePNG struct {
		Width, Height int
		RGBA          []byte
	}

	// Release frees what a handle names: a model, a set or a bag. Answer: Done.
	Release struct{ Handle int }

	// Cancel stops the request of that ID, running or waiting. Answer: Done, beside the Failure of
	// kind cancelled that the request itself gets.
	Cancel struct{ Request int }

	// Hand brings what a helper replied to a task of a request, or that the helper is lost. Answer:
	// Done.
	Hand struct {
		Request int
		Ticket  int
		Lost    bool
		Reply   []byte
	}

	// Assist does a task for another program. Answer: Assisted.
	Assist struct {
		Model int // handle of the same model
		Task  []byte
	}
)

// Answers and events, from Go to JavaScript. They carry the ID of their request.
type (
	Welcome struct {
		Version  string
		Methods  []Method
		Settings []DataSettings
		Metrics  []Metric
	}
	ModelOpened struct {
		Handle int
		Info   ModelInfo
	}
	BagsRead struct {
		Handle int
		Names  []string
		Notes  []string
	}
	BagTaken struct {
		Handle int
		Info   BagInfo
	}
	Values    struct{ Values []float32 }
	Predicted struct {
		Prediction []float64
		Output     string
		Scores     []float64
		Scale      string
		Classes    []string
		Outputs    []Tensor
		Notes      []string
	}
	Planned struct {
		Strategy string   // as onnxbackend.PlanInfo has it
		Bytes    int      // that the encoded bag takes
		Once     []string // operators that run once for the bag
		Each     []string // operators that run for coalitions
		Meet     []string // those of them at which instances meet
		Why      []string
	}
	Progress struct {
		Completed int
		Total     int  // an upper bound, for evaluations
		Instances bool // they are instances that have been encoded, else evaluations
	}
	Explained struct {
		Prediction   []float64
		Output       string
		Explanations []Explanation
		Skipped      []Skipped
		Evaluations  int
		Seed         uint64
		Notes        []string
		Classes      []string // names
		Instances    []int    // of the bag, that the scores belong to
		Coalitions   []string
		Trust        []Trust // for each method, if it was asked for
	}
	Judged struct {
		Judgements  []Judgement
		Random      []Band // for each class judged, where AOPC-R is asked for
		Output      string
		Evaluations int
		Seed        uint64
		Classes     []string // names
		Instances   []int    // of the bag, that are ranked
	}
	Drawn struct {
		Width, Height int
		Cells         []Cell
		// last: what comes behind megabytes has them copied to where there is room for both
		RGBA []byte
	}
	PNG  struct{ Bytes []byte }
	Done struct{}
	// Shared asks for a helper, counted from 0, to do a task by Assist. The reply comes back by
	// Hand.
	Shared struct {
		Ticket int
		Helper int
		Task   []byte
	}
	// Unshared says that the reply to a task is no longer wanted.
	Unshared struct{ Ticket int }
	Assisted struct{ Reply []byte }
	// Failure takes the place of an answer.
	Failure struct {
		Kind    string
		Message string
		Details []Setting
	}
)

// Parts of messages.
type (
	File struct {
		Name  string
		Bytes []byte
	}
	Patch struct {
		Size       int     // 0 means the side of the model's instances
		Stride     int     // 0 means Size
		Background float64 // 0 means that no patch is left out
	}
	Method struct {
		Name    string
		Title   string
		Summary string
		Cost    string
		Options []string
	}
	DataSettings struct {
		Name    string
		Title   string
		Samples int
		Alpha   float64
		Beta    float64
		MeanBag int
		Repeats bool
	}
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
	Preprocess struct {
		Scale     float64
		Mean, Std []float64 // (channel), or one for all
	}
	TensorInfo struct {
		Name  string
		Type  string
		Shape []int
		Names []string
	}
	Truth struct {
		Support []int
		Refute  []int
	}
	BagInfo struct {
		Name      string
		Instances int
		Shape     []int
		Raw       bool
		Boxes     *[]Box
		Labels    *[]int
		Classes   *[]int
	}
	Box    struct{ X, Y, Width, Height int }
	Tensor struct {
		Name  string
		Type  string
		Shape []int
		Data  []float64
	}
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
	TrustRow struct {
		Method string
		Values []float64
	}
	// Ranking is what judging needs of an explanation.
	Ranking struct {
		Method string
		Class  int
		Scores []float64
		R2     *float64
	}
	Judgement struct {
		Method  string
		Class   int
		Values  []Score
		Spread  *float64
		Trivial bool
		Morf    []float64 // empty where no metric asked for it
		Lerf    []float64
	}
	// Score is the value of a metric.
	Score struct {
		Metric string
		Value  float64
	}
	// Band is a curve of removal, averaged over random orders, with its standard deviation.
	Band struct {
		Class     int
		Mean      []float64
		Deviation []float64
	}
	Metric struct {
		Name    string
		Title   string
		Summary string
		Labels  bool
		Lower   bool
	}
	// Shown is what a drawing needs of an explanation.
	Shown struct {
		Method  string
		Class   int
		Scores  []float64
		Unit    string
		Neutral float64
		Evident []bool // empty if every score is drawn as evidence
	}
	Skipped struct {
		Method string
		Reason string
	}
	// Setting is a name with a string, bool, int or float64.
	Setting struct {
		Name  string
		Value any
	}
	Cell struct {
		Instance int
		Class    *int // nil for the instance itself
		X, Y     int
		Width    int
		Height   int
	}
)

// Bodies lists every message, in the order of its number on the wire, from 1. New ones are added at
// the end.
func Bodies() []any {
	return []any{
		Hello{}, OpenModel{}, ReadBags{}, TakeBag{}, SelectInstances{}, GetValues{}, Predict{},
		Explain{}, Draw{}, EncodePNG{}, Release{}, Cancel{},
		Welcome{}, ModelOpened{}, BagsRead{}, BagTaken{}, Values{}, Predicted{}, Progress{},
		Explained{}, Drawn{}, PNG{}, Done{}, Failure{},
		Hand{}, Assist{}, Shared{}, Unshared{}, Assisted{},
		Judge{}, Judged{},
		Plan{}, Planned{},
	}
}
