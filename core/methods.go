package core

// Options are the settings of all methods in one place, as a command line or a form fills them in.
// Each method takes those it knows; zero values mean the method's own defaults.
type Options struct {
	Samples    int         // n, coalitions to draw
	Alpha      float64     // MILLI: probability of the most important instance
	Beta       float64     // MILLI: bend of the sampling curve
	MeanBag    int         // LIME: mean bag size, which sets the kernel's width; 0 means k
	Distance   Distance    // LIME: l2 or cosine
	Paired     bool        // each draw is followed by its complement
	Repeats    bool        // repeated draws are kept
	Rank       Rank        // MILLI: what instances are ranked by
	Preset     Preset      // whose conventions hold where print and code of the paper differ
	Efficiency Void        // SHAP: scores sum to F(X) minus this value of the empty bag
	Coalitions *Coalitions // takes the place of the sampler
}

// MethodInfo is a row of the table of methods, which feeds the command line, the page and the documentation.
type MethodInfo struct {
	Name    string   // "one_removed"
	Title   string   // "One Removed"
	Summary string   // one sentence
	Cost    string   // model evaluations, as a formula in k and n
	Options []string // names of the Options fields it takes, in lower case with dashes as flags have them
	New     func(Options) Method
}
