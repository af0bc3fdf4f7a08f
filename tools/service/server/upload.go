package server

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// An upload is the parts of a multipart request.
type upload struct {
	model    bagio.File
	names    []string // names of registered models, instead of model
	several  bool     // models are no ensemble, and the names of bag files keep their folders
	card     []byte
	external map[string][]byte // external files of the model, by location
	bags     []sentBag
	concepts bagio.File // names concepts, of groups alone
	request  []byte
	seen     map[string]bool // the parts received so far, by form name
	memory   *quota.Memory   // memory of the request or job

	disk    *quota.Memory // bounds temporary files; nil if bags are held in memory
	spooled int64         // bytes of files
	files   []*belowFile  // temporary files
	below   *belowFile    // the bag below the folder, once it is open; nil without one

	checkPath func(string) error // Server.checkPath, for bags that are named by a path
}

// What a part takes beside its content: some hundred bytes, and copies of its name in lists and in
// the record of a job.
const (
	partBytes = 500
	nameShare = 8
)

// Limits for the parts of a form in addition to their bytes: a list of settings takes many times
// the bytes of its JSON.
const (
	maxParts   = 100_000
	maxRequest = 1 << 20 // bytes
	maxCard    = 16 << 20
)

// bodyPurpose is what an error of missing memory names.
const bodyPurpose = "the body of the request"

// tooLong returns the problem of a part that exceeds its limit.
func tooLong(part string, most int) error {
	return problem("limit", "the part %s exceeds the limit of %d bytes", part, most)
}

// readBody reads a whole body that is not compressed, within the limits of the server.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := plainBody(r); err != nil {
		return nil, err
	}
	body, err := s.body(w, r)
	if err != nil {
		return nil, err
	}
	defer body.end()
	data, err := quota.MemoryOf(r.Context()).ReadAll(body, 0, bodyPurpose)
	if err != nil {
		return nil, body.problem(err)
	}
	body.received(w)
	return data, nil
}

// receiveParts reads a multipart request. If several is true, it can name several registered
// models, and bags are held in memory, because the store of jobs takes their bytes. The caller
// closes the upload.
func (s *Server) receiveParts(
	w http.ResponseWriter, r *http.Request, several bool,
) (received *upload, err error) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return nil, problem("media-type", "the body must be multipart/form-data with the parts "+
			"model and bag and, optionally, request, card and external")
	}
	if err := plainBody(r); err != nil {
		return nil, err
	}
	body, err := s.body(w, r)
	if err != nil {
		return nil, err
	}
	defer body.end()
	parts := multipart.NewReader(body, parameters["boundary"])
	u := &upload{external: map[string][]byte{}, seen: map[string]bool{}, several: several,
		memory: quota.MemoryOf(r.Context()), checkPath: s.checkPath}
	defer func() {
		if err != nil {
			u.close()
		}
	}()
	if !several {
		u.disk = s.disk
	}
	for n := 0; ; n++ {
		part, err := body.part(parts)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, body.problem(err)
		}
		if n == maxParts {
			return nil, problem("limit", "the request exceeds the limit of %d parts", maxParts)
		}
		if err := u.add(part); err != nil {
			return nil, body.problem(err)
		}
	}
	// Bytes after the last boundary also count.
	if _, err := io.Copy(io.Discard, body); err != nil {
		return nil, body.problem(err)
	}
	body.received(w)
	switch {
	case !u.seen["model"]:
		return nil, problem("request",
			"the part model is missing; send an .onnx file or the name of a model from /v1/models")
	case !u.seen["bag"]:
		return nil, problem("request",
			"the part bag is missing; send a %s file, or several pictures", bagio.FormatList("or"))
	}
	return u, nil
}

