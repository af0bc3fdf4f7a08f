package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
)

// A Subject is a model with a bag for it. The exported fields are what the page and the engines are
// told.
type Subject struct {
	ID        string `json:"id"` // names its files: ID.onnx, ID.npy
	Model     string `json:"model"`
	Instances int    `json:"instances"`
	Shape     []int  `json:"shape"`    // of one instance
	Settings  string `json:"settings"` // the data set whose settings MILLI takes
	Classes   int    `json:"classes"`

	file    string // the model, below the shared folder; "" where it is made
	made    func() []byte
	bags    string // its bags, below the shared folder; "" for a random bag
	tasks   []string
	quick   bool // part of a quick run, which leaves out the slower tasks
	weighed bool // its memory is measured
	alone   bool // only bagscope is measured: the loops of others would take minutes or gigabytes
}

var (
	allTasks = []string{taskForward, taskConsensus, taskMILLI, taskMILLIExplained, taskSHAP,
		taskAOPCR}
	gatedTasks = []string{taskForward, taskConsensus, taskMILLI, taskSHAP, taskCoalitions,
		taskAOPCR}
)

// subjects lists what is measured. AOPC-R of 10,000 instances would be 120,000 coalitions of as
// many instances and is left out.
func subjects() []*Subject {
	gated := func(k int, tasks []string, quick bool) *Subject {
		return &Subject{Model: "abmil_gated", Instances: k, Settings: "crc",
			file: "models/zoo/abmil_gated/model.onnx", tasks: tasks, quick: quick,
			weighed: k == 10_000}
	}
	wide := func(k int) *Subject {
		return &Subject{Model: "wide", Instances: k, Settings: "crc",
			made: func() []byte { return gatedAttention(1024, 0) }, tasks: []string{taskEncode,
				taskMILLIEncoded, taskMILLI}, weighed: true, alone: true}
	}
	small := func(model string, k, hidden int) *Subject {
		made := func() []byte { return gatedAttention(128, hidden) }
		return &Subject{Model: model, Instances: k, Settings: "crc", made: made,
			tasks: []string{taskEncode, taskConsensusEncoded}, alone: true}
	}
	list := []*Subject{
		{Model: "mnist", Instances: 30, Settings: "mnist", file: "models/mnist/mi_attn.onnx",
			bags: "models/mnist/test_bags.npz", tasks: allTasks, quick: true},
		{Model: "crc", Instances: 264, Settings: "crc", file: "models/crc/mi_attn.onnx",
			bags: "data/crc/test_bags.npz", tasks: allTasks, quick: true, weighed: true},
		gated(264, gatedTasks, true),
		gated(1000, gatedTasks, false),
		gated(10_000, []string{taskForward, taskConsensus, taskMILLI, taskSHAP, taskCoalitions},
			false),
		{Model: "transformer_cls", Instances: 35, Settings: "mnist",
			file: "models/zoo/transformer_cls/model.onnx", tasks: []string{taskForward,
				taskConsensus, taskMILLI, taskSHAP, taskAOPCR}, quick: true},
		wide(1000), wide(10_000), wide(100_000),
	}
	for _, k := range []int{1000, 10_000, 100_000} {
		list = append(list, small("linear_head", k, 0), small("two_layer_head", k, 64))
	}
	return named(list)
}

// ownSubjects are those whose models and bags are the project's, for the page that anybody can
// open. Their folder is the repository.
func ownSubjects() []*Subject {
	gated := func(k int) *Subject {
		return &Subject{Model: "gated-512", Instances: k, Settings: "crc",
			made: func() []byte { return gatedAttention(512, 0) }, tasks: []string{taskForward,
				taskMILLI, taskSHAP}}
	}
	return named([]*Subject{
		{Model: "digits", Instances: 29, Settings: "mnist", file: "examples/digits/model.onnx",
			bags: "examples/digits/bags.npz", tasks: allTasks},
		gated(264), gated(1000),
	})
}

func named(list []*Subject) []*Subject {
	for _, s := range list {
		s.ID = fmt.Sprintf("%s-%d", s.Model, s.Instances)
	}
	return list
}

