package core

import "context"

// A Model scores bags. It is opened once and bound to one bag after another.
type Model interface {
	Info() ModelInfo
	// Bind prepares the model for one bag. It computes once all values that depend on single
	// instances only. The bag must not change while the Evaluator is in use.
	Bind(ctx context.Context, bag *Bag) (Evaluator, error)
}

// ModelInfo describes a model, from its file and its card.
type ModelInfo struct {
	Name       string       // the file's name or the graph's
	SHA256     string       // SHA-256 of the model's bytes, in hexadecimal
	Opset      int          // version of the default operator set
	Inputs     []TensorInfo // graph inputs that a caller provides
	Outputs    []TensorInfo // graph outputs
	Operators  []string     // operator types in use, sorted
	Parameters int          // number of elements of all floating-point initializers
	Input      string       // name of the input that takes the bag
	// which values of an instance are the coordinates of its patch, if some are
	Places       *PlaceValues
	InstanceAxis int              // the axis of instances of that input
	Covariates   []CovariateInput // inputs beside it that each bag may state values for
	// name of the output that holds the class scores; "" until a bag is bound
	Output   string
	Classes  []string // class names; empty if neither card nor shapes determine their number
	Negative int      // the class that means "nothing found", -1 if there is none
	Scale    Scale    // scale of the class scores
	// where the scale is from, such as "the model card" or "8 random bags: within 0..1, sum 1"
	ScaleFrom string
	Heads     []Head  // groups of classes with one meaning each; empty for one without a unit
	Inherent  string  // name of the output with the model's own instance scores, or ""
	Truth     []Truth // (class) the instance labels that support or refute it; for metrics
	Noun      Noun    // what the model card calls an instance
	// (feature) what the model card calls each value of an instance, nil if it does not
	FeatureNames []string
	Notes        []string   // assumptions and decisions, in sentences
	Folds        []FoldInfo // the models of an ensemble, nil for one model
}

// PlaceValues says that an instance of a model holds the coordinates of its patch, x and then y.
type PlaceValues struct {
	Input string // name of the graph input that takes them
	From  int    // number of the value that is x, from 0
}

// TensorInfo describes a graph input or output. A dimension below zero is symbolic: its name is in
// Names.
type TensorInfo struct {
	Name  string
	Type  string // "float32", "int64", ...
	Shape []int
	Names []string // names of the symbolic dimensions, "" for the others
}

// Truth lists the instance labels that support a class and those that refute it. Other labels are
// neutral; -1 means that the instance has no label.
type Truth struct {
	Support []int
	Refute  []int
}

// Scale is the scale of a model's class scores. It determines how they become probabilities.
type Scale string

const (
	// softmax over the classes gives probabilities
	ScaleLogits           Scale = "logits"
	ScaleSigmoidLogits    Scale = "sigmoid-logits"    // a sigmoid of each class gives probabilities
	ScaleProbabilities    Scale = "probabilities"     // the scores are probabilities
	ScaleLogProbabilities Scale = "log-probabilities" // exp gives probabilities
	// not a probability: a regression, a risk, a count
	ScaleRaw Scale = "raw"
)

// A Task describes what an Evaluator evaluates: one bag under one model.
type Task struct {
	Instances int   // k
	Classes   int   // C
	Scale     Scale // scale of the scores that Evaluate writes
	// the negative class, "nothing found", by which methods rank instances. Set it to -1 if there
	// is none: its zero value means that class 0 is the negative one
	Negative int
	Least    int // the smallest number of instances that the model takes; 0 means 1
	// the number of which all admissible numbers of instances are multiples; 0 means 1. It divides
	// Instances, and Least is 0, if it is 1, or the number itself
	Step int
	// why the model takes no other numbers of instances and what to do, in words, if Step is above
	// 1 or the model takes bags of exactly Least instances; else ""
	Why string
}

// LeastBag returns the smallest number of instances that the model takes, at least 1. No method
// draws a smaller coalition.
func (t Task) LeastBag() int { return max(t.Least, 1) }

// An Evaluator scores coalitions of one bag. It is safe for concurrent use.
type Evaluator interface {
	Task() Task
	// Evaluate writes the class scores of each coalition to dst, shaped (coalition, class), on the
	// task's scale. No coalition is empty. It stops within 50 ms of the end of ctx.
	Evaluate(ctx context.Context, dst []float64, z *Coalitions) error
}

// An Attender is an Evaluator whose model has an output of instance scores, such as attention.
// Attention returns k scores for a class. A model with one set of scores returns it for every
// class. Attention returns an *UnavailableError if the model has no such output.
type Attender interface {
	Attention(ctx context.Context, class int) ([]float64, error)
}

// A Batcher is an Evaluator that scores many coalitions for little more than a few. Batch returns
// the number of coalitions to pass at a time, a multiple of BatchUnit. Other evaluators get small
// batches, so that progress is reported often.
type Batcher interface {
	Batch() int
}

// An InstanceEvaluator is an Evaluator that scores single instances, and the bag without each of
// them, by index. As masks, these coalitions of a bag of 100,000 instances would take 2.5 GB.
type InstanceEvaluator interface {
	// EvaluateInstances writes the scores of {x_i}, or with removed of X without x_i, to dst,
	// shaped (instance, class), for i from lo up to hi: what Evaluate writes for
	// [InstanceCoalitions], up to rounding.
	EvaluateInstances(ctx context.Context, dst []float64, removed bool, lo, hi int) error
}

// A NeighbourEvaluator is an Evaluator that scores all neighbours of a coalition for about what the
// coalition costs. A neighbour differs from the coalition in one instance, which is added or
// removed.
type NeighbourEvaluator interface {
	// HasNeighbours reports whether EvaluateNeighbours works for this bag. If not, it must not be
	// called.
	HasNeighbours() bool
	// EvaluateNeighbours writes the scores of the k neighbours of coalition z, one bit for each
	// instance, and then those of z itself to dst, shaped (k + 1, class), on the task's scale: what
	// Evaluate writes, up to rounding. Rows of coalitions with fewer instances than the model takes
	// are NaN. z may be empty. It stops within 50 ms of the end of ctx.
	EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error
}

// An Extender is an Evaluator whose bag can get more instances for less than binding all of them
// again.
type Extender interface {
	// Extend returns the evaluator of the bag and then the instances of more: see [Bag.With].
	// Errors are those of Bag.With and Model.Bind.
	Extend(ctx context.Context, more *Bag) (Evaluator, error)
}

// A Noter is an Evaluator with notes for the report: assumptions and decisions for its bag, such as
// that every coalition needs a run of the whole model.
type Noter interface {
	Notes() []string
}

// An EmptyEvaluator is an Evaluator that has a value for the empty coalition, such as a game with a
// closed form. MIL models take no empty bag and do not implement it.
type EmptyEvaluator interface {
	EmptyValue() []float64 // (class), on the task's scale
}

// An Embedder is an Evaluator that returns what its model has computed of each instance alone.
type Embedder interface {
	// Embeddings returns the values of all instances, shaped (instance, width). It returns an
	// *UnavailableError if the model computes nothing of single instances. It reserves the values,
	// of four bytes each, in the Memory of ctx before it allocates them; the caller releases them.
	// Errors are also those of [quota.Memory.Reserve].
	Embeddings(ctx context.Context) (values []float32, width int, err error)
}
