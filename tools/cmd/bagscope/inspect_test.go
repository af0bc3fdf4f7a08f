package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
	"github.com/bagscope/bagscope/tools/cmd/internal/inspection"
)

// TestStages prints each stage of the example, with a bag that is made up and with one that is
// named.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string // pieces of the output
		not  string
	}{
		{[]string{"--stage", "graph"}, []string{"Conv ", "Relu ", "13x20x24x24", "instance, axis 0",
			"the bag", "of 7 and 13 random instances"}, "Conv+Relu"},
		{[]string{"--stage", "passes"}, []string{"activation       6", "normalization    0",
			"into Conv", "lanes            3"}, "13x"},
		{[]string{"--stage", "plan"}, []string{"Conv+Relu, MaxPool, Conv+Relu, MaxPool",
			"strategy      attention", "Instances meet at Softmax", "boundary",
			"nodes run once for the bag", "nodes run for coalitions"}, "Constant  "},
		{[]string{"--stage", "plan", "--bag", exampleBags, "--index", "1"},
			[]string{"strategy      attention", "Shapes are for bag"}, "generated"},
	} {
		text := succeed(t, append([]string{"inspect", "--model", exampleModel}, c.args...)...)
		for _, w := range c.want {
			must.Contain(t, text, w)
		}
		must.Equal(t, strings.Contains(text, c.not), false, c.args, c.not, text)
	}
	if code, _, errors := bagscope(t, "inspect", "--model", exampleModel, "--stage",
		"soup"); code != cli.ExitUsage || !strings.Contains(errors, "plan") {
		t.Errorf("an unknown stage: exit code %d, %s", code, errors)
	}
}

// TestInspectPlan reads the plan from the JSON, which needs no stage to be named.
func TestInspectPlan(t *testing.T) {
	var m inspection.Description
	keys := clitest.Decode(t, succeed(t, "inspect", "--model", exampleModel, "--json"), &m)
	clitest.RequireKeys(t, keys,
		"prefix_nodes suffix_nodes strategy ordered prefix suffix boundary why passes plan_bag")
	if m.PrefixNodes == nil || *m.PrefixNodes != len(m.Prefix) || *m.PrefixNodes == 0 ||
		*m.SuffixNodes != len(m.Suffix) || *m.SuffixNodes == 0 || m.Strategy != "attention" {
		t.Errorf("%+v", m.Staged)
	}
	if len(m.Why) == 0 || len(m.Boundary) != 2 || len(m.Passes) == 0 || len(m.Nodes) != 0 {
		t.Errorf("%+v", m.Staged)
	}
	var graph inspection.Description
	clitest.Decode(t, succeed(t, "inspect", "--model", exampleModel, "--json", "--stage", "graph"),
		&graph)
	if ran := *m.PrefixNodes + *m.SuffixNodes; len(graph.Nodes) <= ran {
		t.Errorf("the file has %d nodes, and %d are run", len(graph.Nodes), ran)
	}
}

// TestInspectWork states what a coalition costs where coalitions are not pooled together.
func TestInspectWork(t *testing.T) {
	const gathered = "../../../onnxbackend/testdata/zoo/transmil/dynamo-18.onnx"
	text := succeed(t, "inspect", "--stage", "plan", "--model", gathered)
	must.Contain(t, text, "elements touched for a coalition of 7 instances: MatMul ",
		"those of one size in one batch")
	var m inspection.Description
	clitest.Decode(t, succeed(t, "inspect", "--model", gathered, "--json"), &m)
	if m.Work == nil || m.Work.Instances != 7 || m.Work.Units <= m.Work.Operators[0].Units {
		t.Errorf("%+v", m.Work)
	}
	keys := clitest.Decode(t, succeed(t, "inspect", "--model", exampleModel, "--json"), &m)
	must.Equal(t, string(keys["work"]), "null", "the work of pooled coalitions is")
	if text := succeed(t, "inspect", "--stage", "plan", "--model",
		exampleModel); strings.Contains(text, "elements touched") {
		t.Errorf("%s", text)
	}
}

