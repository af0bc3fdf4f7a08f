package server

import (
	"bytes"
	"context"
	"encoding/json"
	"path"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/tools/service/jobs"
	"github.com/bagscope/bagscope/tools/service/query"
)

// opened is a job at hand: the models and the one set of bags that were used last, for items of one file come one after
// another. It belongs to one goroutine.
type opened struct {
	server  *Server
	id      string // of the job
	spec    *jobSpec
	file    func(name string) ([]byte, error)
	count   bool // bags are counted and not looked at: the files must stay as they are
	request jobRequest
	plan    *query.Plan
	wrong   error // why there is no plan

	models map[int]query.Engine
	at     struct{ model, group int }
	bags   *bagio.Set
	broken error // why bags is none
}

// openJob reads what all items of a job share.
func (s *Server) openJob(id string) (*opened, error) {
	data, err := s.Jobs.Spec(id)
	if err != nil {
		return nil, err
	}
	o := &opened{server: s, id: id, spec: &jobSpec{}, file: func(name string) ([]byte, error) { return s.Jobs.File(id, name) }}
	if err := json.Unmarshal(data, o.spec); err != nil {
		return nil, err
	}
	o.wrong = o.parse()
	return o, nil
}

// parse reads the request, and lowers what it asks for to what it may have.
func (o *opened) parse() (err error) {
	if len(o.spec.Request) > 0 {
		if err := parseJSON(o.spec.Request, &o.request); err != nil {
			return err
		}
	}
	o.server.limits.bound(&o.request.Settings)
	o.plan, err = o.request.Plan()
	return err
}

// model opens a model of the job, once. One that lets its first bag decide which output has the class scores is opened anew
// each time: no other bag of the cohort decides.
func (o *opened) model(i int) (query.Engine, error) {
	if m := o.models[i]; m != nil {
		return m, nil
	}
	m, err := o.openModel(o.spec.Models[i])
	if err != nil {
		return nil, err
	}
	if m.Info().Output == "" {
		return m, nil
	}
	if o.models == nil {
		o.models = map[int]query.Engine{}
	}
	o.models[i] = m
	return m, nil
}

func (o *opened) openModel(m jobModel) (query.Engine, error) {
	if !m.Sent {
		one, err := o.server.Models.find(m.Name)
		if err != nil {
			return nil, err
		}
		if one.engine.Info().SHA256 != m.SHA256 {
			return nil, problem("unknown", "the model %q is another one than when the job was made", m.Name)
		}
		return one.open()
	}
	u := &upload{external: map[string][]byte{}}
	u.model.Name = m.Name
	var err error
	if u.model.Data, err = o.file("model"); err != nil {
		return nil, err
	}
	if m.Card {
		if u.card, err = o.file("card"); err != nil {
			return nil, err
		}
	}
	for _, name := range m.External {
		if u.external[name], err = o.file("external/" + name); err != nil {
			return nil, err
		}
	}
	return o.server.model(u)
}

// set reads the bags of a group in the form that a model takes.
func (o *opened) set(model, group int) (*bagio.Set, error) {
	if (o.bags != nil || o.broken != nil) && o.at.model == model && o.at.group == group {
		return o.bags, o.broken
	}
	m, err := o.model(model)
	if err != nil {
		return nil, err
	}
	g := o.spec.Groups[group]
	files := make([]bagio.File, len(g.Files))
	for i, name := range g.Files {
		data, err := o.file(bagFile(g.At[i]))
		if err != nil {
			return nil, err
		}
		files[i] = bagio.File{Name: name, Data: data}
	}
	options := o.request.Options(m)
	options.Name, options.Limits, options.Own = o.request.Name, o.server.limits.bags(), !o.count
	if options.Name == "" && len(files) > 1 {
		options.Name = path.Base(g.Name)
	}
	o.at.model, o.at.group = model, group
	o.bags, o.broken = nil, nil // the last one's memory is free while the next one is read
	o.bags, o.broken = bagio.ReadFiles(files, options)
	return o.bags, o.broken
}

// answer explains one item. The line that it returns is JSON whichever way it went.
func (o *opened) answer(ctx context.Context, w *jobs.Work, item jobItem, progress func(done, total int)) (line []byte, failed bool) {
	result, err := o.explain(ctx, item, progress)
	key := "result"
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		p := asProblem(err)
		if p.Kind == "internal" {
			o.server.Log.Error("failure", "job", w.Job, "item", w.Item, "error", err.Error())
			p.Detail = "the server failed; its log has more under the job and its item"
		}
		p.Instance = "urn:bagscope:job:" + w.Job
		key, result, failed = "problem", p.encode(), true
	}
	return o.line(w, item, key, result), failed
}

func (o *opened) explain(ctx context.Context, item jobItem, progress func(done, total int)) ([]byte, error) {
	if o.wrong != nil {
		return nil, o.wrong
	}
	m, err := o.model(item.Model)
	if err != nil {
		return nil, err
	}
	set, err := o.set(item.Model, item.Group)
	if err != nil {
		return nil, err
	}
	bag, err := set.Bag(item.Index)
	if err != nil {
		return nil, err
	}
	x, err := o.plan.Explain(ctx, &query.Input{Engine: m, Set: set, Index: item.Index, Bag: bag}, progress)
	if err != nil {
		return nil, err
	}
	return encode(x.JSON())
}

// givenUp is the line of an item that ended every server which worked at it.
func (o *opened) givenUp(w *jobs.Work) []byte {
	var item jobItem
	_ = json.Unmarshal(w.Data, &item) // it fails where the job was removed since, and nobody reads the line
	p := problem("crashed", "%s", w.Hopeless)
	p.Instance = "urn:bagscope:job:" + w.Job
	return o.line(w, item, "problem", p.encode())
}

// line is a line of results: which item it is of, and behind the key the answer byte for byte as it was written.
func (o *opened) line(w *jobs.Work, item jobItem, key string, answer []byte) []byte {
	head, err := json.Marshal(struct {
		Item  int    `json:"item"`
		Model string `json:"model"`
		File  string `json:"file"`
		Index int    `json:"index"`
	}{w.Item, o.spec.Models[item.Model].Name, o.spec.Groups[item.Group].Name, item.Index})
	if err != nil {
		head = []byte("{}")
	}
	line := append(head[:len(head)-1], `,"`+key+`":`...)
	return append(append(line, bytes.TrimRight(answer, "\n")...), "}\n"...)
}