// quickOnes returns the smaller bags with fewer tasks.
func quickOnes(list []*Subject) []*Subject {
	var out []*Subject
	for _, s := range list {
		if s.quick {
			s.tasks = []string{taskForward, taskConsensus, taskMILLI, taskSHAP}
			out = append(out, s)
		}
	}
	return out
}

// An absentError names a file that is not at hand.
type absentError struct{ path string }

func (e *absentError) Error() string { return e.path + " is not at hand" }

// stage writes the subject's model and bag to a folder and fills in what it finds out about them.
func (s *Subject) stage(ctx context.Context, shared, folder string) error {
	data, err := s.read(shared)
	if err != nil {
		return err
	}
	model, err := onnxbackend.Open(data, onnxbackend.Options{Name: s.Model})
	if err != nil {
		return err
	}
	for _, in := range model.Info().Inputs {
		if in.Name == model.Info().Input {
			s.Shape = in.Shape[1:]
		}
	}
	bag := randomBag(s.Instances, s.Shape)
	if s.bags != "" {
		if bag, err = s.readBag(shared, model.Card().Preprocess); err != nil {
			return err
		}
	}
	p, err := model.Predict(ctx, bag)
	if err != nil {
		return err
	}
	s.Classes = len(p.Scores)
	if err := os.WriteFile(filepath.Join(folder, s.ID+".onnx"), data, 0o644); err != nil {
		return err
	}
	var npy bytes.Buffer
	if err := bagio.WriteNpy(&npy, append([]int{bag.Len()}, bag.Shape...), bag.Values); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, s.ID+".npy"), npy.Bytes(), 0o644)
}

// read returns the model's file.
func (s *Subject) read(shared string) ([]byte, error) {
	if s.made != nil {
		return s.made(), nil
	}
	return readShared(shared, s.file)
}

// readBag returns the largest bag of the subject's file, brought to the wanted size by leaving out
// or repeating instances, and preprocessed, so that every engine is given the same numbers.
func (s *Subject) readBag(shared string, p *onnxbackend.Preprocess) (*core.Bag, error) {
	data, err := readShared(shared, s.bags)
	if err != nil {
		return nil, err
	}
	set, err := bagio.Read(filepath.Base(s.bags), data, bagio.Options{})
	if err != nil {
		return nil, err
	}
	var largest *core.Bag
	for i := range set.Len() {
		bag, err := set.Bag(i)
		if err != nil {
			return nil, err
		}
		if largest == nil || bag.Len() > largest.Len() {
			largest = bag
		}
	}
	if largest == nil {
		return nil, fmt.Errorf("%s holds no bag", s.bags)
	}
	bag := resized(largest, s.Instances)
	if bag.Raw && p != nil {
		preprocess(bag, p)
	}
	return bag, nil
}

// resized returns a bag of k instances, those of the given one over and over.
func resized(bag *core.Bag, k int) *core.Bag {
	list := make([]int, k)
	for i := range list {
		list[i] = i % bag.Len()
	}
	return bag.Select(list)
}

// preprocess does to raw pixels what the model's card asks for.
func preprocess(bag *core.Bag, p *onnxbackend.Preprocess) {
	channel := bag.Stride() / bag.Shape[0]
	at := func(list []float64, c int, otherwise float64) float64 {
		if len(list) == 0 {
			return otherwise
		}
		return list[c%len(list)]
	}
	for i, v := range bag.Values {
		c := i % bag.Stride() / channel
		bag.Values[i] = float32((float64(v)*p.Scale - at(p.Mean, c, 0)) / at(p.Std, c, 1))
	}
	bag.Raw = false
}

// randomBag returns a bag of normally distributed values, always the same.
func randomBag(k int, shape []int) *core.Bag {
	bag := &core.Bag{Name: "random", Shape: shape}
	bag.Values = make([]float32, k*bag.Stride())
	r := rand.New(rand.NewPCG(uint64(k), 1))
	for i := range bag.Values {
		bag.Values[i] = float32(r.NormFloat64())
	}
	return bag
}

func readShared(shared, name string) ([]byte, error) {
	path := filepath.Join(shared, filepath.FromSlash(name))
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, &absentError{path}
	}
	return data, err
}
