package core

// A Report answers a Request. It holds no clock and no host: equal input gives an equal report.
type Report struct {
	Prediction   []float64 // (class) of the whole bag, on the request's output
	Output       Output    // what Prediction and all scores are measured in
	Explanations []Explanation
	Skipped      []Skipped // methods that the model cannot serve, when the request allows it
	Evaluations  int       // coalitions given to the model, each once
	Seed         uint64
	Notes        []string
}

// An Explanation is one method's answer for one class.
type Explanation struct {
	Method      string
	Settings    []Setting
	Class       int
	Scores      []float64 // (instance); above zero supports the class, below refutes it
	Unit        Unit      // what Scores, StdErr and Neutral are measured in
	StdErr      []float64 // (instance) standard error of each score, or nil if nothing was sampled
	Freedom     float64   // degrees of freedom of StdErr for Student's t; 0 means the normal distribution
	Neutral     float64   // score of an instance that neither supports nor refutes: 0 for differences
	Evident     []bool    // (instance) whether the score differs from Neutral by more than chance explains
	R2          float64   // weighted R² of the surrogate, NaN where there is none
	Evaluations int       // coalitions that the method looked at, shared ones included
	Notes       []string
}

// Unit says what scores are measured in.
type Unit string

const (
	UnitProbability Unit = "probability"
	UnitLogOdds     Unit = "log-odds"
	UnitLogit       Unit = "logit"
	UnitScore       Unit = "score" // a raw model's scores, and instance scores that a model outputs itself
)

// Skipped names a method that could not answer, and why.
type Skipped struct {
	Method string
	Reason string
}
