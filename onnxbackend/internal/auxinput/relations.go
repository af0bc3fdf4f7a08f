package auxinput

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A relation is an input that takes relations of instances: an adjacency matrix, the ends of edges
// or their weights. Its values are part of a bag, so that nothing is filled in.
type relation struct {
	*decode.Value
	form signature.Form
}

// findRelations takes the inputs that take relations out of a list of inputs. The card's roles
// count. Without a role, a matrix has an open row and column of equal length and a name that is not
// that of a mask; if it is not of floating-point numbers, it is called adjacency and cannot list
// neighbours. Edges are pairs of integers. The error is a *fault.Unsupported if an input cannot
// have its role, if edges are rows, or if an input has several values of each edge.
func (s *resolver) findRelations(inputs []*decode.Value) (others []*decode.Value, err error) {
	for _, v := range inputs {
		form := signature.NoRelation
		if c := s.card.Input(v.Name); c == nil {
			form = s.formOf(v, inputs)
		} else if form = roleForms[c.Role]; form != signature.NoRelation && !fits(v, form) {
			return nil, fault.Unsupportedf("input "+msg.Quoted(v.Name),
				"it is of %v and shape %s, and the model card calls it %s, which is %s",
				v.Type, signature.ShapeText(v), c.Role, formShapes[form])
		}
		if form == signature.NoRelation {
			if s.card.Input(v.Name) == nil && transposedEdges(v) {
				return nil, fault.Unsupportedf("input "+msg.Quoted(v.Name),
					"it is of %v and shape %s, and edges have shape (2, edges); export the model "+
						"with its edges transposed, or state in the model card \"inputs\": "+
						"{%q: \"instances\"} if these are values of each instance",
					v.Type, signature.ShapeText(v), v.Name)
			}
			if s.followsEdges(v, inputs) {
				return nil, fault.Unsupportedf("input "+msg.Quoted(v.Name),
					"it is of %v and shape %s, which are values of each edge beside its ends, and "+
						"an edge of a bag has one value; export the model with one floating-point "+
						"weight for each edge, or with these values inside the graph",
					v.Type, signature.ShapeText(v))
			}
			others = append(others, v)
			continue
		}
		s.relations = append(s.relations, relation{v, form})
		s.notes = append(s.notes, msg.Sprintf("Input %q takes %s; a coalition has the pairs of "+
			"its members, with the values that they have in the bag.", v.Name, formNames[form]))
	}
	ends := s.count(signature.EdgeEnds)
	if ends > 1 || ends == 0 && s.count(signature.EdgeWeights) > 0 || len(others) == 0 {
		return nil, fault.Unsupportedf("graph inputs "+inputNames(inputs),
			"a model takes instances beside their relations, and one list of edges beside their "+
				"weights; %s", wayOut(inputs[0].Name))
	}
	return others, nil
}

// What the forms are called by the card, in notes and in errors.
var (
	roleForms = map[string]signature.Form{
		signature.RoleAdjacency: signature.Matrix, signature.RoleEdges: signature.EdgeEnds,
		signature.RoleWeights: signature.EdgeWeights,
	}
	formNames = map[signature.Form]string{
		signature.Matrix:      "a value for each pair of instances",
		signature.EdgeEnds:    "the instances that each edge joins",
		signature.EdgeWeights: "the value of each edge",
	}
	formShapes = map[signature.Form]string{
		signature.Matrix:      "a matrix of open sides",
		signature.EdgeEnds:    "of shape (2, edges), of int64 or int32",
		signature.EdgeWeights: "a list of open length",
	}
)

// fits reports whether an input can have a form.
func fits(v *decode.Value, form signature.Form) bool {
	n := len(v.Shape)
	switch form {
	case signature.Matrix:
		return n >= 2 && v.Shape[n-1] < 0 && v.Shape[n-2] < 0 && ones(v.Shape[:n-2]) &&
			v.Type.Runtime().Size() > 0
	case signature.EdgeEnds:
		return n >= 2 && v.Shape[n-1] < 0 && v.Shape[n-2] == 2 && ones(v.Shape[:n-2]) &&
			(v.Type == tensor.Int64 || v.Type == tensor.Int32)
	}
	last := 0
	for d, side := range v.Shape {
		if side < 0 {
			last = d
		}
	}
	return n >= 1 && v.Shape[last] < 0 && ones(v.Shape[:last]) && ones(v.Shape[last+1:])
}

// ones reports whether axes can have length 1: those of a batch of one bag.
func ones(shape []int) bool {
	return !slices.ContainsFunc(shape, func(d int) bool { return d > 1 || d == 0 })
}

