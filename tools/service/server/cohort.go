package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/tools/service/jobs"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// A cohort is a set of bags with models and one request. Every bag is explained with every model.
type cohort struct {
	upload  *upload
	names   []string // names of registered models, empty if a model is sent
	request json.RawMessage
}

// cohortJSON is the JSON body of a cohort.
type cohortJSON struct {
	Models  jsontext.BoundedList[string] `json:"models"`
	Bags    jsonBags                     `json:"bags"`
	Request json.RawMessage              `json:"request"`
}

// jsonBags are files of bags. Their number has the same limit as the parts of a form.
type (
	jsonBags []jsonBag
	jsonBag  struct {
		File string `json:"file"`
		Data []byte `json:"data"` // base64 in JSON
		Path string `json:"path"` // below the folder of bags, instead of file and data
	}
)

// UnmarshalJSON implements json.Unmarshaler.
func (b *jsonBags) UnmarshalJSON(data []byte) error {
	return jsontext.UnmarshalBounded(data, maxParts, (*[]jsonBag)(b))
}

// jobRequest is an explainRequest with an optional index. Without it, all bags of each file are
// explained.
type jobRequest struct {
	explainRequest
	Index *int `json:"index"`
}

// The spec of a job, and its items. The names of files in the store are model, card, external/NAME
// and bag/NUMBER.
type (
	// jobSpec is the data that all items share.
	jobSpec struct {
		Models  []jobModel      `json:"models"`
		Groups  []jobGroup      `json:"groups"`
		Request json.RawMessage `json:"request"`
	}
	// jobModel is a registered model, or a model that was sent with the job, with its card and
	// external files.
	jobModel struct {
		Name     string   `json:"name"`
		SHA256   string   `json:"sha256"` // hash of a registered model
		Sent     bool     `json:"sent"`
		Card     bool     `json:"card"`
		External []string `json:"external"`
	}
	// jobGroup is a list of files that are read together: one file, or the pictures of one bag.
	jobGroup struct {
		Name  string   `json:"name"`  // name of the file, or of the pictures' folder
		Files []string `json:"files"` // the names in the upload
		At    []int    `json:"at"`    // their numbers in the store, as in bag/NUMBER
		// Below means that the files lie below the folder of bags and not in the store. SHA256 has
		// their hashes when the job was created.
		Below  bool     `json:"below,omitempty"`
		SHA256 []string `json:"file_sha256,omitempty"`
	}
	// jobItem is one bag with one model. Indices are those of the lists in the spec.
	jobItem struct {
		Model int `json:"model"`
		Group int `json:"group"`
		Index int `json:"index"` // index of the bag within the group
	}
)

// receiveCohort reads a cohort from a form or from JSON.
func (s *Server) receiveCohort(w http.ResponseWriter, r *http.Request) (*cohort, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		u, err := s.receiveParts(w, r, true)
		if err != nil {
			return nil, err
		}
		return &cohort{u, u.names, u.request}, nil
	}
	data, err := s.readBody(w, r)
	if err != nil {
		return nil, err
	}
	var q cohortJSON
	m := quota.MemoryOf(r.Context())
	if err := parseJSON(m, data, &q); err != nil {
		return nil, err
	}
	m.Release(int64(cap(data))) // what was decoded has its own memory
	// A form limits its part request while it is read.
	if len(q.Request) > maxRequest {
		return nil, tooLong("request", maxRequest)
	}
	// JSON can only name registered models.
	c := &cohort{&upload{memory: m}, q.Models, q.Request}
	for _, b := range q.Bags {
		one, err := s.sentAs(b)
		if err != nil {
			return nil, err
		}
		c.upload.bags = append(c.upload.bags, one)
	}
	switch {
	case len(q.Models) == 0:
		return nil, problem("request", "models is missing; list names of models from /v1/models")
	case len(q.Bags) == 0:
		return nil, problem("request",
			"bags is missing; list objects with file, its name, and data, its bytes in base64")
	}
	return c, nil
}

// sentAs returns the bag of a JSON object.
func (s *Server) sentAs(b jsonBag) (sentBag, error) {
	switch {
	case b.Path != "" && (b.File != "" || b.Data != nil):
		return sentBag{}, problem("request", "a bag has a path, and file or data; send one of both")
	case b.Path != "":
		return sentBag{bagio.File{Name: b.Path}, true}, s.checkPath(b.Path)
	case b.File == "":
		return sentBag{}, problem("request",
			"a bag has no file name; the extension is needed for formats without a signature")
	case len(b.File) > maxPath: // each result of a job repeats it
		return sentBag{}, problem("limit", "the file name of a bag exceeds the limit of %d bytes",
			maxPath)
	}
	return sentBag{bagio.File{Name: b.File, Data: b.Data}, false}, nil
}

