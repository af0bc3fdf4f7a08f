// Command onnx-go runs the network of examples/digits in a program for onnx-go, on bagscope's
// engine. It prints the prediction for a bag, and how the removal of each instance changes it.
//
//	go run ./examples/onnx-go -model examples/digits/model.onnx -bags examples/digits/bags.npz
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"

	onnx "github.com/owulveryck/onnx-go"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/onnxgo"
)

func main() {
	model := flag.String("model", "examples/digits/model.onnx", "an ONNX `file`")
	bags := flag.String("bags", "examples/digits/bags.npz", "a `file` of bags")
	index := flag.Int("index", 5, "number of the bag")
	flag.Parse()
	if err := run(os.Stdout, *model, *bags, *index); err != nil {
		log.Fatal(err)
	}
}

// run prints the prediction for all instances, and for all but one.
func run(w io.Writer, modelFile, bagFile string, index int) error {
	file, err := os.ReadFile(modelFile)
	if err != nil {
		return err
	}
	bag, err := readBag(file, bagFile, index)
	if err != nil {
		return err
	}
	n, err := open(file)
	if err != nil {
		return err
	}
	all, err := n.scores(bag)
	if err != nil {
		return err
	}
	best := slices.Index(all, slices.Max(all))
	fmt.Fprintf(w, "%s: class %d, probability %.3f\n", bag.Name, best, all[best])
	alone := false
	for i := range bag.Len() {
		var rest []int
		for j := range bag.Len() {
			if j != i {
				rest = append(rest, j)
			}
		}
		without, err := n.scores(bag.Select(rest))
		if err != nil {
			return err
		}
		if drop := all[best] - without[best]; drop > .05 {
			alone = true
			fmt.Fprintf(w, "without instance %d: %.3f\n", i, without[best])
		}
	}
	if !alone {
		fmt.Fprintln(w, "no instance matters alone")
	}
	return nil
}

// readBag reads a bag and applies the preprocessing of the model's card to its pixels.
func readBag(model []byte, file string, index int) (*core.Bag, error) {
	m, err := onnxbackend.Open(model, onnxbackend.Options{})
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	set, err := bagio.Read(file, data, bagio.Options{InstanceShape: []int{1, 28, 28}})
	if err != nil {
		return nil, err
	}
	bag, err := set.Bag(index)
	if err != nil {
		return nil, err
	}
	if p := m.Card().Preprocess; p != nil && bag.Raw {
		for i, v := range bag.Values {
			bag.Values[i] = float32((float64(v)*p.Scale - p.Mean[0]) / p.Std[0])
		}
	}
	return bag, nil
}

// A network is an onnx-go model on bagscope's engine.
type network struct {
	graph *onnxgo.Graph
	model *onnx.Model
}

// open decodes a model with onnx-go and the engine as its backend.
func open(file []byte) (*network, error) {
	g := onnxgo.New()
	// onnx-go does not pass the opset on, so the backend gets it from the file.
	g.Opset = onnxgo.OpsetOf(file)
	n := &network{g, onnx.NewModel(g)}
	return n, n.model.UnmarshalBinary(file)
}

// scores returns the probability of each class.
func (n *network) scores(bag *core.Bag) ([]float64, error) {
	// onnx-go reads tensors with the instances as the first axis.
	shape := append([]int{bag.Len()}, bag.Shape...)
	if err := n.model.SetInput(0, tensor.New(tensor.WithShape(shape...),
		tensor.WithBacking(bag.Values))); err != nil {
		return nil, err
	}
	if err := n.graph.Run(); err != nil {
		return nil, err
	}
	outputs, err := n.model.GetOutputTensors()
	if err != nil {
		return nil, err
	}
	// The model returns logits. Their softmax gives probabilities.
	p, sum := []float64{}, 0.0
	for _, logit := range outputs[0].Data().([]float32) {
		p = append(p, math.Exp(float64(logit)))
		sum += p[len(p)-1]
	}
	for c := range p {
		p[c] /= sum
	}
	return p, nil
}
