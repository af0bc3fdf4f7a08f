package server

import (
	"bytes"
	"context"
	"encoding/json"
	"path"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jobs"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// opened is a job in work. It caches the job's models and the last set of bags, because the items
// of one file follow each other. It is not safe for concurrent use.
type opened struct {
	server *Server
	id     string // ID of the job
	spec   *jobSpec
	file   func(m *quota.Memory, name string) ([]byte, error) // reads a file of the job
	// count is true if bags are only counted; the bytes of files are then not modified.
	count   bool
	request jobRequest
	plan    *ask.Plan
	planErr error // the error if plan is nil

	models  map[int]ask.Engine
	at      struct{ model, group int } // what bags belong to
	bags    *bagio.Set
	bagsErr error // the error if bags is nil

	memory    *quota.Memory // memory of the job
	setMemory *quota.Memory // part of bags
	loose     *quota.Memory // part of models that are opened for each bag
	item      *quota.Memory // part of the item in work, until its line is stored
	work      *jobs.Work    // item in work, nil before the first
	// keeper is ask.Slides.Keep of the item in work.
	keeper  func(o *opened, description []byte) ask.Keeper
	parts   partStore // where the keeper stores
	blocked bool      // the last item found the memory held by others
}

// specShare is how many bytes a spec takes for each byte of its JSON, which is read, too.
const specShare = 4

// openJob reads the data that all items of a job share.
func (s *Server) openJob(id string) (*opened, error) {
	data, err := s.Jobs.Spec(id)
	if err != nil {
		return nil, err
	}
	return s.openSpec(id, data, s.Jobs, func(m *quota.Memory, name string) ([]byte, error) {
		return s.Jobs.File(reserveIn(m, "a file of the job"), id, name)
	})
}

// openSpec is openJob for the bytes of a spec. The files and parts of the job come from elsewhere.
// It returns a *quota.MemoryBusyError if others hold the memory.
func (s *Server) openSpec(
	id string, data []byte, parts partStore, file func(*quota.Memory, string) ([]byte, error),
) (*opened, error) {
	o := &opened{server: s, id: id, spec: &jobSpec{}, memory: s.limits.part(),
		keeper: (*opened).keepFeatures, parts: parts, file: file}
	err := o.memory.Reserve(specShare*int64(len(data)), "the record of the job")
	if err == nil {
		err = json.Unmarshal(data, o.spec)
	}
	if err != nil {
		o.close()
		return nil, err
	}
	o.planErr = o.parse()
	if busy := o.memory.Busy(); busy != nil { // the request has not been read
		o.close()
		return nil, busy
	}
	return o, nil
}

// part returns a part of the job's memory, or nil if that is not bounded.
func (o *opened) part() *quota.Memory {
	if o.memory == nil {
		return nil
	}
	return o.memory.Part(o.memory.Limit())
}

// close releases the memory of the job. o can be nil.
func (o *opened) close() {
	if o != nil {
		o.server.closeMemory(o.memory)
	}
}

// parse reads the request and applies the limits to its values.
func (o *opened) parse() (err error) {
	if len(o.spec.Request) > 0 {
		if err := parseJSON(o.memory, o.spec.Request, &o.request); err != nil {
			return err
		}
	}
	// The limits may have changed since the job was created.
	o.server.limits.bound(&o.request.Settings)
	o.plan, err = o.request.Plan()
	return err
}

// model opens a model of the job, once. If the first bag determines which output has the class
// scores, the model is opened for each bag, so that no other bag of the cohort has an influence.
func (o *opened) model(i int) (ask.Engine, error) {
	if m := o.models[i]; m != nil {
		return m, nil
	}
	if o.loose == nil {
		o.loose = o.part()
	}
	m, err := o.openModel(o.spec.Models[i], o.loose)
	if err != nil {
		return nil, err
	}
	if m.Info().Output != "" {
		o.loose = nil // the model keeps its memory
		if o.models == nil {
			o.models = map[int]ask.Engine{}
		}
		o.models[i] = m
	}
	return m, nil
}

// openModel opens a registered model, if it has not changed, or a model from the files of the job
// in memory.
func (o *opened) openModel(m jobModel, memory *quota.Memory) (ask.Engine, error) {
	if !m.Sent {
		one, err := o.server.Models.find(m.Name)
		if err != nil {
			return nil, err
		}
		if one.engine.Info().SHA256 != m.SHA256 {
			return nil, problem("unknown",
				"the model %q has changed since the job was created; send the job again", m.Name)
		}
		return one.open(memory)
	}
	// The files of the job are those of the upload.
	u := &upload{external: map[string][]byte{}, memory: memory}
	u.model.Name = m.Name
	var err error
	if u.model.Data, err = o.file(memory, "model"); err != nil {
		return nil, err
	}
	if m.Card {
		if u.card, err = o.file(memory, "card"); err != nil {
			return nil, err
		}
	}
	for _, name := range m.External {
		if u.external[name], err = o.file(memory, "external/"+name); err != nil {
			return nil, err
		}
	}
	return o.server.sent(u, onnxbackend.Randomize{})
}

// set reads the bags of a group in the layout of a model's input. The patches of a slide are
// encoded until ctx ends; progress counts them and may be nil.
func (o *opened) set(
	ctx context.Context, model, group int, progress func(done, total int),
) (*bagio.Set, error) {
	if (o.bags != nil || o.bagsErr != nil) && o.at.model == model && o.at.group == group {
		return o.bags, o.bagsErr
	}
	m, err := o.model(model)
	if err != nil {
		return nil, err
	}
	o.bags, o.bagsErr = nil, nil // free the memory of the last set before the next one is read
	o.setMemory.Close()
	o.setMemory = o.part()
	g := &o.spec.Groups[group]
	files := make([]bagio.File, len(g.Files))
	var open *belowFile
	for i := range files {
		if files[i], open, err = o.bagFile(g, i); err != nil {
			return nil, err
		}
	}
	defer open.Close()
	options := o.request.Options(m)
	options.Name, options.ZeroCopy = o.request.Name, !o.count
	options.Limits = o.server.limits.bags(o.setMemory)
	if options.Name == "" && len(files) > 1 {
		options.Name = path.Base(g.Name)
	}
	options.Slide = o.slide(ctx, m, progress)
	o.at.model, o.at.group = model, group
	o.bags, o.bagsErr = bagio.ReadFiles(files, options)
	if ctx.Err() != nil { // it says nothing about the file
		o.bags, o.bagsErr = nil, nil
		return nil, context.Cause(ctx)
	}
	if open != nil && open.changed() { // its hash may be another one now
		o.bags, o.bagsErr = nil, hasChanged(open.name)
	}
	return o.bags, o.bagsErr
}

// hasChanged returns the problem of a file that is not the one that its job was created with.
func hasChanged(name string) error {
	return problem("unknown", "the file %q has changed since the job was created; send the job "+
		"again", name)
}

// bagFile returns file i of a group in the memory of the set, or open. A file below the folder of
// bags must be the one that the job was created with.
func (o *opened) bagFile(g *jobGroup, i int) (bagio.File, *belowFile, error) {
	name := g.Files[i]
	if !g.Below {
		data, err := o.file(o.setMemory, bagFile(g.At[i]))
		return bagio.File{Name: name, Data: data}, nil, err
	}
	return o.server.fileBelow(o.setMemory, name, len(g.Files) == 1, func(f *belowFile) error {
		hash, err := f.hash()
		if err != nil {
			return err
		}
		if i == len(g.SHA256) && o.count {
			g.SHA256 = append(g.SHA256, hash)
		}
		if i >= len(g.SHA256) || g.SHA256[i] != hash {
			return hasChanged(name)
		}
		return nil
	})
}

// answer explains one item. It returns a line of JSON, also after an error.
func (o *opened) answer(
	ctx context.Context, w *jobs.Work, item jobItem, progress func(done, total int),
) (line []byte, failed bool) {
	o.item, o.work = o.part(), w
	result, err := o.explain(quota.WithMemory(ctx, o.item), item, progress)
	o.blocked = o.item.Busy() != nil || o.setMemory.Busy() != nil || o.loose.Busy() != nil
	o.loose.Close()
	if err != nil {
		err = withCause(ctx, err)
		p := asProblem(err)
		if p.Kind == "internal" {
			o.server.Log.Error("failure", "job", w.Job, "item", w.Item, "error", err.Error())
			p.Detail = internalItem
		}
		return o.problemLine(w, item, p), true
	}
	return o.line(w, item, "result", result), false
}

// internalItem is the detail of an internal error at an item.
const internalItem = "internal error; the log of the server has details under the job and the item"

// problemLine returns a line of results with a problem.
func (o *opened) problemLine(w *jobs.Work, item jobItem, p *Problem) []byte {
	p.Instance = "urn:bagscope:job:" + w.Job
	return o.line(w, item, "problem", p.encode())
}

// explain returns the JSON of the explanation of one item.
func (o *opened) explain(
	ctx context.Context, item jobItem, progress func(done, total int),
) ([]byte, error) {
	if o.planErr != nil {
		return nil, o.planErr
	}
	m, err := o.model(item.Model)
	if err != nil {
		return nil, err
	}
	set, err := o.set(ctx, item.Model, item.Group, progress)
	if err != nil {
		return nil, err
	}
	in, err := ask.NewInput(ctx, m, set, item.Index)
	if err != nil {
		return nil, err
	}
	x, err := o.plan.Explain(ctx, in, progress)
	if err != nil {
		return nil, err
	}
	result := x.JSON()
	if err := quota.MemoryOf(ctx).Reserve(storeShare*jsontext.Bytes(result),
		"the JSON of the result"); err != nil {
		return nil, err
	}
	return encode(result)
}

// storeShare is how many bytes storing a line of results takes for each byte: the line, its sealed
// copy, and a page of the store.
const storeShare = 3

// givenUp returns the line of an item for which the server stopped too often.
func (o *opened) givenUp(w *jobs.Work) []byte {
	var item jobItem
	// It fails only if the job was removed, and then the line is not read.
	_ = json.Unmarshal(w.Data, &item)
	return o.problemLine(w, item, problem("crashed", "%s", w.Crash))
}

// line returns a line of results: the item, and under key the bytes of the answer, unchanged.
func (o *opened) line(w *jobs.Work, item jobItem, key string, answer []byte) []byte {
	// The answer is inserted as bytes, so that it equals the response of /v1/explain.
	head, _ := json.Marshal(struct { // strings and numbers cannot fail
		Item  int    `json:"item"`
		Model string `json:"model"`
		File  string `json:"file"`
		Index int    `json:"index"`
	}{w.Item, o.spec.Models[item.Model].Name, o.spec.Groups[item.Group].Name, item.Index})
	line := append(head[:len(head)-1], `,"`+key+`":`...)
	return append(append(line, bytes.TrimRight(answer, "\n")...), "}\n"...)
}
