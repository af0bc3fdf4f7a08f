package oip

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Model is a model on a server. It is safe for concurrent use.
type Model struct {
	client   *client
	metadata Metadata
	served   *signature.Served
	input    Port
	outputs  []Port
	binary   bool // the server supports binary tensors
	batching batching
}

var _ ask.Engine = (*Model)(nil)

// Open requests the metadata of a model from its server. A failure of the server is an *Error. An
// invalid address is a plain error. Inputs that cannot take a bag and an invalid card give
// the errors of onnxbackend.Open.
func Open(ctx context.Context, model string, o Options) (*Model, error) {
	a, err := parseAddress(model)
	if err != nil {
		return nil, err
	}
	// Anyone on the way could read the token.
	if o.Token != "" && !a.local() && strings.HasPrefix(a.base, "http:") {
		return nil, msg.Errorf("the token would be sent to %s unencrypted; use %s://", a.host,
			secureScheme)
	}
	m := &Model{client: newClient(a, o.withDefaults())}
	// The metadata show that the model exists and what its inputs are.
	if err := m.client.get(ctx, a.model(""), &m.metadata); err != nil {
		return nil, err
	}
	var server Server
	var failure *Error
	// A gateway may serve only the models. An extension that it does not list is treated as absent.
	if err := m.client.get(ctx, a.base+"/v2", &server); err != nil &&
		(!errors.As(err, &failure) || failure.Status == 0 && failure.Kind != Wrong) {
		return nil, err
	}
	m.binary = slices.Contains(server.Extensions, BinaryExtension)
	return m, m.describe()
}

// describe derives the model's properties from the metadata.
func (m *Model) describe() (err error) {
	inputs, outputs := infosOf(m.metadata.Inputs), infosOf(m.metadata.Outputs)
	for i, p := range m.metadata.Inputs {
		if Type(p.Datatype) == "" {
			return m.client.wrong("its input %q has the type %s, but a bag contains numbers",
				p.Name, p.Datatype)
		}
		// The protocol does not name dimensions. Two open dimensions at the start are bags and
		// instances.
		if s := p.Shape; len(s) > 2 && s[0] < 0 && s[1] < 0 &&
			!slices.ContainsFunc(s[2:], func(d int) bool { return d < 0 }) {
			inputs[i].Names[0] = "batch"
		}
	}
	// The server's card supplies what the protocol has no keys for.
	var card []byte
	if p := m.metadata.Parameters; p != nil {
		card = p.Card
	}
	if m.served, err = signature.NewServed(m.client.name, inputs, outputs, card,
		m.client.options.Card); err != nil {
		return err
	}
	m.outputs = m.metadata.Outputs
	m.input = m.metadata.Inputs[0] // NewServed returns an error if there is none
	m.batching.most = m.client.options.Batch
	return nil
}

// infosOf converts ports to the engine's form. The type of a port that is not numeric is "".
func infosOf(ports []Port) []core.TensorInfo {
	return ask.ListOf(ports, func(p Port) core.TensorInfo {
		shape := slices.Clone(p.Shape) // nil if the server does not state it
		for i := range shape {
			shape[i] = max(shape[i], -1)
		}
		return core.TensorInfo{Name: p.Name, Type: Type(p.Datatype), Shape: shape,
			Names: make([]string, len(shape))}
	})
}

// Anew returns a copy of the model without the properties that binding a bag determined.
func (m *Model) Anew() (*Model, error) {
	n := &Model{client: m.client, metadata: m.metadata, binary: m.binary}
	return n, n.describe()
}

// Info implements core.Model. Hash and operators are empty because the server does not return them.
func (m *Model) Info() core.ModelInfo {
	info := m.served.Info()
	info.Notes = append([]string{
		"The model runs on a server: every coalition is a request, or a part of one."},
		info.Notes...)
	if why := m.batching.reason(); why != "" {
		info.Notes = append(info.Notes, why)
	}
	return info
}

