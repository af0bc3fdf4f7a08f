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

// A Subject is a model with a bag. Engines and the page receive its exported fields.
type Subject struct {
	ID        string `json:"id"` // name of its files, ID.onnx and ID.npy
	Model     string `json:"model"`
	Instances int    `json:"instances"`
	Shape     []int  `json:"shape"`    // shape of one instance
	Settings  string `json:"settings"` // data set whose settings MILLI uses
	Classes   int    `json:"classes"`

	file          string        // path of the model, "" if made is set
	made          func() []byte // makes the model
	bags          string        // path of the bags, "" for a random bag
	restricted    bool          // file and bags may not be shipped, see stage
	tasks         []string
	quick         bool // part of a quick run, with fewer tasks
	measureMemory bool
	// withoutPeers measures only bagscope, because the loops of other engines would take minutes or
	// gigabytes.
	withoutPeers bool
}

var (
	// allTasks are the tasks of models that take pictures. gatedTasks add the coalitions of an
	// encoded bag, which are cheap enough to show the cost of pooling alone.
	allTasks = []string{taskForward, taskConsensus, taskMILLI, taskMILLIExplained, taskSHAP,
		taskAOPCR}
	gatedTasks = []string{taskForward, taskConsensus, taskMILLI, taskSHAP, taskCoalitions,
		taskAOPCR}
)

// subjects returns the measured subjects. They omit AOPC-R of 10,000 instances, which would be
// 120,000 coalitions of as many instances.
func subjects() []*Subject {
	gated := func(k int, tasks []string, quick bool) *Subject {
		return &Subject{Model: "abmil_gated", Instances: k, Settings: "crc",
			file: "testdata/models/zoo/abmil_gated/model.onnx", tasks: tasks, quick: quick,
			measureMemory: k == 10_000}
	}
	wide := func(k int) *Subject {
		return &Subject{Model: "wide", Instances: k, Settings: "crc",
			made:  func() []byte { return gatedAttention(1024, 0) },
			tasks: []string{taskEncode, taskMILLIEncoded, taskMILLI}, measureMemory: true,
			withoutPeers: true}
	}
	small := func(model string, k, hidden int) *Subject {
		made := func() []byte { return gatedAttention(128, hidden) }
		return &Subject{Model: model, Instances: k, Settings: "crc", made: made,
			tasks: []string{taskEncode, taskConsensusEncoded}, withoutPeers: true}
	}
	list := []*Subject{
		{Model: "mnist", Instances: 30, Settings: "mnist", tasks: allTasks, quick: true,
			file: "testdata/models/mnist/mi_attn.onnx", bags: "examples/digits/bags.npz"},
		{Model: "mi-gnn", Instances: 30, Settings: "mnist", tasks: []string{taskForward,
			taskMILLI, taskSHAP}, quick: true,
			file: "examples/digits/networks/mi-gnn.onnx", bags: "examples/digits/bags.npz"},
		{Model: "crc", Instances: 264, Settings: "crc", tasks: allTasks, quick: true,
			file: "models/crc/mi_attn.onnx", bags: "data/crc/test_bags.npz", restricted: true,
			measureMemory: true},
		gated(264, gatedTasks, true),
		gated(1000, gatedTasks, false),
		gated(10_000, []string{taskForward, taskConsensus, taskMILLI, taskSHAP, taskCoalitions},
			false),
		{Model: "transformer_cls", Instances: 35, Settings: "mnist",
			file: "testdata/models/zoo/transformer_cls/model.onnx", tasks: []string{taskForward,
				taskConsensus, taskMILLI, taskSHAP, taskAOPCR}, quick: true},
		wide(1000), wide(10_000), wide(100_000),
	}
	// The files of encoders are too large for the repository; encoders.py writes them.
	for _, name := range []string{"resnet18", "vit_tiny", "swin_tiny", "convnext_atto",
		"efficientnet_b0", "mobilenetv3_small"} {
		list = append(list, &Subject{Model: name, Instances: 16, Settings: "crc",
			file: "build/encoders/" + name + ".onnx", tasks: []string{taskForward}})
	}
	for _, k := range []int{1000, 10_000, 100_000} {
		list = append(list, small("linear_head", k, 0), small("two_layer_head", k, 64))
	}
	return named(list)
}

// ownSubjects returns the subjects of the page. Their models and bags may be published.
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

// named sets the IDs of subjects.
func named(list []*Subject) []*Subject {
	for _, s := range list {
		s.ID = fmt.Sprintf("%s-%d", s.Model, s.Instances)
	}
	return list
}

// quickSubjects returns the subjects with smaller bags, with fewer tasks.
func quickSubjects(list []*Subject) []*Subject {
	var out []*Subject
	for _, s := range list {
		if s.quick {
			s.tasks = []string{taskForward, taskConsensus, taskMILLI, taskSHAP}
			out = append(out, s)
		}
	}
	return out
}

// stage writes the subject's model and bag to a folder, and sets Shape and Classes. Its files are
// relative to from.
func (s *Subject) stage(ctx context.Context, from, folder string) (err error) {
	var data []byte
	if s.made != nil {
		data = s.made()
	} else if data, err = os.ReadFile(filepath.Join(from, s.file)); err != nil {
		return err
	}
	model, err := onnxbackend.Open(data, onnxbackend.Options{Name: s.Model})
	if err != nil {
		return err
	}
	// The first axis of the input holds the instances.
	for _, in := range model.Info().Inputs {
		if in.Name == model.Info().Input {
			s.Shape = in.Shape[1:]
		}
	}
	bag := randomBag(s.Instances, s.Shape)
	if s.bags != "" {
		if bag, err = s.readBag(from, model.Card().Preprocess); err != nil {
			return err
		}
	}
	// A prediction shows the number of classes, and that the model can run the bag.
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

// readBag returns the largest bag of the subject's file, resized and preprocessed. All engines then
// receive the same numbers.
func (s *Subject) readBag(from string, p *onnxbackend.Preprocess) (*core.Bag, error) {
	data, err := os.ReadFile(filepath.Join(from, s.bags))
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
		return nil, fmt.Errorf("%s contains no bag", s.bags)
	}
	bag := resized(largest, s.Instances)
	if bag.Raw && p != nil {
		preprocess(bag, p)
	}
	return bag, nil
}

// resized returns a bag of k instances, which repeats those of the given bag.
func resized(bag *core.Bag, k int) *core.Bag {
	list := make([]int, k)
	for i := range list {
		list[i] = i % bag.Len()
	}
	return bag.Select(list)
}

// preprocess applies the preprocessing of a model card to raw pixels. An empty Mean means 0, an
// empty Std means 1.
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

// randomBag returns a bag (k, shape...) of normally distributed values with a fixed seed.
func randomBag(k int, shape []int) *core.Bag {
	bag := &core.Bag{Name: "random", Shape: shape}
	bag.Values = make([]float32, k*bag.Stride())
	r := rand.New(rand.NewPCG(uint64(k), 1))
	for i := range bag.Values {
		bag.Values[i] = float32(r.NormFloat64())
	}
	return bag
}
