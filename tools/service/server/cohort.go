package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/tools/service/jobs"
	"github.com/bagscope/bagscope/tools/service/query"
)

// A cohort is bags and the models that they are explained under, all in the same way.
type cohort struct {
	upload  *upload
	names   []string // of registered models, or none where one is sent
	request json.RawMessage
}

// cohortJSON is a cohort whose body is JSON.
type cohortJSON struct {
	Models  query.BoundedList[string] `json:"models"`
	Bags    jsonBags                  `json:"bags"`
	Request json.RawMessage           `json:"request"`
}

// jsonBags are files of bags, as many as a form may have parts.
type (
	jsonBags []jsonBag
	jsonBag  struct {
		File string `json:"file"`
		Data []byte `json:"data"` // in base64
	}
)

// UnmarshalJSON implements json.Unmarshaler.
func (b *jsonBags) UnmarshalJSON(data []byte) error {
	return query.UnmarshalBounded(data, mostParts, (*[]jsonBag)(b))
}

// jobRequest is an explainRequest whose index is optional: without it all bags of each file are meant.
type jobRequest struct {
	explainRequest
	Index *int `json:"index"`
}

// The spec of a job, and its items. Files of the store are called model, card, external/NAME and bag/NUMBER.
type (
	jobSpec struct {
		Models  []jobModel      `json:"models"`
		Groups  []jobGroup      `json:"groups"`
		Request json.RawMessage `json:"request"`
	}
	jobModel struct {
		Name     string   `json:"name"`
		SHA256   string   `json:"sha256"` // of a registered model
		Sent     bool     `json:"sent"`   // with the job, with a card and the external files that are named
		Card     bool     `json:"card"`
		External []string `json:"external"`
	}
	// jobGroup is files that are read together: one, or the pictures of one bag.
	jobGroup struct {
		Name  string   `json:"name"`  // of the file, or of the folder of the pictures
		Files []string `json:"files"` // the names they came with
		At    []int    `json:"at"`    // their numbers in the store
	}
	jobItem struct {
		Model int `json:"model"`
		Group int `json:"group"`
		Index int `json:"index"` // of the bag among those of the group
	}
)

// receiveCohort reads a cohort, as a form or as JSON.
func (s *Server) receiveCohort(w http.ResponseWriter, r *http.Request) (*cohort, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		u, err := s.receiveParts(w, r, true)
		if err != nil {
			return nil, err
		}
		return &cohort{u, u.names, u.request}, nil
	}
	if err := plainBody(r); err != nil {
		return nil, err
	}
	body, done := s.body(w, r)
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, readProblem(err)
	}
	done()
	var q cohortJSON
	if err := parseJSON(data, &q); err != nil {
		return nil, err
	}
	if len(q.Request) > mostRequest {
		return nil, tooLong("request", mostRequest)
	}
	c := &cohort{&upload{}, q.Models, q.Request}
	for _, b := range q.Bags {
		if b.File == "" {
			return nil, problem("request", "a bag has no file name; the name's ending tells its format where its content does not")
		}
		c.upload.bags = append(c.upload.bags, bagio.File{Name: b.File, Data: b.Data})
	}
	switch {
	case len(q.Models) == 0:
		return nil, problem("request", "models is missing: names of models of /v1/models")
	case len(q.Bags) == 0:
		return nil, problem("request", "bags is missing: a list of file and data, the file's bytes in base64")
	}
	return c, nil
}

// groups puts pictures of one folder together, as those of one bag; other files, and pictures in no folder, stand alone.
func groups(files []bagio.File) []jobGroup {
	var out []jobGroup
	for i, f := range files {
		name := strings.ReplaceAll(f.Name, `\`, "/")
		at := -1
		if folder := path.Dir(name); folder != "." && folder != "/" && slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(path.Ext(name))) {
			at = slices.IndexFunc(out, func(g jobGroup) bool { return g.Name == folder })
			name = folder
		}
		if at < 0 {
			at, out = len(out), append(out, jobGroup{Name: name})
		}
		out[at].Files, out[at].At = append(out[at].Files, f.Name), append(out[at].At, i)
	}
	return out
}

// job makes what is kept of a cohort: every bag of every file under every model is an item. A file that cannot be read is
// one item, whose result will say why.
func (s *Server) job(ctx context.Context, c *cohort) (jobs.New, error) {
	spec, files := &jobSpec{Request: c.request}, map[string][]byte{}
	if c.upload.model.Name != "" {
		spec.Models = []jobModel{c.upload.keep(files)}
	}
	for _, name := range c.names {
		one, err := s.Models.find(name)
		if err != nil {
			return jobs.New{}, err
		}
		if slices.ContainsFunc(spec.Models, func(m jobModel) bool { return m.Name == name }) {
			return jobs.New{}, problem("request", "the model %q is named twice", name)
		}
		spec.Models = append(spec.Models, jobModel{Name: name, SHA256: one.engine.Info().SHA256})
	}
	spec.Groups = groups(c.upload.bags)
	for i, f := range c.upload.bags {
		files[bagFile(i)] = f.Data
	}
	open := &opened{server: s, spec: spec, file: func(name string) ([]byte, error) { return files[name], nil }, count: true}
	if err := open.parse(); err != nil {
		return jobs.New{}, err
	}
	var items [][]byte
	add := func(i jobItem) error {
		data, err := json.Marshal(i)
		items = append(items, data)
		return err
	}
	for m := range spec.Models {
		if _, err := open.model(m); err != nil {
			return jobs.New{}, err
		}
		for g := range spec.Groups {
			if ctx.Err() != nil {
				return jobs.New{}, context.Cause(ctx)
			}
			if open.request.Index != nil {
				if err := add(jobItem{m, g, *open.request.Index}); err != nil {
					return jobs.New{}, err
				}
				continue
			}
			n := 1
			if set, err := open.set(m, g); err == nil {
				n = max(1, set.Len())
			}
			for i := range n {
				if err := add(jobItem{m, g, i}); err != nil {
					return jobs.New{}, err
				}
			}
			if err := s.Jobs.Room(len(items), 0); err != nil {
				return jobs.New{}, err
			}
		}
	}
	data, err := json.Marshal(spec)
	return jobs.New{Spec: data, Files: files, Items: items}, err
}

func bagFile(i int) string { return fmt.Sprintf("bag/%d", i) }

// keep puts a model that was sent among the files of a job.
func (u *upload) keep(files map[string][]byte) jobModel {
	m := jobModel{Name: u.model.Name, Sent: true, Card: u.card != nil}
	files["model"] = u.model.Data
	if m.Card {
		files["card"] = u.card
	}
	for name, data := range u.external {
		m.External = append(m.External, name)
		files["external/"+name] = data
	}
	slices.Sort(m.External)
	return m
}

// asFull gives the store's refusals their kind.
func asFull(err error) error {
	var full *jobs.FullError
	if errors.As(err, &full) {
		return problem("full", "%s", full.Reason)
	}
	if errors.Is(err, jobs.ErrUnknown) {
		return problem("unknown", "%s", err)
	}
	return err
}