// TestInspectOrder adds to the properties that instances overwrite each other, also if a card
// states all else.
func TestInspectOrder(t *testing.T) {
	model := ot.Model{
		Opset: 16, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs:  []ot.Value{ot.In("logits", 2)},
		Metadata: map[string]string{"bagscope": `{"output": "raw"}`},
		Initializers: []ot.Tensor{ot.F("zero", []float32{0}),
			ot.F("zeros", make([]float32, 4), 2, 2), ot.I("axes", []int64{0}, 1)},
		Nodes: ot.Nodes(`positive = Greater(bag, zero); rows = Cast<to=7>(positive)
			last = ScatterElements(zeros, rows, bag); logits = ReduceSum<keepdims=0>(last, axes)`),
	}
	file := writeTemp(t, "last.onnx", model.Bytes())
	must.Contain(t, succeed(t, "inspect", "--model", file), "note: ScatterElements",
		"depend on the order")
	// Without a bag, the order is what remains unknown: the card states the scale.
	model.Inputs = []ot.Value{ot.In("bag", "k", "d")}
	file = writeTemp(t, "open.onnx", model.Bytes())
	text := succeed(t, "inspect", "--model", file)
	must.Equal(t, strings.Contains(text, "scale of the scores"), false, text)
	must.Contain(t, text, "Whether the order of the instances matters is unknown without a bag")
}

// TestInspectGraphModel shows the plan of a model that takes an adjacency. Instances of generated
// bags are joined.
func TestInspectGraphModel(t *testing.T) {
	text := succeed(t, "inspect", "--stage", "plan", "--model",
		"../../../onnxbackend/testdata/relations/smabmil.onnx")
	must.Contain(t, text, "strategy      members", "random instances, each joined with the next")
	// A model of instances alone has no such note.
	if text := succeed(t, "inspect", "--stage", "plan", "--model",
		exampleModel); strings.Contains(text, "joined") {
		t.Errorf("%s", text)
	}
}

// A model whose instances have an open shape has no plan until a bag is named.
func TestInspectOpenShape(t *testing.T) {
	model := ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", "d")},
		Outputs:      []ot.Value{ot.In("logits", 2)},
		Initializers: []ot.Tensor{ot.F("W", []float32{1, 2, 3, 4}, 2, 2)},
		Nodes:        ot.Nodes(`h = MatMul(bag, W); logits = ReduceMean<axes=[0], keepdims=0>(h)`),
	}
	file := writeTemp(t, "open.onnx", model.Bytes())
	var m inspection.Description
	keys := clitest.Decode(t, succeed(t, "inspect", "--model", file, "--json"), &m)
	must.Equal(t, string(keys["prefix_nodes"]), "null", keys["prefix_nodes"], m.Notes)
	must.Equal(t, strings.Contains(strings.Join(m.Notes, " "), "--bag"), true, keys["prefix_nodes"],
		m.Notes)
	if code, _, errors := bagscope(t, "inspect", "--model", file, "--stage",
		"plan"); code != cli.ExitFailed || !strings.Contains(errors, "--bag") {
		t.Errorf("exit code %d, %s", code, errors)
	}
	bag := writeTemp(t, "bag.csv", []byte("bag,f1,f2\na,0,1\na,2,3\na,4,5\n"))
	clitest.Decode(t, succeed(t, "inspect", "--model", file, "--json", "--bag", bag), &m)
	must.Equal(t, m.Strategy, "mean", m.Staged)
	must.EqualSlices(t, m.Prefix, []string{"#0"}, m.Staged)
}

