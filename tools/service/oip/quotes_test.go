package oip

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/msg/msgtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestErrorsAreShort: whatever a server answers, an error has at most 4 kB, no control
// characters and no address.
func TestErrorsAreShort(t *testing.T) {
	giant := strings.Repeat("\x01\u202e", 1<<16)
	quoted, _ := json.Marshal(giant)
	metadata := func(input, datatype, card string) string {
		return `{"name":` + string(quoted) + `,"inputs":[{"name":` + input + `,"datatype":` +
			datatype + `,"shape":[-1,3]}],"outputs":[{"name":` + string(quoted) +
			`,"datatype":"FP32","shape":[-1,-1]},` +
			`{"name":"scores","datatype":"FP32","shape":[-1,3]}],` +
			`"parameters":{"bagscope":` + card + `}}`
	}
	// answers returns a server that answers a request for inference itself.
	answers := func(answer func(w http.ResponseWriter)) *fake {
		return &fake{fail: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			answer(w)
			return true
		}}
	}
	status := func(code int, body string) *fake {
		return answers(func(w http.ResponseWriter) {
			w.WriteHeader(code)
			io.WriteString(w, body)
		})
	}
	header := func(code int, name, value string) *fake {
		return answers(func(w http.ResponseWriter) {
			w.Header().Set(name, value)
			w.WriteHeader(code)
		})
	}
	lies := func(change func(first *Tensor)) *fake {
		return &fake{lie: func(r *Response) { change(&r.Outputs[0]) }}
	}
	long := strings.Repeat("9", 1<<19)
	for name, f := range map[string]*fake{
		"metadata":         {metadata: giant},
		"text as metadata": {metadata: string(quoted)},
		"input":            {metadata: metadata(string(quoted), `"FP32"`, "{}")},
		"datatype":         {metadata: metadata(string(quoted), string(quoted), "{}")},
		"card":             {metadata: metadata(`"x"`, `"FP32"`, string(quoted))},
		"key of a card":    {metadata: metadata(`"x"`, `"FP32"`, `{`+string(quoted)+`:1}`)},
		"output of a card": {metadata: metadata(`"x"`, `"FP32"`,
			`{"output_name":`+string(quoted)+`}`)},
		"kind of a card": {metadata: metadata(`"x"`, `"FP32"`,
			`{"output":`+string(quoted)+`}`)},
		"error of a request":   status(400, `{"error":`+string(quoted)+`}`),
		"error of a server":    status(500, `{"error":`+string(quoted)+`}`),
		"error of a busy one":  status(503, `{"error":`+string(quoted)+`}`),
		"text":                 status(200, giant),
		"place of a redirect":  header(302, "Location", "http://a/"+strings.Repeat("n", 1<<19)),
		"length of the JSON":   header(200, BinaryHeader, long),
		"wait":                 header(503, "Retry-After", long),
		"name of an output":    lies(func(o *Tensor) { o.Name = giant }),
		"type of an output":    lies(func(o *Tensor) { o.Datatype = giant }),
		"shape of an output":   lies(func(o *Tensor) { o.Shape = make([]int, 1<<19) }),
		"numbers of an output": lies(func(o *Tensor) { o.Data = quoted }),
		"digits of a number": lies(func(o *Tensor) {
			o.Data = json.RawMessage("[" + long + "]")
		}),
		"no HTTP": answers(func(w http.ResponseWriter) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(c, giant+"\r\n")
			c.Close()
		}),
	} {
		t.Run(name, func(t *testing.T) {
			f.shape = []int{-1, 3}
			o := Options{Card: []byte(`{"output_name":"scores","output":"raw"}`), Tries: 1}
			if strings.Contains(name, "card") {
				o.Card = nil
			}
			m, err := Open(t.Context(), f.start(t), o)
			if err == nil {
				_, err = m.Predict(t.Context(), fakeBag(4))
			}
			must.Fail(t, err)
			if msgtest.Short(t, err.Error()); strings.Contains(err.Error(), "http://") {
				t.Errorf("the error has the address: %v", err)
			}
		})
	}
	for _, address := range []string{"oip+http://" + strconv.Quote(giant), "oip+http://a/b/" + long,
		(&fake{}).start(t) + "%01%E2%80%AE" + long} {
		_, err := Open(t.Context(), address, Options{})
		msgtest.Short(t, err.Error())
	}
}
