package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/oip"
	"github.com/bagscope/bagscope/tools/service/query"
)

// A Problem is the JSON of an answer that could not be given, as RFC 9457 has it. It is an error too.
type Problem struct {
	Type     string   `json:"type"` // urn:bagscope:problem: and the kind
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail"`
	Kind     string   `json:"kind"`              // a row of the table of kinds
	Instance string   `json:"instance"`          // urn:bagscope:request: and the id that the log has
	Setting  string   `json:"setting,omitempty"` // which setting of the request, or which limit
	Nodes    []Gap    `json:"nodes,omitempty"`   // what the engine cannot run, at most 100
	Files    []string `json:"files,omitempty"`   // what the model keeps beside it and was not sent, at most 100
	Again    string   `json:"error,omitempty"`   // Detail again, where the Open Inference Protocol looks for it
}

// A Gap is a node that the engine cannot run.
type Gap struct {
	Node   string `json:"node"`
	Op     string `json:"op"`
	Domain string `json:"domain"`
	Opset  int    `json:"opset"`
	Reason string `json:"reason"`
}

func (p *Problem) Error() string { return p.Detail }

// kinds says what each kind of problem is called and which status it has.
var kinds = map[string]struct {
	status int
	title  string
}{
	"request":     {http.StatusBadRequest, "The request cannot be read"},
	"setting":     {http.StatusBadRequest, "A setting makes no sense"},
	"token":       {http.StatusUnauthorized, "A token is needed"},
	"origin":      {http.StatusForbidden, "Another site's page may not ask"},
	"unknown":     {http.StatusNotFound, "There is no such thing"},
	"method":      {http.StatusMethodNotAllowed, "The address takes another method"},
	"slow":        {http.StatusRequestTimeout, "The request did not arrive in time"},
	"limit":       {http.StatusRequestEntityTooLarge, "A limit would be passed"},
	"memory":      {http.StatusRequestEntityTooLarge, "More memory would be needed than is allowed"},
	"media-type":  {http.StatusUnsupportedMediaType, "The body is of another type"},
	"host":        {http.StatusMisdirectedRequest, "The server goes by another name"},
	"format":      {http.StatusUnprocessableEntity, "A file is broken"},
	"unsupported": {http.StatusUnprocessableEntity, "The engine cannot run the model"},
	"missing":     {http.StatusUnprocessableEntity, "The model needs files beside it"},
	"bag":         {http.StatusUnprocessableEntity, "The bag cannot be used"},
	"run":         {http.StatusUnprocessableEntity, "The model fails on the bag"},
	"unavailable": {http.StatusUnprocessableEntity, "A method cannot answer for this model"},
	"budget":      {http.StatusUnprocessableEntity, "More evaluations would be needed than are allowed"},
	"non-finite":  {http.StatusUnprocessableEntity, "The model gives no finite number"},
	"full":        {http.StatusInsufficientStorage, "The store of jobs is full"},
	"no-jobs":     {http.StatusNotImplemented, "The server takes no jobs"},
	"busy":        {http.StatusTooManyRequests, "The queue is full"},
	"internal":    {http.StatusInternalServerError, "The server failed"},
	"crashed":     {http.StatusInternalServerError, "The bag ended the server"},
	"elsewhere":   {http.StatusBadGateway, "The server of the model fails"},
	"deadline":    {http.StatusServiceUnavailable, "The answer took too long"},
	"stopping":    {http.StatusServiceUnavailable, "The server is being stopped"},
}

// problem makes a Problem of a kind.
func problem(kind, detail string, args ...any) *Problem {
	k := kinds[kind]
	return &Problem{Type: "urn:bagscope:problem:" + kind, Title: k.title, Status: k.status, Detail: fmt.Sprintf(detail, args...), Kind: kind}
}

// errDeadline and errStopping are why the context of a request ends when its client has not left.
var (
	errDeadline = errors.New("the answer took longer than this server allows; ask for less, such as fewer samples")
	errStopping = errors.New("the server is being stopped")

	errBagDeadline = errors.New("the bag took longer than this server allows for one of a job; ask for less, such as fewer samples")
)

// asProblem finds the kind of an error.
func asProblem(err error) *Problem {
	var (
		p           *Problem
		body        *http.MaxBytesError
		setting     *core.SettingError
		fileLimit   *bagio.LimitError
		unsupported *onnxbackend.UnsupportedError
		missing     *onnxbackend.MissingError
		tensor      *oip.TensorError
		elsewhere   *oip.Error
	)
	is := func(target any) bool { return errors.As(err, target) }
	switch {
	case is(&p):
		c := *p
		return &c
	case errors.Is(err, errDeadline), errors.Is(err, errBagDeadline):
		return problem("deadline", "%s", err)
	case errors.Is(err, errStopping):
		return problem("stopping", "%s", err)
	case is(&body):
		return problem("limit", "the request has more than the %d bytes that are allowed", body.Limit)
	case is(&tensor):
		return problem(map[oip.Fault]string{oip.Malformed: "request", oip.Unusable: "bag", oip.TooLarge: "limit", oip.NonFinite: "non-finite"}[tensor.Fault], "%s", err)
	case is(&elsewhere):
		return problem("elsewhere", "the model runs elsewhere, and %s", elsewhere.Reason) // not where: that is nobody's business
	}
	kind := query.Kind(err)
	if kind == "" {
		// What has no kind is a fault of ours, and its words may be nobody's business.
		return problem("internal", "the server failed; its log has more under the id of this request")
	}
	p = problem(kind, "%s", err)
	switch {
	case is(&setting):
		p.Setting = setting.Setting
	case is(&fileLimit):
		p.Setting = fileLimit.Setting
	case is(&unsupported):
		for _, n := range unsupported.Nodes[:min(listed, len(unsupported.Nodes))] {
			p.Nodes = append(p.Nodes, Gap(n))
		}
	case is(&missing):
		p.Files = missing.Files[:min(listed, len(missing.Files))]
	}
	return p
}

// listed is how many nodes or files a problem names.
const listed = 100

// encode writes the problem as one line of JSON.
func (p *Problem) encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return []byte(`{"status":500}` + "\n")
	}
	return b.Bytes()
}