// TestZooStrategies names how each committed model pools.
func TestZooStrategies(t *testing.T) {
	for name, want := range map[string]string{
		"testdata/models/zoo/abmil_batch_first/model":   "attention",
		"testdata/models/zoo/abmil_gated/model":         "attention",
		"testdata/models/zoo/additive/model":            "members",
		"testdata/models/zoo/clam_branches/model":       "attention",
		"testdata/models/zoo/deepsets_mean/model":       "mean",
		"testdata/models/zoo/deepsets_sum_gelu/model":   "sum",
		"testdata/models/zoo/dsmil_critical/model":      "members",
		"testdata/models/zoo/logsumexp/model":           "logsumexp",
		"testdata/models/zoo/max_batchnorm_probs/model": "max",
		"testdata/models/zoo/noisy_or_binary/model":     "sum",
		"testdata/models/zoo/regression_softplus/model": "mean",
		"testdata/models/zoo/top1_instance/model":       "topk",
		"testdata/models/zoo/transformer_cls/model":     "members",
		"testdata/models/mnist/mi_attn":                 "attention",
		"testdata/models/mnist/mi_attn_pooling":         "attention",
		"testdata/models/mnist/mi_net_embedding":        "mean",
		"examples/tissue/model":                         "attention",
		"examples/tissue/networks/mi-net-instance":      "max",
	} {
		t.Run(name, func(t *testing.T) {
			var m inspection.Description
			clitest.Decode(t, succeed(t, "inspect", "--json", "--model",
				filepath.Join("..", "..", "..", name+".onnx")), &m)
			if m.Strategy != want || m.PrefixNodes == nil || *m.PrefixNodes == 0 {
				t.Errorf("strategy %q, want %q; %q %q", m.Strategy, want, m.Why, m.Notes)
			}
		})
	}
}

// TestInspectGaps inspects a model with three operators that the engine does not know, one of
// them in a Loop: all are named in one go, with their nodes and what to do.
func TestInspectGaps(t *testing.T) {
	body := ot.Model{
		Inputs:  []ot.Value{{Name: "t", Type: ot.Int64}, {Name: "go", Type: ot.Bool}, ot.In("v")},
		Outputs: []ot.Value{{Name: "go", Type: ot.Bool}, ot.In("w")},
		Nodes:   []ot.Node{{Name: "inner", Op: "Purl", In: []string{"v"}, Out: []string{"w"}}},
	}
	m := ot.Model{
		Opset: 17, Domains: map[string]int{"com.example": 3},
		Inputs: []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("scores", 2)},
		Initializers: []ot.Tensor{ot.I("five", []int64{5})},
		Nodes: []ot.Node{
			{Name: "first", Op: "Frob", In: []string{"bag"}, Out: []string{"a"}},
			{Name: "second", Op: "Frob", In: []string{"a"}, Out: []string{"b"}},
			{Name: "own", Op: "Knit", Domain: "com.example", In: []string{"b"}, Out: []string{"c"}},
			{Name: "loop", Op: "Loop", In: []string{"five", "", "c"}, Out: []string{"d"},
				Attributes: []ot.Attribute{ot.Body("body", body)}},
			ot.N("ReduceMax", []string{"d"}, []string{"scores"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0)),
		},
	}
	path := filepath.Join(t.TempDir(), "gaps.onnx")
	must.Do(t, os.WriteFile(path, m.Bytes(), 0o644))
	code, _, text := bagscope(t, "inspect", "--model", path)
	must.Equal(t, code, cli.ExitFailed, "exit code")
	for _, want := range []string{
		`nodes "first", "second", operator Frob (ai.onnx opset 17)`, "simpler layers",
		`node "own", operator Knit (com.example opset 3)`, "without custom operators",
		`node "loop/inner", operator Purl`,
	} {
		must.Contain(t, text, want)
	}
}

// TestInspectVector counts the numbers of a vector, and lists classes that have names.
func TestInspectVector(t *testing.T) {
	model := func(classes int, card map[string]string) string {
		return writeTemp(t, "model.onnx", ot.Model{
			Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 2)}, Metadata: card,
			Outputs:      []ot.Value{ot.In("y", classes)},
			Initializers: []ot.Tensor{ot.F("w", make([]float32, 2*classes), 2, classes)},
			Nodes: ot.Nodes(`h = MatMul(x, w)
				y = ReduceMean<axes=[0], keepdims=0>(h)`)}.Bytes())
	}
	var names []string
	for i := range 65 {
		names = append(names, fmt.Sprintf(`"kind %d"`, i))
	}
	card := map[string]string{"bagscope": `{"classes": [` + strings.Join(names, ",") +
		`], "output": "logits"}`}
	for want, path := range map[string]string{"vector, 65 numbers": model(65, nil),
		"class         64 kind 64": model(65, card), "class         63 63": model(64, nil)} {
		text := succeed(t, "inspect", "--model", path)
		must.Contain(t, text, want)
		must.Equal(t, strings.Contains(text, "\nclass "), strings.HasPrefix(want, "class"))
	}
}
