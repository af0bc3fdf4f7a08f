package cohort

import (
	"encoding/json"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[Cell](), encodeCell, decodeCell)
	register.Combiner1[Cell](&mergeFn{})
}

// A cellKey says what a cell counts: bags, where Method is "", else explanations of one class by one method.
type cellKey struct {
	Model  string `json:"model"`
	Site   string `json:"site"`
	Method string `json:"method,omitempty"`
	Number int    `json:"number,omitempty"` // of the class
	Class  string `json:"class,omitempty"`
	Kind   string `json:"kind,omitempty"` // of an error: the cell counts bags that failed with it
}

// A Cell is what is known of all bags of one kind. Cells merge in any order to the same bytes.
type Cell struct {
	Count     int64            `json:"count"`
	Predicted int64            `json:"predicted,omitempty"`
	Means     map[string]*Mean `json:"means,omitempty"`
}

// The means of a cell, beside those of metrics, which have the metric's name, and with trivial items left out that name
// and nontrivial behind it.
const (
	meanPrediction = "prediction"
	meanScore      = "score"
	meanTop        = "top_score"
	nontrivial     = " nontrivial"
)

func encodeCell(c Cell) ([]byte, error) { return json.Marshal(c) }

func decodeCell(data []byte) (c Cell, err error) { return c, json.Unmarshal(data, &c) }

// add adds a number to a mean.
func (c *Cell) add(name string, x float64) {
	c.mean(name).Add(x)
}

func (c *Cell) mean(name string) *Mean {
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

// merge adds all that another cell counts, and leaves that as it is.
func (c *Cell) merge(o Cell) {
	c.Count += o.Count
	c.Predicted += o.Predicted
	for name, m := range o.Means {
		c.mean(name).Merge(m)
	}
}

// mergeFn combines cells.
type mergeFn struct{}

func (*mergeFn) CreateAccumulator() Cell { return Cell{} }

func (*mergeFn) AddInput(a, b Cell) Cell {
	a.merge(b)
	return a
}

func (*mergeFn) MergeAccumulators(a, b Cell) Cell {
	sum := Cell{}
	sum.merge(a)
	sum.merge(b)
	return sum
}

// cells calls emit with what a finished bag adds.
func (r *record) cells(l *Line, emit func(cellKey, Cell)) {
	emit(cellKey{Model: l.Model, Site: l.Site}, Cell{Count: 1})
	for _, row := range r.Rows {
		c := Cell{Count: 1}
		if row.Predicted {
			c.Predicted = 1
		}
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
		emit(cellKey{Model: l.Model, Site: l.Site, Method: row.Method, Number: row.Class, Class: row.Name}, c)
	}
}

// text is the key as Beam groups by it.
func (k cellKey) text() string {
	data, err := json.Marshal(k)
	if err != nil {
		panic(err) // strings and an int always have JSON
	}
	return string(data)
}

func parseCellKey(text string) (k cellKey, err error) { return k, json.Unmarshal([]byte(text), &k) }
