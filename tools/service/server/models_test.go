package server

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// open is a model whose file does not tell which of its outputs has the class scores: all sides are
// symbolic.
var open = ot.Model{
	Opset: 13,
	Nodes: ot.Nodes(`scores = ReduceMean<axes=[0], keepdims=0>(x)
		each = ReduceMean<axes=[1], keepdims=0>(x)`),
	Inputs:  []ot.Value{ot.In("x", "k", 4)},
	Outputs: []ot.Value{ot.In("scores", "a"), ot.In("each", "b")},
}

// TestJobOfChangedModel: a model that was replaced since a job was created is not used for it.
func TestJobOfChangedModel(t *testing.T) {
	folder, dir := t.TempDir(), t.TempDir()
	register := func(m ot.Model) *Models {
		must.Do(t, os.WriteFile(filepath.Join(folder, "m.onnx"), m.Bytes(), 0o600))
		return must.Get(OpenModels(folder, Limits{}, Processor{}))(t)
	}
	store := must.Get(jobs.Open(dir, jobs.Limits{}))(t)
	_, url := serve(t, Options{Models: register(open), Jobs: store}) // it computes no bag
	j := addJob(t, url, part{name: "model", data: []byte("m")}, part{"bag", "a.npy", npy(7, 4)},
		part{name: "request", data: []byte(`{"methods":["single"]}`)})
	store.Close()
	other := open
	other.Metadata = map[string]string{"bagscope": `{"output_name":"scores"}`}
	_, url, _ = keeping(t, dir, Options{Models: register(other)}, jobs.Limits{})
	now := ended(t, url, j.ID)
	p := results(t, url, j.ID)[0].Problem
	if now.Failed != 1 || p == nil || p.Kind != "unknown" || !strings.Contains(p.Detail,
		`"m" has changed since the job was created; send the job again`) {
		t.Errorf("%+v, problem %+v", now, p)
	}
}

// TestOpenModelsAnew: no bag of one request decides about a model for another's.
func TestOpenModelsAnew(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "open.onnx"), open.Bytes(), 0o600))
	models := must.Get(OpenModels(folder, Limits{}, Processor{}))(t)
	one := must.Get(models.find("open"))(t)
	must.Equal(t, one.engine.Info().Output, "")
	_, url := serve(t, Options{Models: models})
	ask := func(k int) string {
		status, _, body := post(t, url+"/v1/predict", "", part{name: "model", data: []byte("open")},
			part{"bag", "b.npy", npy(k, 4)})
		must.Equal(t, status, 200, k, body)
		return string(body)
	}
	first := ask(7)
	ask(4)
	must.Equal(t, ask(7), first)
	must.Contain(t, first, `"classes":[{"name":"0"`)
	must.Equal(t, one.engine.Info().Output, "", "a request has decided for all")
	must.Do(t, os.RemoveAll(folder))
	status, kind, body := post(t, url+"/v1/predict", "", part{name: "model", data: []byte("open")},
		part{"bag", "b.npy", npy(7, 4)})
	wantProblem(t, "a model whose folder is gone", status, kind, body, "internal", "")
}

// External tensors are found in the folder of registered models and in a request. A request has no
// access to files other than its own.
func TestExternal(t *testing.T) {
	const n = 4
	raw := []byte{}
	for i := range n * n {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(i)))
	}
	model := ot.Model{
		Opset: 13,
		Nodes: ot.Nodes(`h = MatMul(x, w); scores = ReduceMean<axes=[0], keepdims=0>(h)`),
		Initializers: []ot.Tensor{{Name: "w", Type: ot.Float32, Dims: []int{n, n},
			File: "parts/w.bin"}},
		Inputs:  []ot.Value{ot.In("x", "k", n)},
		Outputs: []ot.Value{ot.In("scores", n)},
	}
	folder := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(folder, "parts"), 0o700))
	for name, data := range map[string][]byte{"m.onnx": model.Bytes(), "parts/w.bin": raw} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	models := must.Get(OpenModels(folder, Limits{}, Processor{}))(t)
	_, url := serve(t, Options{Models: models})
	bag := part{"bag", "b.npy", npy(3, n)}
	_, _, registered := post(t, url+"/v1/predict", "", part{name: "model", data: []byte("m")}, bag)
	status, _, sent := post(t, url+"/v1/predict", "", part{"model", "m.onnx", model.Bytes()},
		part{"external", "parts/w.bin", raw}, bag)
	must.Equal(t, status, 200, registered, sent)
	must.Equal(t, string(sent), string(registered), registered, sent)
	status, kind, body := post(t, url+"/v1/predict", "", part{"model", "m.onnx", model.Bytes()},
		bag)
	wantProblem(t, "without its tensors", status, kind, body, "missing", "parts/w.bin")
	model.Initializers[0].File = "../../../../../../etc/passwd"
	status, kind, body = post(t, url+"/v1/predict", "", part{"model", "m.onnx", model.Bytes()}, bag)
	wantProblem(t, "a path outside", status, kind, body, "format", "")
}

// A broken file, a link that leaves the folder, a file without room and a bad card are skipped with
// their reasons, and the other models are served.
func TestBrokenModelsAreSkipped(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		must.Do(t, os.WriteFile(path, data, 0o600))
		return path
	}
	write("good.onnx", open.Bytes())
	write("broken.onnx", []byte("not a model"))
	write("card.onnx", open.Bytes())
	write("card.bagscope.json", []byte("{"))
	outside := filepath.Join(t.TempDir(), "outside.onnx")
	must.Do(t, os.WriteFile(outside, open.Bytes(), 0o600))
	must.Do(t, os.Symlink(outside, filepath.Join(folder, "link.onnx")))
	// A pipe, like this folder, must not be opened: that would wait for a writer.
	write("folder.onnx", open.Bytes())
	must.Do(t, os.Mkdir(filepath.Join(folder, "folder.bagscope.json"), 0o755))
	must.Do(t, os.Truncate(write("huge.onnx", nil), 1<<30))
	limits := Limits{Memory: 100}.WithMemory()
	models := must.Get(OpenModels(folder, limits, Processor{}))(t)
	if held := limits.Held.Held(); held > 1e6 {
		t.Errorf("models that are skipped hold %d bytes", held)
	}
	skipped := errors.Join(models.Skipped()...).Error()
	for _, name := range []string{"broken.onnx", "card.onnx", "link.onnx",
		"folder.onnx: its card", "huge.onnx: the file"} {
		must.Contain(t, skipped, name)
	}
	must.Do(t, must.Err(models.find("good")))
	must.Equal(t, len(models.names), 1, models.names, skipped)
	must.Equal(t, len(models.Skipped()), 5, models.names, skipped)
}

// TestModelNames: a file whose name could not be asked for is not passed over in silence.
func TestModelNames(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "my model.onnx"), open.Bytes(), 0o600))
	must.Fail(t, must.Err(OpenModels(folder, Limits{}, Processor{})), "rename")
}
