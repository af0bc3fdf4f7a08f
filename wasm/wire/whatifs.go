package wire

// Requests of what-ifs. Instances have their numbers in the bag of the request.
type (
	// Sets requests the smallest sets of instances that decide an answer. It waits in the queue of
	// explanations, as the other what-ifs do. Answer: SetsFound.
	Sets struct {
		Ask     Ask
		Kind    string   // sufficient or necessary, "" for sufficient
		Level   *float64 // see core.SetsQuestion
		Several int      // number of disjoint sets, 0 for 1
	}

	// Curves requests an answer by the number of instances. Answer: CurvesFound.
	Curves struct {
		Ask Ask
		// Scores are those of a map, for the instances that are not removed; nil leaves it out.
		Scores *[]float64
	}

	// Pairs requests the interactions of pairs of instances, see core.PairsQuestion. Answer:
	// PairsFound.
	Pairs struct {
		Ask         Ask
		Interaction string // shapley, guided or faithful, "" for shapley
		Among       int    // number of instances whose pairs are evaluated, 0 for 30
		Contexts    int    // contexts to draw, 0 for 64
	}

	// Turn requests the fewest changes that turn an answer. Answer: TurnFound.
	Turn struct {
		Ask   Ask
		Level *float64 // see core.SetsQuestion
		// Members are the instances that are in the bag at first; the others may be added. Nil means
		// all.
		Members *[]int
		Moves   string // add, remove or both, "" for remove
		Most    int    // largest number of changes, 0 for no limit
	}

	// Inside requests which parts of an instance matter, see core.InsideQuestion. Answer:
	// InsideFound.
	Inside struct {
		Ask      Ask
		Instance int
		Cell     int    // side of a cell, 0 for the smallest that makes at most 100 cells
		Hidden   string // mean, blur or zero, "" for mean
		Samples  int    // sets of visible cells to draw, 0 for 6 for each cell, at least 400
		Fixed    bool   // keep all other instances
	}

	// Check requests sanity checks of a map, see metric.CheckQuestion. Its Progress counts the
	// evaluations of one explanation after the other. Answer: CheckFound.
	Check struct {
		Ask Ask
		// From is the request that opened the model. It is opened again with shuffled weights; nil
		// leaves out this check.
		From   *OpenModel
		Method string  // method whose map is checked, "" for the default
		Noise  float64 // relative to the values' spread, 0 for 0.05
		Marked float64 // share of the instances that get a mark, 0 for 0.1
	}

	// Groups requests the instances that the model encodes to nearly the same values, see
	// core.Game.Groups. Answer: GroupsFound.
	Groups struct{ Ask Ask }
)

// Answers to what-ifs.
type (
	// SetsFound holds disjoint sets in the order of the search, see core.Sets.
	SetsFound struct {
		Answered Answered
		Kind     string
		Level    *float64 // nil if the class has to be the largest
		Sets     []DecisiveSet
	}
	// CurvesFound are the values of the class by the number of instances, see core.Curves.
	CurvesFound struct {
		Answered Answered
		Kept     []CurvePoint
		Removed  []CurvePoint
	}
	// PairsFound holds interactions, see core.Pairs.
	PairsFound struct {
		Answered    Answered
		Interaction string
		Unit        string
		Among       []int     // instances whose pairs were evaluated
		Alone       []float64 // (place in Among) effect of the instance alone
		Pairs       []Pair    // the largest magnitude first
		Twins       [][]int   // groups of instances that act alike
		Contexts    int       // contexts that were drawn, 0 if all coalitions were evaluated
		Freedom     float64   // degrees of freedom of standard errors
	}
	// TurnFound holds changes that turn the answer, see core.Turn.
	TurnFound struct {
		Answered Answered
		Level    *float64 // nil if the class has to be the largest
		Above    bool     // the class has to become the largest, or to reach Level
		Steps    []TurnStep
		Turned   bool         // the last step turns the answer
		Fewest   *DecisiveSet // the fewest changes that were found, or nil
	}
	// InsideFound holds the scores of the parts of an instance, see core.InsideMap.
	InsideFound struct {
		Answered      Answered
		Instance      int
		Cell          int // side of a cell in pixels, or its number of features
		Height, Width int // sides of the instance in pixels; a vector of features is one row
		Rows, Columns int // numbers of cells
		Hidden        string
		Unit          string
		Scores        []float64 // (cell), row by row
		Stderr        []float64 // (cell), empty if all sets of cells were evaluated
		Evident       []bool    // (cell)
		Freedom       float64   // degrees of freedom of standard errors
		Whole         float64   // effect of hiding all cells
		Without       []float64 // (class) of the bag if the instance is hidden
		Samples       int       // sets of visible cells
		Contexts      int       // contexts of the other instances
	}
	// CheckFound holds sanity checks of a map, see metric.Checks.
	CheckFound struct {
		Answered Answered
		Method   string
		Seeds    float64      // rank correlation with the map of another seed
		Layers   *LayersCheck // nil if no weights can be shuffled
		Noise    NoiseCheck
		Mark     MarkCheck
	}
	// GroupsFound holds groups of two or more instances, in ascending order.
	GroupsFound struct {
		Answered Answered
		Groups   [][]int
	}
)

// Parts of what-ifs.
type (
	// Ask holds what the requests of all what-ifs have in common. Their Progress counts evaluations
	// and has the total 0, because a search has no useful bound.
	Ask struct {
		Model   int
		Bag     int
		Without []int // instances to remove from the bag
		Class   *int  // nil for the largest of the first head
		Output  string
		Seed    uint64
		Budget  int  // most evaluations, 0 for no limit
		Watch   bool // send Progress
		Helpers int  // see Explain
		Eager   bool
	}
	// Answered is the common part of the answers.
	Answered struct {
		Class       int
		Classes     []string
		Prediction  []float64 // (class) of the bag
		Units       []string  // (class)
		Output      string
		Evaluations int
		Seed        uint64
		Notes       []string
	}
	// DecisiveSet is core.Decisive.
	DecisiveSet struct {
		Instances  []int
		Values     []float64 // (class) of the bag after the change
		Smallest   bool      // proved by evaluating all smaller sets
		Enumerated int       // number of instances up to which all sets were evaluated
	}
	// CurvePoint is core.CurvePoint.
	CurvePoint struct {
		Instances int
		Best      float64
		Map       *float64 // nil without a map
		Random    float64
	}
	// Pair is core.Pair.
	Pair struct {
		A, B    int
		Value   float64
		Stderr  float64 // 0 if all coalitions were evaluated
		Evident bool
	}
	// LayersCheck is metric.LayersCheck.
	LayersCheck struct {
		Steps    []LayersStep
		Passed   bool
		Sentence string
	}
	// LayersStep is metric.LayersStep.
	LayersStep struct {
		Layers      int
		Correlation float64
	}
	// NoiseCheck is metric.NoiseCheck.
	NoiseCheck struct {
		Noise       float64
		Correlation float64
		Change      float64
		Passed      bool
		Sentence    string
	}
	// MarkCheck is metric.MarkCheck.
	MarkCheck struct {
		Instances  []int
		Change     float64
		Scores     float64
		Prediction bool
		Map        bool
		Passed     bool
		Sentence   string
	}
	// TurnStep is core.TurnStep.
	TurnStep struct {
		Instance int
		Added    bool
		Values   []float64 // (class) of the bag after this change and all before it
	}
)
