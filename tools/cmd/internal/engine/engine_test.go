package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A client sends requests to an engine over pipes.
type client struct {
	t    *testing.T
	to   io.WriteCloser
	from io.Reader
	done chan error
	id   uint32

	noted []string // notes of the messages Noted
}

func newClient(t *testing.T) *client {
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &client{t: t, to: to, from: from, done: make(chan error, 1)}
	go func() { c.done <- Serve(t.Context(), in, out, "1.2.3") }()
	t.Cleanup(func() { to.Close() })
	return c
}

// send sends a request.
func (c *client) send(body any) {
	c.t.Helper()
	c.id++
	data := must.Get(wire.Append(make([]byte, 4), wire.Message{ID: c.id, Body: body}))(c.t)
	binary.LittleEndian.PutUint32(data, uint32(len(data)-4))
	must.Get(c.to.Write(data))(c.t)
}

// next returns the next message.
func (c *client) next() any {
	c.t.Helper()
	frame := must.Get(readFrame(c.from))(c.t)
	m := must.Get(wire.Decode(frame))(c.t)
	return m.Body
}

// get sends a request and expects an answer of type T.
func get[T any](c *client, body any) T {
	c.t.Helper()
	c.send(body)
	answer := c.next()
	got, ok := answer.(T)
	if !ok {
		c.t.Fatalf("%T was answered with %+v", body, answer)
	}
	return got
}

// open opens the only bag of a set.
func (c *client) open(body any) wire.BagOpened {
	c.t.Helper()
	return get[wire.BagOpened](c, wire.OpenBag{Set: get[wire.BagsRead](c, body).Handle})
}

// The engine answers until its input ends, with the names of options that Python uses.
func TestServe(t *testing.T) {
	c := newClient(t)
	w := get[wire.Welcome](c, wire.Hello{})
	if w.Version != "1.2.3" || !slices.ContainsFunc(w.Methods, func(m ask.Method) bool {
		return slices.Contains(m.Options, "mean_bag")
	}) {
		t.Errorf("version %s, methods %v", w.Version, w.Methods)
	}
	f := get[wire.Failure](c, wire.OpenModelFile{Path: "/no/such/file.onnx"})
	must.Equal(t, strings.Contains(f.Message, "does not exist"), true, f)
	c.to.Close()
	must.Do(t, <-c.done, "the end of the input")
}

// An array in the message, and the same in the middle of a file, are the same bag.
func TestReadArray(t *testing.T) {
	want := []float32{1, 2, 3, -4, 5, 0.5}
	values := must.Get(binary.Append(nil, binary.LittleEndian, want))(t)
	file := filepath.Join(t.TempDir(), "array")
	must.Do(t, os.WriteFile(file, append([]byte("odd"), values...), 0o600))
	c := newClient(t)
	for name, block := range map[string]wire.Block{
		"message": {Bytes: values},
		"file":    {Path: file, Offset: 3, Length: len(values)},
	} {
		t.Run(name, func(t *testing.T) {
			b := c.open(wire.ReadArray{Name: "b", Values: block, Type: "<f4", Shape: []int{3, 2}})
			must.Equal(t, b.Info.Instances, 3, b.Info)
			must.Equal(t, b.Info.Name, "b", b.Info)
			got := get[wire.Values](c, wire.GetValues{Bag: b.Handle}).Values
			must.EqualSlices(t, got, want)
			get[wire.Done](c, wire.Release{Handle: b.Handle})
		})
	}
}

// Map refuses what is not inside a file, and changes of its memory do not reach the file.
func TestMap(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	content := bytes.Repeat([]byte("0123456789"), 20_000)
	must.Do(t, os.WriteFile(file, content, 0o600))
	for _, part := range [][2]int{{-1, 4}, {0, -1}, {0, len(content) + 1}, {len(content), 1},
		{1, math.MaxInt}, {math.MaxInt, 1}} {
		var setting *core.SettingError
		if _, _, err := (files{}).Map(file, part[0], part[1]); !errors.As(err, &setting) {
			t.Errorf("bytes %v: %v", part, err)
		}
	}
	if _, _, err := (files{}).Map(t.TempDir(), 0, 1); err == nil {
		t.Error("a folder was mapped")
	}
	for _, part := range [][2]int{{0, len(content)}, {7, 100}, {70_001, 9}, {len(content), 0}} {
		data, release, err := (files{}).Map(file, part[0], part[1])
		must.Do(t, err)
		must.EqualSlices(t, data, content[part[0]:part[0]+part[1]], part)
		clear(data)
		release()
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, content) {
		t.Errorf("the file has changed, %v", err)
	}
}

// A function of the client is explained: single of a sum is the instance.
func TestCallable(t *testing.T) {
	c := newClient(t)
	values := []float64{3, -1, 4}
	b := c.open(wire.ReadArray{Name: "b", Values: wire.Block{Bytes: make([]byte, 12)}, Type: "<f4",
		Shape: []int{3, 1}})
	m := get[wire.ModelOpened](c, wire.OpenCallable{Name: "sum", Classes: []string{"s"},
		Scale: "raw", Negative: -1})
	c.send(wire.Explain{Model: m.Handle, Bag: b.Handle, Methods: new([]string{"single"})})
	request := c.id
	for {
		switch answer := c.next().(type) {
		case wire.Done:
		case wire.EvaluateBags:
			scores := make([]float64, answer.Count)
			for j := range scores {
				for i, v := range values {
					if answer.Coalitions[j]>>i&1 == 1 {
						scores[j] += v
					}
				}
			}
			c.send(wire.BagScores{Request: int(request), Ticket: answer.Ticket, Scores: scores})
		case wire.Explained:
			must.EqualSlices(t, answer.Explanations[0].Scores, ask.Numbers(values), values)
			return
		default:
			t.Fatalf("%+v", answer)
		}
	}
}

// TestInspectChecks sends stages that do not exist, and a graph without its model.
func TestInspectChecks(t *testing.T) {
	for name, r := range map[string]wire.Inspect{
		"stage": {Stage: "soup"},
		"plain": {Stage: "graph"},
	} {
		_, err := (files{}).Inspect(t.Context(), nil, nil, nil, r.Stage)
		var setting *core.SettingError
		must.As(t, err, &setting)
		must.Equal(t, setting.Setting, name)
	}
}

// FuzzFrames: whatever the stream, no panic, and memory only for bytes that arrive.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 9})
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{255, 255, 255, 63, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for {
			message, err := readFrame(r)
			if err != nil {
				return
			}
			must.Equal(t, len(message) != 0, true, len(message), len(data))
			must.Equal(t, len(message) <= len(data), true, len(message), len(data))
		}
	})
}
