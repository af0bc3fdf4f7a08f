package core

// A Report is the result of a Request. It contains no time and no host, so that equal input gives
// an equal report.
type Report struct {
	Prediction []float64 // (class) prediction for the whole bag, in Output
	// (fold, class) prediction of each model of an ensemble, nil for one model
	Folds        [][]float64
	Output       Output // scale of Prediction, OutputMixed if heads have several
	Units        []Unit // (class) unit of Prediction
	Explanations []Explanation
	// methods that the model does not support, if the request has SkipMissing
	Skipped     []Skipped
	Evaluations int // number of coalitions that the model scored
	Seed        uint64
	Notes       []string
}

// An Explanation is the result of one method for one class.
type Explanation struct {
	Method   string
	Settings []Setting
	Class    int
	Scores   []float64 // (instance); above zero supports the class, below refutes it
	Unit     Unit      // unit of Scores, StdErr and Neutral
	// (instance) standard error of each score, infinite if it is unknown, or nil if nothing was
	// sampled
	StdErr []float64
	// degrees of freedom of StdErr for Student's t; 0 means the normal distribution
	Freedom float64
	// (instance) smallest and largest difference in bags that the score is the mean of: how much
	// the company of the instance matters, not an error; nil if the method has none
	Low, High []float64
	// score of an instance that neither supports nor refutes: 0 for differences
	Neutral float64
	// (instance) whether the score stands out: it differs from Neutral by more than chance, the
	// models of an ensemble and rounding explain, and is no trifle beside the largest. No score
	// whose error is unknown does.
	Evident     []bool
	Folds       *FoldScores // nil unless the model is an ensemble
	R2          float64     // weighted R² of the surrogate, NaN if there is no surrogate
	Evaluations int         // coalitions that the method used, including those with cached values
	Notes       []string
}

// Unit is the unit of scores: one of the constants, or that of a head, such as "months".
type Unit string

// Units of scores that are not of a head with a unit of its own.
const (
	UnitProbability Unit = "probability" // differences of probabilities, within -1..1
	UnitLogOdds     Unit = "log-odds"    // natural logarithms of odds, from probabilities
	UnitLogit       Unit = "logit"       // logits of the model
	// a raw model's scores, and instance scores that a model outputs itself
	UnitScore Unit = "score"
)

// Skipped is a method that the model does not support, and the reason.
type Skipped struct {
	Method string
	Reason string
}
