package network

import (
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/tools/train/ops"
)

// A Parameter is a matrix that training updates.
type Parameter struct {
	Name          string // LAYER.weight or LAYER.bias
	Rows, Columns int
	Inputs        int       // number of inputs of one unit of the layer
	Values        []float32 // (rows, columns)
}

// Initial returns the parameters of an architecture that Check accepts, in the order of Assemble.
// They are uniform between ±1/√inputs, as PyTorch initialises linear layers.
func Initial(a Architecture, seed uint64) []*Parameter {
	var l lister
	Assemble(a, &l)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range l.parameters {
		bound := 1 / math.Sqrt(float64(p.Inputs))
		p.Values = make([]float32, p.Rows*p.Columns)
		for i := range p.Values {
			p.Values[i] = float32((2*r.Float64() - 1) * bound)
		}
	}
	return l.parameters
}

// A lister is the Builder that lists parameters. Its matrices hold no information.
type lister struct{ parameters []*Parameter }

// nothing represents a matrix, because parameters do not depend on values.
type nothing = struct{}

// add appends a parameter without values.
func (l *lister) add(name string, rows, columns, inputs int) {
	l.parameters = append(l.parameters, &Parameter{Name: name, Rows: rows, Columns: columns,
		Inputs: inputs})
}

// Linear, Convolve and Shifted list the parameters of a layer. Other operators have none.
func (l *lister) Linear(_ nothing, y Layer) nothing {
	l.add(y.Name+".weight", y.In, y.Out, y.In)
	if y.Bias {
		l.add(y.Name+".bias", 1, y.Out, y.In)
	}
	return nothing{}
}

func (l *lister) Convolve(_ nothing, name string, c ops.Convolution) nothing {
	l.add(name+".weight", c.Maps, c.Taps(), c.Taps())
	l.add(name+".bias", 1, c.Maps, c.Taps())
	return nothing{}
}

func (l *lister) Shifted(x nothing, y Layer, _ nothing) nothing { return l.Linear(x, y) }
func (l *lister) Bag() nothing                                  { return nothing{} }
func (l *lister) Flatten(x nothing) nothing                     { return x }
func (l *lister) Dropout(x nothing, _ float64) nothing          { return x }
func (l *lister) Pool(x nothing, _ Pooling) nothing             { return x }
func (l *lister) Weights(x nothing) nothing                     { return x }
func (l *lister) Sum(_, x nothing) nothing                      { return x }
