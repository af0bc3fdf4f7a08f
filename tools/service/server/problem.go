package server

import (
	"errors"
	"net/http"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jobs"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// A Problem is the JSON of an error response, as in RFC 9457. It implements error.
type Problem struct {
	Type     string   `json:"type"` // urn:bagscope:problem: and the kind
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail"`
	Kind     string   `json:"kind"`              // a key of kinds
	Instance string   `json:"instance"`          // urn:bagscope:request: and the id in the log
	Setting  string   `json:"setting,omitempty"` // the key of the request that is wrong
	Nodes    []Gap    `json:"nodes,omitempty"`   // nodes that the engine cannot run
	Files    []string `json:"files,omitempty"`   // missing external files of the model
	More     int      `json:"more,omitempty"`    // number of nodes or files that are left out
	// ProtocolError is a copy of Detail under the key of the Open Inference Protocol.
	ProtocolError string `json:"error,omitempty"`
}

// A Gap is a node that the engine cannot run.
type Gap struct {
	Node   string `json:"node"`
	Op     string `json:"op"`
	Domain string `json:"domain"`
	Opset  int    `json:"opset"`
	Reason string `json:"reason"`
}

// Error returns the detail.
func (p *Problem) Error() string { return msg.Cut(p.Detail) }

// kinds holds the status and the title of each kind of problem.
var kinds = map[string]struct {
	status int
	title  string
}{
	"request":    {http.StatusBadRequest, "The request cannot be read"},
	"setting":    {http.StatusBadRequest, "A setting is invalid"},
	"token":      {http.StatusUnauthorized, "A token is required"},
	"origin":     {http.StatusForbidden, "The origin is not allowed"},
	"unknown":    {http.StatusNotFound, "The resource does not exist"},
	"method":     {http.StatusMethodNotAllowed, "The method is not allowed"},
	"slow":       {http.StatusRequestTimeout, "The request did not arrive in time"},
	"limit":      {http.StatusRequestEntityTooLarge, "A limit is exceeded"},
	"memory":     {http.StatusRequestEntityTooLarge, "The memory limit is exceeded"},
	"media-type": {http.StatusUnsupportedMediaType, "The media type is not supported"},
	"host":       {http.StatusMisdirectedRequest, "The host name is not allowed"},
	"format":     {http.StatusUnprocessableEntity, "A file is invalid"},
	"unsupported": {http.StatusUnprocessableEntity,
		"The model or the slide is of a kind that is not supported"},
	"missing":     {http.StatusUnprocessableEntity, "External files of the model are missing"},
	"bag":         {http.StatusUnprocessableEntity, "The bag cannot be used"},
	"run":         {http.StatusUnprocessableEntity, "The model fails on the bag"},
	"unavailable": {http.StatusUnprocessableEntity, "The model does not support a method"},
	"budget":      {http.StatusUnprocessableEntity, "The evaluation budget is exceeded"},
	"non-finite":  {http.StatusUnprocessableEntity, "The model returns NaN or an infinity"},
	"full":        {http.StatusInsufficientStorage, "The job store is full"},
	"no-jobs":     {http.StatusNotImplemented, "The server does not accept jobs"},
	"busy":        {http.StatusTooManyRequests, "The queue is full"},
	"damaged":     {http.StatusInternalServerError, "The job store is damaged"},
	"internal":    {http.StatusInternalServerError, "Internal error"},
	"crashed":     {http.StatusInternalServerError, "The server stopped at this bag"},
	"elsewhere":   {http.StatusBadGateway, "The server of the model failed"},
	"deadline":    {http.StatusServiceUnavailable, "The time limit is exceeded"},
	"memory-busy": {http.StatusServiceUnavailable, "Other requests hold the memory"},
	"stopping":    {http.StatusServiceUnavailable, "The server is stopping"},
}

// problem returns a Problem of a kind, which must be a key of kinds.
func problem(kind, detail string, args ...any) *Problem {
	k := kinds[kind]
	return &Problem{Type: "urn:bagscope:problem:" + kind, Title: k.title, Status: k.status,
		Detail: msg.Sprintf(detail, args...), Kind: kind}
}

// errPath returns the problem of a path that no route has.
func errPath() error {
	return problem("unknown", "this path does not exist; /v1/openapi.json describes the API")
}

// errMethod returns the problem of a method that a path does not have, and sets the header Allow.
func errMethod(w http.ResponseWriter, r *http.Request, allowed string) error {
	w.Header().Set("Allow", allowed)
	return problem("method", "the method %s is not allowed here; use %s", r.Method, allowed)
}

// errDeadline and errStopping are the causes of an ended context if the client is still connected.
var (
	errDeadline = errors.New(
		"the request exceeded the time limit of the server; request less, for example fewer " +
			"samples")
	errStopping = errors.New("the server is stopping")

	errBagDeadline = errors.New("the bag exceeded the time limit for one bag of a job; request " +
		"less, for example fewer samples")
)

// asProblem converts an error to a problem. Only errors of a known type keep their text, because
// any other text may contain paths or addresses of the operator.
func asProblem(err error) *Problem {
	var (
		p           *Problem
		body        *http.MaxBytesError
		setting     *core.SettingError
		unsupported *onnxbackend.UnsupportedError
		missing     *onnxbackend.MissingError
		tensor      *oip.TensorError
		elsewhere   *oip.Error
		full        *jobs.FullError
		broken      *jobs.DamagedError
	)
	is := func(target any) bool { return errors.As(err, target) }
	switch {
	case is(&p):
		c := *p // the caller sets the instance
		return &c
	case errors.Is(err, errDeadline), errors.Is(err, errBagDeadline):
		return problem("deadline", "%s", err)
	case errors.Is(err, errStopping):
		return problem("stopping", "%s", err)
	case is(&body):
		return problem("limit", "the request exceeds the limit of %d bytes", body.Limit)
	case is(&tensor):
		return problem(map[oip.Fault]string{oip.Malformed: "request", oip.Unusable: "bag",
			oip.TooLarge: "limit", oip.NonFinite: "non-finite"}[tensor.Fault], "%s", err)
	case is(&full):
		return problem("full", "%s", msg.Text(full.Reason))
	case is(&broken):
		// without the path and the bytes of the file
		return problem("damaged", "the file of the job store is damaged; %s", seeLog)
	case errors.Is(err, jobs.ErrUnknown):
		return problem("unknown", "%s", err)
	case is(&elsewhere):
		// without the address, which clients must not learn
		return problem("elsewhere", "the model is on another server: %s",
			msg.Text(elsewhere.Reason))
	}
	word := kind.Of(err)
	if word == "" {
		// An error without a kind is internal, and its text may contain private data.
		return problem("internal", internalRequest)
	}
	p = problem(word, "%s", msg.Text(ask.ErrorText(err, ask.Server)))
	switch {
	case is(&setting):
		p.Setting = short(setting.Setting)
	case is(&unsupported):
		p.Nodes, p.More = listed(unsupported.Nodes, gapOf)
	case is(&missing):
		p.Files, p.More = listed(missing.Files, short)
	}
	return p
}

// internalRequest is the detail of an internal error. It contains nothing of the error itself.
const internalRequest = "internal error; " + seeLog

// seeLog says where the operator finds the reason.
const seeLog = "the log of the server has details under the id of this request"

// maxListed is the largest number of nodes or files in a problem.
const maxListed = 100

// listed returns the first entries of a list and the number of others.
func listed[From, To any](list []From, of func(From) To) ([]To, int) {
	first := list[:min(maxListed, len(list))]
	return ask.ListOf(first, of), len(list) - len(first)
}

// short returns a name from a file, shortened for a problem.
func short(name string) string { return msg.Sprintf("%s", name) }

func gapOf(n onnxbackend.UnsupportedNode) Gap {
	return Gap{short(n.Node), short(n.Op), short(n.Domain), n.Opset, msg.Cut(n.Reason)}
}

// encode writes the problem as one line of JSON in at most msg.Whole bytes: it leaves out nodes and
// files that do not fit, and then shortens the detail.
func (p *Problem) encode() []byte {
	for {
		data, err := encode(p)
		switch {
		case err != nil: // strings and numbers can always be encoded
			return []byte(`{"status":500}` + "\n")
		case len(data) <= msg.Whole:
			return data
		case len(p.Nodes) > 0:
			p.Nodes, p.More = p.Nodes[:len(p.Nodes)-1], p.More+1
		case len(p.Files) > 0:
			p.Files, p.More = p.Files[:len(p.Files)-1], p.More+1
		default:
			p.Detail = msg.Within(p.Detail, len(p.Detail)/2)
			if p.ProtocolError != "" {
				p.ProtocolError = p.Detail
			}
		}
	}
}
