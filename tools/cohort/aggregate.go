package cohort

import (
	"encoding/json"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Beam encodes an Aggregate between workers and merges the aggregates of one key.
func init() {
	beam.RegisterCoder(reflect.TypeFor[Aggregate](), encodeAggregate, decodeAggregate)
	register.Combiner1[Aggregate](&mergeFn{})
}

// An aggregateKey identifies an Aggregate. It counts bags if Method is "", otherwise explanations
// of one class by one method.
type aggregateKey struct {
	Model  string `json:"model"`
	Site   string `json:"site"`
	Method string `json:"method,omitempty"`
	Number int    `json:"number,omitempty"` // index of the class
	Class  string `json:"class,omitempty"`
	// kind of error: the aggregate counts the bags that failed with it
	// Kind names a class of errors if the aggregate counts failed bags.
	Kind string `json:"kind,omitempty"`
}

// An Aggregate holds the counts and means over all bags with one key. Aggregates merge in any
// order to the same bytes.
type Aggregate struct {
	Count     int64            `json:"count"`
	Predicted int64            `json:"predicted,omitempty"`
	Means     map[string]*Mean `json:"means,omitempty"`
	// Scale is the largest difference that has the strongest colour in a picture of a bag, so that
	// pictures of all bags can have one scale; 0 if there is none.
	Scale float64 `json:"scale,omitempty"`
}

// The names of the means in an aggregate, in addition to those of metrics. The mean of a metric has
// the metric's name. The mean without trivial items has this name followed by nontrivial.
const (
	meanPrediction = "prediction"
	meanScore      = "score"
	meanTop        = "top_score"
	nontrivial     = " nontrivial"
)

// encodeAggregate and decodeAggregate are the coder of an Aggregate. JSON keeps the exact sums,
// because a big.Int is written with all its digits.
func encodeAggregate(c Aggregate) ([]byte, error) { return json.Marshal(c) }

func decodeAggregate(data []byte) (c Aggregate, err error) { return c, json.Unmarshal(data, &c) }

// add adds a number to a mean.
func (c *Aggregate) add(name string, x float64) {
	c.mean(name).Add(x)
}

// mean returns the mean with this name. It adds an empty one if there is none.
func (c *Aggregate) mean(name string) *Mean {
	if c.Means == nil {
		c.Means = map[string]*Mean{}
	}
	m := c.Means[name]
	if m == nil {
		m = &Mean{}
		c.Means[name] = m
	}
	return m
}

// merge adds the counts and means of o to c; it does not change o.
func (c *Aggregate) merge(o Aggregate) {
	c.Count += o.Count
	c.Predicted += o.Predicted
	c.Scale = max(c.Scale, o.Scale)
	for name, m := range o.Means {
		c.mean(name).Merge(m)
	}
}

// mergeFn combines aggregates.
type mergeFn struct{}

// CreateAccumulator returns the aggregate of no bags.
func (*mergeFn) CreateAccumulator() Aggregate { return Aggregate{} }

// AddInput adds an aggregate to an accumulator. Beam owns the accumulator, so that it can be
// changed.
func (*mergeFn) AddInput(a, b Aggregate) Aggregate {
	a.merge(b)
	return a
}

// MergeAccumulators merges into a new aggregate, because Beam may use its arguments again.
func (*mergeFn) MergeAccumulators(a, b Aggregate) Aggregate {
	sum := Aggregate{}
	sum.merge(a)
	sum.merge(b)
	return sum
}

// aggregates calls emit with each aggregate that a finished bag contributes.
func (r *record) aggregates(l *Line, emit func(aggregateKey, Aggregate)) {
	emit(aggregateKey{Model: l.Model, Site: l.Site}, Aggregate{Count: 1})
	for _, row := range r.Rows {
		c := Aggregate{Count: 1, Scale: row.Scale}
		if row.Predicted {
			c.Predicted = 1
		}
		// Methods with only metrics have no scores.
		if row.Mean != nil {
			c.add(meanPrediction, float64(row.Prediction))
			c.add(meanScore, *row.Mean)
			c.add(meanTop, *row.Top)
		}
		for name, j := range row.Metrics {
			c.add(name, j.Value)
			if !j.Trivial {
				c.add(name+nontrivial, j.Value)
			}
		}
		emit(aggregateKey{Model: l.Model, Site: l.Site, Method: row.Method, Number: row.Class,
			Class: row.Name}, c)
	}
}

// text returns the key by which Beam groups.
func (k aggregateKey) text() string {
	data, err := json.Marshal(k)
	if err != nil {
		panic(err) // strings and an int can always be marshalled
	}
	return string(data)
}

// parseAggregateKey parses the result of text.
func parseAggregateKey(text string) (k aggregateKey, err error) {
	return k, json.Unmarshal([]byte(text), &k)
}