// ID identifies the model by its address, its metadata and its card.
func (m *Model) ID() string {
	data, _ := json.Marshal(m.metadata) // it was decoded from JSON
	sum := sha256.Sum256(slices.Concat([]byte(m.client.model("")+"\n"), data,
		m.client.options.Card))
	return hex.EncodeToString(sum[:])
}

// Card returns the server's card, overridden by the given card.
func (m *Model) Card() onnxbackend.Card { return m.served.Card() }

// Needs estimates the bytes of a bag, of its encoded form and of the concurrent requests.
// Options.Bytes bounds requests with several coalitions.
func (m *Model) Needs(_ context.Context, bag *core.Bag) (int64, error) {
	l, err := m.served.Encode(bag)
	if err != nil {
		return 0, err
	}
	one := int64(len(l.Data))
	if !m.binary {
		one *= 4 // a number as text takes about four times the bytes
	}
	return 4*int64(len(bag.Values)) + int64(len(l.Data)) + int64(m.client.options.Requests)*max(one,
		int64(m.client.options.Bytes)), nil
}

// run requests all outputs for a bag.
func (m *Model) run(
	ctx context.Context, bag *core.Bag,
) (*signature.Encoded, []onnxbackend.Output, error) {
	l, err := m.served.Encode(bag)
	if err != nil {
		return nil, nil, err
	}
	out, err := m.infer(ctx, l.Shape, l.Data)
	if err != nil || m.served.Resolved() {
		return l, out, err
	}
	// A second bag with one instance more shows which output depends on the number of instances.
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

// scores returns the class scores from the outputs, as the server returns them.
func (m *Model) scores(outputs []onnxbackend.Output) ([]float64, error) {
	name, want := m.served.Info().Output, m.served.ClassOutput().Raw()
	at := slices.IndexFunc(outputs, func(o onnxbackend.Output) bool { return o.Name == name })
	if at < 0 {
		return nil, m.client.wrong("its response lacks the output %q", name)
	}
	if n := len(outputs[at].Data); n != want {
		return nil, m.client.wrong(
			"its response has the output %q of shape %v, but the model has %d scores",
			name, outputs[at].Shape, want)
	}
	return outputs[at].Data, nil
}

// Predict returns the model's outputs for a bag. Errors are *Error, *core.BagError, and the cause
// if ctx ends.
func (m *Model) Predict(ctx context.Context, bag *core.Bag) (*onnxbackend.Prediction, error) {
	_, outputs, err := m.run(ctx, bag)
	if err != nil {
		return nil, err
	}
	raw, err := m.scores(outputs)
	if err != nil {
		return nil, err
	}
	classes := m.served.ForBag(raw)
	p := &onnxbackend.Prediction{Outputs: outputs, Classes: m.served.Info().Classes,
		Scale: classes.Scale, Heads: classes.Heads(), Notes: m.notes(bag, classes)}
	if p.Scores, err = classes.Reading(raw); err != nil {
		return nil, err
	}
	p.Curves, err = classes.Curves(raw)
	return p, err
}

// notes returns the notes on the model and on a bag, whose scores are of these classes.
func (m *Model) notes(bag *core.Bag, classes *signature.ClassOutput) []string {
	notes := m.Info().Notes
	for _, n := range slices.Concat(m.served.Notes(bag), classes.Notes) {
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	usual := m.served.ClassOutput().Notes
	return slices.DeleteFunc(notes, func(n string) bool {
		return slices.Contains(usual, n) && !slices.Contains(classes.Notes, n)
	})
}

// batching holds the number of coalitions per request. The first bag determines it.
type batching struct {
	once sync.Mutex
	done bool

	mu   sync.Mutex
	most int
	why  string // the reason if it is 1, in a sentence
}

// limit returns the largest number of coalitions in a request.
func (s *batching) limit() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// lower reduces the limit. The reason is shown only if the limit becomes 1.
func (s *batching) lower(to int, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to < s.most {
		s.most = max(1, to)
		if s.most == 1 {
			s.why = why
		}
	}
}

// reason returns why each coalition has its own request, or "".
func (s *batching) reason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}
