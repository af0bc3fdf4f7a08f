package oip

import (
	"math"
	"net/http"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// FuzzRead feeds answers of every kind to the client: it refuses them with an *Error, or has
// outputs whose numbers are as many as their shapes say.
func FuzzRead(f *testing.F) {
	for _, body := range []string{
		`{"outputs":[{"name":"scores","datatype":"FP32","shape":[1,3],"data":[1,2,3]}]}`,
		`{"outputs":[{"name":"scores","datatype":"FP64","shape":[1],` +
			`"parameters":{"binary_data_size":8}}]}01234567`,
		`{"outputs":[{"name":"scores","datatype":"FP16","shape":[2],` +
			`"parameters":{"binary_data_size":4}},` +
			`{"name":"each","datatype":"BYTES","shape":[1],"data":["x"]}]}0123`,
		`{"outputs":[{"name":"scores","datatype":"BOOL","shape":[2,2],` +
			`"data":[[true,false],[1,0]]}]}`,
		`{"outputs":[{"name":"scores","datatype":"INT64","shape":[4611686018427387904,4],` +
			`"data":[]}]}`,
		`{"outputs":null}`, `[]`, ``,
	} {
		for _, head := range []string{"", "0", "86", "-1", "99999999999999999999"} {
			f.Add(head, []byte(body))
		}
	}
	a, err := parseAddress("oip+http://localhost/fake")
	must.Do(f, err)
	m := &Model{client: newClient(a, Options{}.withDefaults()),
		outputs: []Port{{Name: "scores"}, {Name: "each"}}}
	f.Fuzz(func(t *testing.T, head string, body []byte) {
		r := &reply{http.Header{}, body}
		if head != "" {
			r.head.Set(BinaryHeader, head)
		}
		for _, names := range [][]string{nil, {"scores"}} {
			outputs, err := m.read(r, names)
			if err != nil {
				if _, ok := err.(*Error); !ok {
					t.Errorf("%v (%T)", err, err)
				}
				continue
			}
			for _, o := range outputs {
				n := 1
				for _, d := range o.Shape {
					n *= d
				}
				if n != len(o.Data) || n < 1 || n > math.MaxInt32 {
					t.Errorf("shape %v with %d numbers", o.Shape, len(o.Data))
				}
			}
		}
	})
}
