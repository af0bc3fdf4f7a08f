package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/bagscope/bagscope/core/bagio"
)

// An upload is the parts of a multipart request.
type upload struct {
	model    bagio.File
	name     string   // of a registered model, instead
	names    []string // of registered models, where several may be named
	several  bool     // models may be named, and files of bags keep their folders
	card     []byte
	external map[string][]byte // files that the model keeps tensors in, by location
	bags     []bagio.File
	request  []byte
	seen     map[string]bool
}

// What the parts of a form may be beside their bytes: a part of no bytes takes some hundred in memory, and a list of settings
// many times its JSON.
const (
	mostParts   = 100_000
	mostRequest = 1 << 20
	mostCard    = 16 << 20
)

func tooLong(part string, most int) error {
	return problem("limit", "the part %s has more than the %d bytes that are allowed", part, most)
}

// body bounds the bytes of a request and the time that they may take to arrive. Done is called once it was read to its
// end: then the connection is only watched for the client that leaves. A body that was not is given no more time.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (_ io.Reader, done func()) {
	control := http.NewResponseController(w)
	return http.MaxBytesReader(w, r.Body, s.limits.Body), func() { _ = control.SetReadDeadline(time.Time{}) }
}

// receive reads a multipart request about one bag.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) (*upload, error) {
	return s.receiveParts(w, r, false)
}

// receiveParts reads a multipart request, with several registered models where they may be.
func (s *Server) receiveParts(w http.ResponseWriter, r *http.Request, several bool) (*upload, error) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return nil, problem("media-type", "the body must be multipart/form-data with the parts model, bag and, at will, request, card and external")
	}
	if err := plainBody(r); err != nil {
		return nil, err
	}
	body, done := s.body(w, r)
	parts := multipart.NewReader(body, parameters["boundary"])
	u := &upload{external: map[string][]byte{}, seen: map[string]bool{}, several: several}
	for n := 0; ; n++ {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, readProblem(err)
		}
		if n == mostParts {
			return nil, problem("limit", "the request has more than the %d parts that are allowed", mostParts)
		}
		if err := u.take(part); err != nil {
			return nil, err
		}
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return nil, readProblem(err)
	}
	done()
	switch {
	case !u.seen["model"]:
		return nil, problem("request", "the part model is missing: an .onnx file, or the name of a model of /v1/models")
	case !u.seen["bag"]:
		return nil, problem("request", "the part bag is missing: an .npy, .npz, .csv or IDX file, or pictures")
	}
	return u, nil
}

// take keeps a part.
func (u *upload) take(part *multipart.Part) error {
	key, file := part.FormName(), part.FileName()
	if u.seen[key] && key != "bag" && key != "external" && !(u.several && key == "model" && (file == "" || u.model.Name == "")) {
		return problem("request", "there are several parts %q", key)
	}
	u.seen[key] = true
	most := map[string]int{"request": mostRequest, "card": mostCard}[key]
	var from io.Reader = part
	if most > 0 {
		from = io.LimitReader(part, int64(most)+1)
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return readProblem(err)
	}
	if most > 0 && len(data) > most {
		return tooLong(key, most)
	}
	switch key {
	case "model":
		if file == "" {
			u.name, u.names = string(data), append(u.names, string(data))
		} else {
			u.model = bagio.File{Name: file, Data: data}
		}
	case "card":
		u.card = data
	case "external":
		u.external[location(part)] = data
	case "bag":
		if file == "" {
			return problem("request", "the part bag has no file name; the name's ending tells its format where its content does not")
		}
		if u.several {
			file = location(part)
		}
		u.bags = append(u.bags, bagio.File{Name: file, Data: data})
	case "request":
		u.request = data
	default:
		return problem("request", "there is a part %q; parts are model, card, external, bag and request", key)
	}
	return nil
}

// location is the name of a file with the folders before it, which FileName leaves out. It is only ever compared: with what
// a model asks for, and with other names.
func location(part *multipart.Part) string {
	_, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return part.FileName()
	}
	return parameters["filename"]
}

// parse reads the part request into v.
func (u *upload) parse(v any) error {
	if len(u.request) == 0 {
		return nil
	}
	return parseJSON(u.request, v)
}

// parseJSON reads one JSON object whose keys are all known.
func parseJSON(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return notJSON(err)
	}
	if d.More() {
		return problem("request", "the request has something behind its JSON object")
	}
	return nil
}

// notJSON says what is wrong with the JSON of a request, by its keys and not by the types that hold it here.
func notJSON(err error) error {
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) {
		if typed.Field == "" {
			return problem("request", "the request is a JSON %s, and an object is wanted", typed.Value)
		}
		key := typed.Field[strings.LastIndex(typed.Field, ".")+1:]
		return problem("request", "the request has for its key %q the value %s, which cannot stand there", key, typed.Value)
	}
	return problem("request", "the request is no JSON of the form that is wanted: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// plainBody refuses packed bodies, whose size says nothing.
func plainBody(r *http.Request) error {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return problem("media-type", "the body must not be packed as a whole (Content-Encoding %q); files in it may be", e)
	}
	return nil
}

// readProblem says why a body could not be read.
func readProblem(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem("slow", "the request did not arrive in the time that this server allows")
	}
	return problem("request", "the body ends or breaks off in the middle of its parts")
}
