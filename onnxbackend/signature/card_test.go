package signature

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/must"
)

// TestCardsOfReadme reads every card that the README shows.
func TestCardsOfReadme(t *testing.T) {
	text := must.Get(os.ReadFile("../README.md"))(t)
	cards := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1)
	must.Equal(t, len(cards) != 0, true, "the README shows no card")
	for _, c := range cards {
		var card Card
		must.Do(t, card.Read(c[1], "README.md"))
		if card.Output == "" || card.InstanceAxis == nil || card.Preprocess == nil ||
			card.Patch == nil || len(card.Truth) != 2 || len(card.Inputs) != 4 {
			t.Errorf("%+v", card)
		}
	}
}

// everyKey is a card for each kind of answer. Together they have every key.
var everyKey = []string{
	`{"$schema":"card.schema.json","classes":["a","b"],"negative":1,"output":"raw",
	"output_name":"y","pool":"top:3","inherent":"z","instance_axis":1,
	"preprocess":{"scale":2,"mean":[1],"std":3},
	"patch":{"size":8,"stride":4,"background":9,"mpp":0.5},"encoder":"e.onnx",
	"via":"s.onnx","via_output":"e","likeness":"dot","bands":{"use":[4,3],"draw":[2],"nodata":-1},
	"truth":[{"support":[1],"refute":2}],"inputs":{"n":"count"},"adjacency":"knn(8)",
	"slide_mpp":0.25,"slice_axes":"kij",
	"window":"40,400","spacing":"0.8,3","neighbours":1,"columns":"slide=bag","instance":"nucleus, nuclei",
	"feature_names":["area","hue"],"version":1}`,
	`{"output":{"kind":"classes","scale":"logits"}}`,
	`{"output":{"kind":"hazards","name":"n","scale":"logits","edges":[0,1],"unit":"u"}}`,
	`{"output":{"kind":"regression","name":"n","unit":"u"}}`,
	`{"output":{"kind":"ordinal","name":"n","scale":"logits","values":[1,2],"unit":"u"}}`,
	`{"output":{"kind":"heads","heads":[
	{"kind":"classes","name":"a","scale":"raw","classes":["x"],"negative":0,"output_name":"y"},
	{"kind":"hazards","name":"b","scale":"logits","edges":[0,1],"unit":"u","classes":["x"],
	"negative":0,"output_name":"y"},
	{"kind":"regression","name":"c","unit":"u","classes":["x"],"negative":0,"output_name":"y"},
	{"kind":"ordinal","name":"d","scale":"logits","values":[1,2],"unit":"u","classes":["x"],
	"negative":0,"output_name":"y"}]}}`,
}

// TestEveryDeclaredKeyIsRead leaves out each key of everyKey, which changes the card that is read,
// or is an error if the key is required. Keys that are declared and in no card fail, too. A second
// card without keys changes nothing.
func TestEveryDeclaredKeyIsRead(t *testing.T) {
	declared, seen := CardKeys(), map[*CardKey]bool{}
	for _, text := range everyKey {
		var whole Card
		must.Equal(t, whole.Read([]byte(text), "the card") == nil, true, text, whole.Notes())
		must.Equal(t, len(whole.Notes()) <= 0, true, text, whole.Notes())
		merged := whole
		must.Do(t, merged.Read([]byte("{}"), "another card"))
		must.Equal(t, reflect.DeepEqual(merged, whole), true, text, merged)
		root := fastjson.MustParse(text)
		eachKey(root, declared, func(object *fastjson.Value, name string, key *CardKey) {
			seen[key] = true
			value := object.Get(name)
			object.Del(name)
			defer object.Set(name, value)
			var without Card
			err := without.Read(root.MarshalTo(nil), "the card")
			switch same := reflect.DeepEqual(without, whole); {
			case key.Required && key.Name != AnyName:
				if err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("without %q: %v", name, err)
				}
			case err != nil: // another key needs it
				if !strings.Contains(err.Error(), `.`+name) {
					t.Errorf("without %q: %v", name, err)
				}
			case same != (name == "$schema" || name == "version"):
				t.Errorf("without %q the card of %s is the same: %t", name, text, same)
			}
		})
	}
	eachDeclared("", declared, func(path string, key *CardKey) {
		if !seen[key] {
			t.Errorf("no card has the key %s", path)
		}
	})
}

// eachKey visits the keys of an object that are declared, and those of the objects in it.
func eachKey(
	object *fastjson.Value, keys []CardKey, visit func(*fastjson.Value, string, *CardKey),
) {
	var names []string // Visit must not see changes
	object.GetObject().Visit(func(name []byte, _ *fastjson.Value) {
		names = append(names, string(name))
	})
	for _, name := range names {
		for i := range keys {
			if key := &keys[i]; key.Name == name || key.Name == AnyName {
				inside := append(object.GetArray(name), object.Get(name))
				eachForm(key.Forms, func(form *CardForm) {
					for _, v := range inside {
						if form.Kind == "" || form.Kind == string(v.GetStringBytes("kind")) {
							eachKey(v, form.Keys, visit)
						}
					}
				})
				visit(object, name, key)
			}
		}
	}
}