// formOf returns the form of an input that the card does not name.
func (s *resolver) formOf(v *decode.Value, inputs []*decode.Value) signature.Form {
	n := len(v.Shape)
	switch {
	case fits(v, signature.EdgeEnds):
		return signature.EdgeEnds
	case fits(v, signature.Matrix) &&
		(v.Type.Float() || calledAdjacency(v) && !mayListInstances(v)) &&
		!strings.Contains(strings.ToLower(v.Name), "mask") && (n == 2 || n == 3) &&
		s.pairs(v, inputs):
		return signature.Matrix
	case fits(v, signature.EdgeWeights) && v.Type.Float() && s.followsEdges(v, inputs):
		return signature.EdgeWeights
	}
	return signature.NoRelation
}

// calledAdjacency reports whether an input has the usual name of an adjacency matrix.
func calledAdjacency(v *decode.Value) bool {
	return strings.Contains(strings.ToLower(v.Name), "adj")
}

// mayListInstances reports whether a matrix may hold the numbers of instances, such as a row with
// the neighbours of each: whole numbers whose rows and columns have different names.
func mayListInstances(v *decode.Value) bool {
	_, _, whole := v.Type.Integer()
	row, column := v.Names[len(v.Names)-2], v.Names[len(v.Names)-1]
	return whole && row != "" && column != "" && row != column
}

// transposedEdges reports whether an input has the name of edges and a row for each of them. Values
// of instances may have this shape, too, such as whole coordinates.
func transposedEdges(v *decode.Value) bool {
	_, _, whole := v.Type.Integer()
	return whole && len(v.Shape) == 2 && v.Shape[0] < 0 && v.Shape[1] == 2 &&
		strings.Contains(strings.ToLower(v.Name), "edge")
}

// followsEdges reports whether an input has an axis of the name of the edges. Only this name tells
// the values of edges from those of instances.
func (s *resolver) followsEdges(v *decode.Value, inputs []*decode.Value) bool {
	return slices.ContainsFunc(inputs, func(e *decode.Value) bool {
		if c := s.card.Input(e.Name); e == v || !fits(e, signature.EdgeEnds) ||
			c != nil && c.Role != signature.RoleEdges {
			return false
		}
		name := e.Names[len(e.Names)-1]
		return name != "" && slices.Contains(v.Names, name)
	})
}

// pairs reports whether both of the last axes of an input are those of the instances: they have one
// name, or the input is called adjacency, or the axes have no names and the bag's axes, an open
// batch and the instances or the instances alone, leave no other meaning.
func (s *resolver) pairs(v *decode.Value, inputs []*decode.Value) bool {
	n := len(v.Shape)
	row, column := v.Names[n-2], v.Names[n-1]
	if row != "" && row == column || calledAdjacency(v) {
		return true
	}
	if row != "" || column != "" {
		return false
	}
	for _, in := range inputs {
		if in == v || !ofInstances(in) {
			continue
		}
		// (batch, instances) is a mask beside (batch, instances, values).
		if _, open := signature.InstanceAxis(in, s.card); n-len(open) == 1 || v.Shape[0] == 1 {
			return true
		}
	}
	return false
}

// count returns the number of inputs of a form.
func (s *resolver) count(form signature.Form) int {
	n := 0
	for _, r := range s.relations {
		if r.form == form {
			n++
		}
	}
	return n
}

// order moves the inputs that take relations, and then covariates, behind the bag and returns the
// forms of relations by their names.
func (s *resolver) order() map[string]signature.Form {
	forms := map[string]signature.Form{}
	for _, r := range s.relations {
		forms[r.Name] = r.form
	}
	rank := func(v decode.Value) int {
		if shape, _ := s.covariate(v.Name); shape != nil {
			return 2
		}
		return int(min(forms[v.Name], 1))
	}
	slices.SortStableFunc(s.file.Graph.Inputs, func(a, b decode.Value) int {
		return rank(a) - rank(b)
	})
	return forms
}

// related returns the shape and the values of an input that takes relations or a covariate, for a
// run of the graph, or nil if the input takes neither. Neighbours among the first n of all
// instances are joined, as is each with itself, so that padding has no relations.
func (s *resolver) related(name string, n, all int) (shape []int, values []float64) {
	i := slices.IndexFunc(s.relations, func(r relation) bool { return r.Name == name })
	if i < 0 {
		return s.covariate(name)
	}
	in := signature.Relation{Port: graph.Port{Value: *s.relations[i].Value},
		Form: s.relations[i].form}
	var from, to []float64
	for i := range n {
		for j := max(i-1, 0); j <= min(i+1, n-1); j++ {
			from, to = append(from, float64(i)), append(to, float64(j))
		}
	}
	shape = in.ShapeFor(all, len(from))
	switch in.Form {
	case signature.EdgeEnds:
		return shape, append(from, to...)
	case signature.EdgeWeights:
		return shape, slices.Repeat([]float64{1}, len(from))
	}
	values = make([]float64, all*all)
	for e := range from {
		values[int(from[e])*all+int(to[e])] = 1
	}
	return shape, values
}
