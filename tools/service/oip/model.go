package oip

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/signature"
	"github.com/bagscope/bagscope/tools/service/query"
)

// A Model runs elsewhere. It is safe for concurrent use.
type Model struct {
	client   *client
	metadata Metadata
	served   *signature.Served
	input    Port
	outputs  []Port
	binary   bool // the server takes tensors in binary
	side     side
}

var _ query.Engine = (*Model)(nil)

// Open asks a server what it says of a model. An address that is none is an error in words, a failure of the server an
// *Error; ports of which no bag can be made, and a card that is broken, have the errors of onnxbackend.Open.
func Open(ctx context.Context, model string, o Options) (*Model, error) {
	a, err := parseAddress(model)
	if err != nil {
		return nil, err
	}
	if o.Token != "" && !a.local() && strings.HasPrefix(a.base, "http:") {
		return nil, fmt.Errorf("a token would go to %s for all to read; use %s://", a.host, secureScheme)
	}
	m := &Model{client: newClient(a, o.withDefaults())}
	if err := m.client.get(ctx, a.model(""), &m.metadata); err != nil {
		return nil, err
	}
	var server Server
	var failure *Error
	// A gateway may show the models alone: what is not said is not there.
	if err := m.client.get(ctx, a.base+"/v2", &server); err != nil && (!errors.As(err, &failure) || failure.Status == 0 && failure.Kind != Wrong) {
		return nil, err
	}
	m.binary = slices.Contains(server.Extensions, BinaryExtension)
	return m, m.describe()
}

// describe makes what can be made of the metadata.
func (m *Model) describe() (err error) {
	inputs, outputs := infosOf(m.metadata.Inputs), infosOf(m.metadata.Outputs)
	for i, p := range m.metadata.Inputs {
		if Type(p.Datatype) == "" {
			return m.client.wrong("its input %q is of %s, and a bag holds numbers", said(p.Name), said(p.Datatype))
		}
		// The protocol has no names for sides: two open ones before others are bags and instances.
		if s := p.Shape; len(s) > 2 && s[0] < 0 && s[1] < 0 && !slices.ContainsFunc(s[2:], func(d int) bool { return d < 0 }) {
			inputs[i].Names[0] = "batch"
		}
	}
	var card []byte
	if p := m.metadata.Parameters; p != nil {
		card = p.Card
	}
	if m.served, err = signature.NewServed(m.client.name, inputs, outputs, card, m.client.options.Card); err != nil {
		return err
	}
	m.outputs = m.metadata.Outputs
	m.input = m.metadata.Inputs[0] // there is one, or there were no ports
	m.side.most = m.client.options.Batch
	return nil
}

// infosOf gives ports the engine's words. What holds no numbers has no type.
func infosOf(ports []Port) []core.TensorInfo {
	var out []core.TensorInfo
	for _, p := range ports {
		shape := slices.Clone(p.Shape)
		for i := range shape {
			shape[i] = max(shape[i], -1)
		}
		out = append(out, core.TensorInfo{Name: p.Name, Type: Type(p.Datatype), Shape: shape, Names: make([]string, len(shape))})
	}
	return out
}

// Anew returns the model as it was opened: nothing that a bag has told of it is known.
func (m *Model) Anew() (*Model, error) {
	n := &Model{client: m.client, metadata: m.metadata, binary: m.binary}
	return n, n.describe()
}

// Info implements core.Model. It says nothing that the server does not: neither a hash nor operators.
func (m *Model) Info() core.ModelInfo {
	info := m.served.Info()
	info.Notes = append([]string{"The model runs elsewhere: a coalition is a request to its server, or a part of one."}, info.Notes...)
	if why := m.side.reason(); why != "" {
		info.Notes = append(info.Notes, why)
	}
	return info
}

// ID says which model this is as far as its server tells: by its address, its metadata and its card.
func (m *Model) ID() string {
	data, _ := json.Marshal(m.metadata) // it was JSON before
	sum := sha256.Sum256(slices.Concat([]byte(m.client.model("")+"\n"), data, m.client.options.Card))
	return hex.EncodeToString(sum[:])
}

// Card returns the card that the server has, under the one that was given.
func (m *Model) Card() onnxbackend.Card { return m.served.Card() }

// Needs estimates the bytes of a bag, of the form in which it is sent, and of the requests under way. Requests of several
// coalitions are bounded by Options.Bytes.
func (m *Model) Needs(_ context.Context, bag *core.Bag) (int64, error) {
	l, err := m.served.Encode(bag)
	if err != nil {
		return 0, err
	}
	one := int64(len(l.Data))
	if !m.binary {
		one *= 4 // as text
	}
	return 4*int64(len(bag.Values)) + int64(len(l.Data)) + int64(m.client.options.Requests)*max(one, int64(m.client.options.Bytes)), nil
}

// run asks for all outputs of a bag.
func (m *Model) run(ctx context.Context, bag *core.Bag) (*signature.Encoded, []onnxbackend.Output, error) {
	l, err := m.served.Encode(bag)
	if err != nil {
		return nil, nil, err
	}
	out, err := m.infer(ctx, l.Shape, l.Data)
	if err != nil || m.served.Resolved() {
		return l, out, err
	}
	instances := make([]int, bag.Len()+1)
	for i := range instances {
		instances[i] = min(i, bag.Len()-1)
	}
	more, err := m.served.Encode(bag.Select(instances))
	if err != nil {
		return nil, nil, err
	}
	two, err := m.infer(ctx, more.Shape, more.Data)
	if err != nil {
		return nil, nil, err
	}
	return l, out, m.served.Resolve(out, two)
}

// scores returns the class scores among outputs, which must be as many as the task's classes.
func (m *Model) scores(task core.Task, outputs []onnxbackend.Output) ([]float64, error) {
	name := m.served.Info().Output
	at := slices.IndexFunc(outputs, func(o onnxbackend.Output) bool { return o.Name == name })
	if at < 0 {
		return nil, m.client.wrong("its answer lacks the output %q", said(name))
	}
	if n := len(outputs[at].Data); n != task.Classes {
		return nil, m.client.wrong("its answer has output %q of shape %v, and there are %d classes", said(name), outputs[at].Shape, task.Classes)
	}
	return outputs[at].Data, nil
}

// Predict asks what the model says of a bag. Errors are *Error, *core.BagError, and the cause when ctx ends.
func (m *Model) Predict(ctx context.Context, bag *core.Bag) (*onnxbackend.Prediction, error) {
	_, outputs, err := m.run(ctx, bag)
	if err != nil {
		return nil, err
	}
	task := m.served.Task(bag)
	scores, err := m.scores(task, outputs)
	if err != nil {
		return nil, err
	}
	return &onnxbackend.Prediction{
		Outputs: outputs, Scores: slices.Clone(scores), Classes: m.served.Info().Classes, Scale: task.Scale, Notes: m.notes(bag),
	}, nil
}

// notes are those of the model and of a bag.
func (m *Model) notes(bag *core.Bag) []string {
	notes := m.Info().Notes
	for _, n := range m.served.Notes(bag) {
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	return notes
}

// A side is how many coalitions stand side by side in a request, which the first bag tries.
type side struct {
	once sync.Mutex
	done bool

	mu   sync.Mutex
	most int
	why  string // why it is one, in a sentence
}

func (s *side) limit() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

func (s *side) lower(to int, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to < s.most {
		s.most = max(1, to)
		if s.most == 1 {
			s.why = why
		}
	}
}

func (s *side) reason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}