// eachForm visits forms, and those of the entries of lists.
func eachForm(forms []CardForm, visit func(*CardForm)) {
	for i := range forms {
		visit(&forms[i])
		eachForm(forms[i].Entries, visit)
	}
}

// eachDeclared visits all declared keys.
func eachDeclared(path string, keys []CardKey, visit func(string, *CardKey)) {
	for i := range keys {
		key := &keys[i]
		visit(path+key.Name, key)
		eachForm(key.Forms, func(form *CardForm) {
			eachDeclared(path+key.Name+" "+form.Kind+".", form.Keys, visit)
		})
	}
}

// TestUnknownCardKeysAreNamed reads cards with keys that have no effect.
func TestUnknownCardKeysAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"clases":["a"]}`: `The key "clases" of the card is unknown and has no effect. ` +
			`Known keys are classes, negative, `,
		`{"patch":{"size":8,"strid":4}}`: `The key "patch.strid" of the card is unknown and ` +
			`has no effect. Known keys are size, stride, background, mpp.`,
		`{"output":{"kind":"regression","edges":[1]}}`: `Known keys are kind, name, unit.`,
		`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`:  "The card has 2 more unknown keys.",
	} {
		var card Card
		err := card.Read([]byte(text), "card")
		must.Do(t, err)
		must.Contain(t, strings.Join(card.Notes(), "\n"), want)
	}
}

// TestCardErrorsNameKeyValueAndChoice reads cards with a value that is not allowed each.
func TestCardErrorsNameKeyValueAndChoice(t *testing.T) {
	for text, want := range map[string]string{
		`{"negative":1e400}`: `key "negative": it is the JSON number 1e400, ` +
			`which is not finite`,
		`{"classes":"a"}`:     `key "classes": it is the JSON string "a" instead of a list`,
		`{"classes":["a",7]}`: `key "classes[1]": it is the JSON number 7 instead of text`,
		`{"negative":-2}`:     `key "negative": -2 must be at least -1`,
		`{"negative":0.5}`:    `key "negative": 0.5 must be a whole number within ±2^31`,
		`{"encoder":"../e.onnx"}`: `key "encoder": "../e.onnx" must be the name of a file beside ` +
			`the model, without folders`,
		`{"encoder":"a\\e.onnx"}`:    `without folders`,
		`{"encoder":"c:e.onnx"}`:     `without folders`,
		`{"patch":{"mpp":0}}`:        `key "patch.mpp": 0 must be above 0`,
		`{"patch":{"size":2e6}}`:     `key "patch.size": 2e6 must be from 0 to 1048576`,
		`{"version":2}`:              `key "version": it is 2, and this release reads 1; use a`,
		`{"preprocess":{"mean":[]}}`: `key "preprocess.mean": it has 0 entries; give at least 1`,
		`{"inputs":{"n":null}}`: `key "inputs.n": it is the JSON null instead of count, ` +
			`instances, places, adjacency, edges, weights, covariate, a number, true or false ` +
			`or a list`,
		`{"negative":true}`: `key "negative": it is the JSON true instead of a whole number`,
		`{"output":"` + strings.Repeat("x", 99) + `"}`: strings.Repeat("x", 47) +
			`... is none of logits`,
	} {
		var card Card
		if err := card.Read([]byte(text), "model card"); err == nil ||
			!strings.HasPrefix(err.Error(), "the model card is wrong: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestTruthValues reads true and false as 1 and 0.
func TestTruthValues(t *testing.T) {
	var card Card
	must.Do(t, card.Read([]byte(`{"inputs": {"a": true, "b": false, "c": [true, 2, false]}}`),
		"model card"))
	for i, want := range [][]float64{{1}, {0}, {1, 2, 0}} {
		must.EqualSlices(t, card.Inputs[i].Values, want)
	}
}

// A key that occurs twice has no single meaning, wherever it lies in the card.
func TestRepeatedCardKeysAreRejected(t *testing.T) {
	for _, text := range []string{
		`{"classes":["a"],"classes":["b"]}`,
		`{"negative":0,"n\u0065gative":1}`,
		`{"patch":{"size":28,"size":14}}`,
		`{"truth":[{"support":[1],"support":[2]}]}`,
	} {
		var card Card
		err := card.Read([]byte(text), "the card")
		must.Fail(t, err, "occurs twice in one object")
	}
}

// TestOtherFilesAsCard names a file of another kind that is opened as a card.
func TestOtherFilesAsCard(t *testing.T) {
	var card Card
	err := card.Read([]byte("<html><title>Sign in</title></html>"), "model card")
	must.Fail(t, err, "it is a web page, and not JSON")
}
