package cohort

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// lines reads a manifest into words: one for each line, and the last error.
func lines(text string) (got []string, last error) {
	for l, err := range ReadManifest(strings.NewReader(text)) {
		var broken *LineError
		switch {
		case errors.As(err, &broken):
			got = append(got, fmt.Sprintf("%d broken", broken.Line))
		case err != nil:
			return got, err
		default:
			word := fmt.Sprintf("%d %s %s %d %s %v %s", l.Number, l.Model, l.Bag, l.Index, l.Site,
				l.Labels, l.Request)
			if l.Seed != nil {
				word += fmt.Sprint(" seed ", *l.Seed)
			}
			if l.Inputs != "" {
				word += " inputs " + l.Inputs
			}
			got = append(got, word)
		}
	}
	return got, nil
}

func TestReadManifest(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"JSON lines", "{\"model\":\"m\",\"bag\":\"b\"}\n\n  " +
			`{"model":"m","bag":"b","index":2,"site":"A","seed":18446744073709551615,` +
			`"labels":[1,-1],"inputs":"age=63","request":{"samples":9}}` + "\r\n",
			[]string{"1 m b 0  [] ", `3 m b 2 A [1 -1] {"samples":9} seed 18446744073709551615 ` +
				`inputs age=63`}},
		{"no end of line", `{"model":"m","bag":"b"}`, []string{"1 m b 0  [] "}},
		{"a byte order mark", "\ufeff{\"model\":\"m\",\"bag\":\"b\"}", []string{"1 m b 0  [] "}},
		{"broken lines",
			`{"model":"m","bag":"b"}
{
{"model":"m"}
{"bag":"b"}
{"model":"m","bag":"b","sit":"A"}
{"model":"m","bag":"b"} {}
{"model":"m","bag":"b","index":-1}
[]
x
{"model":"m","bag":"b","seed":-1}
{"model":"m","bag":"b","bag":"c"}
{"Model":"m","bag":"b"}
`,
			[]string{"1 m b 0  [] ", "2 broken", "3 broken", "4 broken", "5 broken", "6 broken",
				"7 broken", "8 broken", "9 broken", "10 broken", "11 broken", "12 broken"}},
		{"CSV", "bag,Model,index,site,seed,labels,inputs,request\nb,m,,,,,,\n\"b,2\",m,3,A,7,1 0 " +
			"-1,age=63,\"{\"\"samples\"\":9}\"\n",
			[]string{"2 m b 0  [] ", `3 m b,2 3 A [1 0 -1] {"samples":9} seed 7 inputs age=63`}},
		{"broken rows", "model,bag,index,request\nm,b\nm,,,\nm,b,x,\nm,b,0,{\nm,b,1,\n",
			[]string{"2 broken", "3 broken", "4 broken", "5 broken", "6 m b 1  [] "}},
		{"a stray quote", "model,bag\nm,b\"\nm,b\n", []string{"2 broken", "3 m b 0  [] "}},
	} {
		if got, err := lines(c.text); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "no header": "m.onnx,b.npz\n", "no bag": "model,site\nm,A\n",
		"twice":       "model,bag,bag\n",
		"a long line": `{"model":"` + strings.Repeat("m", maxLine) + `"}`,
	} {
		var want *ManifestError
		if got, err := lines(text); !errors.As(err, &want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// FuzzReadManifest wants every line to be usable or to have its reason.
func FuzzReadManifest(f *testing.F) {
	f.Add("{\"model\":\"m\",\"bag\":\"b\"}\n{")
	f.Add("model,bag,labels\nm,b,1 2\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		before := 0
		for l, err := range ReadManifest(strings.NewReader(text)) {
			if err == nil && (l.Model == "" || l.Bag == "" || l.Index < 0) {
				t.Errorf("%q: line %+v", text, l)
			}
			if err == nil && l.Number <= before {
				t.Errorf("%q: line %d comes after %d", text, l.Number, before)
			}
			before = max(before, l.Number)
		}
	})
}

func BenchmarkReadManifest(b *testing.B) {
	text := strings.Repeat(
		`{"model":"models/a.onnx","bag":"slides/0001/features.npy","index":0,"site":"A","seed":1}`+
			"\n", 10000)
	for b.Loop() {
		n := 0
		for range ReadManifest(strings.NewReader(text)) {
			n++
		}
		must.Equal(b, n, 10000)
	}
}