// add stores a part. A part other than bag, external and a name of a model must not occur twice.
func (u *upload) add(part *multipart.Part) error {
	key, file := part.FormName(), part.FileName()
	if err := u.memory.Reserve(partBytes+nameShare*int64(len(file)), bodyPurpose); err != nil {
		return err
	}
	if u.seen[key] && key != "bag" && key != "external" &&
		!(key == "model" && (file == "" || u.model.Name == "")) {
		return problem("request", "the part %q occurs more than once", key)
	}
	u.seen[key] = true
	// Only these parts have limits of their own. The body's limit bounds the others.
	most := map[string]int{"request": maxRequest, "card": maxCard}[key]
	if key == "bag" && file == "" {
		most = maxPath
	}
	if key == "bag" && file != "" {
		if u.several {
			file = location(part)
		}
		f, err := u.receiveBag(file, part)
		u.bags = append(u.bags, sentBag{f, false})
		return err
	}
	var from io.Reader = part
	if most > 0 {
		from = io.LimitReader(part, int64(most)+1)
	}
	data, err := u.memory.ReadAll(from, 0, bodyPurpose)
	if err != nil {
		return err
	}
	if most > 0 && len(data) > most && key != "bag" { // checkPath returns the problem of a path
		return tooLong(key, most)
	}
	switch key {
	case "model":
		if file == "" {
			u.names = append(u.names, string(data))
		} else {
			u.model = bagio.File{Name: file, Data: data}
		}
	case "card":
		u.card = data
	case "external":
		u.external[location(part)] = data
	case "bag":
		u.bags = append(u.bags, sentBag{bagio.File{Name: string(data)}, true})
		return u.checkPath(string(data))
	case "concepts":
		if u.several {
			return conceptsElsewhere()
		}
		u.concepts = bagio.File{Name: file, Data: data}
	case "request":
		u.request = data
	default:
		return problem("request",
			"the part %q is unknown; the parts are model, card, external, bag, concepts and "+
				"request", key)
	}
	return nil
}

// location returns the name of a file with its folders, which FileName removes. It is only compared
// with the locations in a model and with other names, and never opened.
func location(part *multipart.Part) string {
	_, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return part.FileName()
	}
	return parameters["filename"]
}

// Bytes that decoding takes for each byte of JSON, at most: in all, and of what remains. The
// decoder copies the text into a buffer that grows to twice its length. Bags are at least three
// bytes each, and their list can grow to twice its length too.
const (
	decodeShare  = 4
	decodedShare = 1
	bagShare     = 32
)

// parseJSON decodes one JSON object into structs, in memory that it reserves in m. It rejects keys
// that jsontext.DecodeStrict rejects.
func parseJSON(m *quota.Memory, data []byte, to ...any) error {
	n := int64(len(data))
	lists := min(bagShare*n, 3*bagShare*maxParts)
	if err := m.Reserve(decodeShare*n+lists, "the JSON of the request"); err != nil {
		return err
	}
	defer m.Release((decodeShare - decodedShare) * n)
	if err := jsontext.DecodeStrict(data, to...); err != nil {
		return notJSON(err)
	}
	return nil
}

// notJSON describes an error in the JSON of a request. It names the keys of the request and not the
// Go types.
func notJSON(err error) error {
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) {
		if typed.Field == "" {
			return problem("request", "the request must be a JSON object, not a JSON %s",
				typed.Value)
		}
		key := typed.Field[strings.LastIndex(typed.Field, ".")+1:]
		return problem("request", "the key %q of the request does not accept a JSON %s", key,
			typed.Value)
	}
	var key *jsontext.KeyError
	if errors.As(err, &key) {
		return problem("request", "%s", key)
	}
	return problem("request", "the request is not valid JSON for this path: %s",
		strings.TrimPrefix(err.Error(), "json: "))
}

// plainBody rejects compressed bodies, because their size does not bound their content.
func plainBody(r *http.Request) error {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return problem("media-type", "the body must not be compressed (Content-Encoding %q); "+
			"compressed files inside it are allowed", e)
	}
	return nil
}

// isMemory reports whether memory is missing.
func isMemory(err error) bool {
	return errors.As(err, new(*quota.MemoryError)) || errors.As(err, new(*quota.MemoryBusyError))
}

// readProblem converts an error of reading a body to a problem.
func readProblem(err error) error {
	if isMemory(err) {
		return err
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem("slow", "the request did not arrive within the time limit of the server")
	}
	return problem("request", "the body is incomplete")
}