// groups combines the pictures of a folder into one group, which is one bag. Every other file, and
// every picture without a folder, is a group of its own.
func groups(files []sentBag) []jobGroup {
	var out []jobGroup
	for i, f := range files {
		name := strings.ReplaceAll(f.Name, `\`, "/")
		// at is the group of the same folder, if there is one.
		at := -1
		if folder := path.Dir(name); folder != "." && folder != "/" &&
			slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(path.Ext(name))) {
			at = slices.IndexFunc(out, func(g jobGroup) bool {
				return g.Name == folder && g.Below == f.Below
			})
			name = folder
		}
		if at < 0 {
			at, out = len(out), append(out, jobGroup{Name: name, Below: f.Below})
		}
		out[at].Files, out[at].At = append(out[at].Files, f.Name), append(out[at].At, i)
	}
	return out
}

// job returns the stored form of a cohort. It reads every file once to count the bags.
func (s *Server) job(ctx context.Context, c *cohort) (jobs.New, error) {
	spec, files, err := s.spec(c)
	if err != nil {
		return jobs.New{}, err
	}
	open := &opened{server: s, spec: spec, count: true, memory: quota.MemoryOf(ctx),
		file: func(_ *quota.Memory, name string) ([]byte, error) { return files[name], nil }}
	items, err := s.items(ctx, open)
	if err != nil {
		return jobs.New{}, err
	}
	data, err := json.Marshal(spec)
	return jobs.New{Spec: data, Files: files, Items: items}, err
}

// spec returns the description of a cohort's job, and its files by their names in the store.
func (s *Server) spec(c *cohort) (*jobSpec, map[string][]byte, error) {
	spec, files := &jobSpec{Request: c.request}, map[string][]byte{}
	// A sent model comes first, as in the form.
	if c.upload.model.Name != "" {
		spec.Models = []jobModel{c.upload.storeModel(files)}
	}
	for _, name := range c.names {
		// The hash of a registered model detects a model that was replaced before the job ends.
		one, err := s.Models.find(name)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(spec.Models, func(m jobModel) bool { return m.Name == name }) {
			return nil, nil, problem("request", "the model %q is listed twice", name)
		}
		spec.Models = append(spec.Models, jobModel{Name: name, SHA256: one.engine.Info().SHA256})
	}
	spec.Groups = groups(c.upload.bags)
	for i, f := range c.upload.bags {
		if !f.Below {
			files[bagFile(i)] = f.Data
		}
	}
	return spec, files, nil
}

// items returns the items of a job: every bag of every file with every model. A file that cannot be
// read is one item, whose result is the error.
func (s *Server) items(ctx context.Context, open *opened) ([][]byte, error) {
	if err := open.parse(); err != nil {
		return nil, err
	}
	var items [][]byte
	for m := range open.spec.Models {
		if _, err := open.model(m); err != nil {
			return nil, err
		}
		for g := range open.spec.Groups {
			// Reading many large files can exceed the time limit of a request.
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			first, n, err := open.indices(ctx, m, g)
			if err != nil {
				return nil, err
			}
			for i := range n {
				data, err := json.Marshal(jobItem{m, g, first + i})
				if err != nil {
					return nil, err
				}
				items = append(items, data)
			}
			// The check is repeated, so that a job that is too large ends early.
			if err := s.Jobs.Room(len(items), 0); err != nil {
				return nil, err
			}
		}
	}
	return items, nil
}

// indices returns the first bag of a group that a job explains by a model, and the number of its
// bags: one if the group cannot be read.
func (o *opened) indices(ctx context.Context, m, g int) (first, n int, err error) {
	index := o.request.Index
	if index != nil {
		first = *index
	}
	// The hash of a file below the folder of bags is also needed with an index.
	if index != nil && !o.spec.Groups[g].Below {
		return first, 1, nil
	}
	set, err := o.set(ctx, m, g, nil)
	if errors.As(err, new(*quota.MemoryBusyError)) {
		return 0, 0, err
	}
	if err != nil || index != nil {
		return first, 1, nil
	}
	return first, max(1, set.Len()), nil
}

// bagFile returns the name in the store of the file with number i.
func bagFile(i int) string { return fmt.Sprintf("bag/%d", i) }

// storeModel adds a sent model with its card and external tensors to the files of a job.
func (u *upload) storeModel(files map[string][]byte) jobModel {
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
