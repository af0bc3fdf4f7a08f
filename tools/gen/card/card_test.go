package main

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

const engine = "../../../onnxbackend/"

func read(t *testing.T, file string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(engine + file))(t)
}

// TestGeneratedFilesAreFresh fails if the declarations have changed after the last make generate.
func TestGeneratedFilesAreFresh(t *testing.T) {
	keys := signature.CardKeys()
	schema := must.Get(schemaText(keys))(t)
	readme := must.Get(withTables(read(t, "README.md"), keys))(t)
	for file, want := range map[string][]byte{"card.schema.json": schema, "README.md": readme} {
		must.Equal(t, string(read(t, file)), string(want), file)
	}
}

// TestSchemaAgreesWithTheEngine compares what opens with what a validator of JSON Schema accepts.
func TestSchemaAgreesWithTheEngine(t *testing.T) {
	document := must.Get(jsonschema.UnmarshalJSON(strings.NewReader(string(read(t,
		"card.schema.json")))))(t)
	compiler := jsonschema.NewCompiler()
	must.Do(t, compiler.AddResource("card.json", document))
	schema := must.Get(compiler.Compile("card.json"))(t)
	for text, valid := range map[string]bool{
		`{}`:                                              true,
		`[]`:                                              false,
		`{"classes":["a","b"]}`:                           true,
		`{"classes":null,"negative":null}`:                true,
		`{"classes":"a"}`:                                 false,
		`{"classes":[null]}`:                              false,
		`{"unknown":1}`:                                   false,
		`{"negative":-1}`:                                 true,
		`{"negative":-2}`:                                 false,
		`{"negative":1.0}`:                                true,
		`{"negative":1.5}`:                                false,
		`{"instance_axis":-2}`:                            true,
		`{"instance_axis":4294967296}`:                    false,
		`{"output":"sigmoid-logits"}`:                     true,
		`{"output":"sigmoid"}`:                            false,
		`{"output":{}}`:                                   false,
		`{"output":{"kind":"hazard"}}`:                    false,
		`{"output":{"kind":"regression"}}`:                true,
		`{"output":{"kind":"classes"}}`:                   false,
		`{"preprocess":{"std":[0.5,1]}}`:                  true,
		`{"preprocess":{"std":[]}}`:                       false,
		`{"preprocess":{"mean":"0"}}`:                     false,
		`{"patch":{"size":8,"background":null}}`:          true,
		`{"patch":{"size":1048577}}`:                      false,
		`{"patch":{"size":8,"mpp":0}}`:                    false,
		`{"truth":[{"support":1,"refute":[2,3]}]}`:        true,
		`{"truth":[1]}`:                                   false,
		`{"inputs":{"any name":"edges","n":3,"m":[1,2]}}`: true,
		`{"inputs":{"n":"mask"}}`:                         false,
		`{"inputs":{"n":null}}`:                           false,
		`{"output":{"kind":"hazards","scale":"logits","edges":[0,1],"unit":"d"}}`:   true,
		`{"output":{"kind":"hazards","scale":"logits","edges":[0],"unit":"d"}}`:     false,
		`{"output":{"kind":"hazards","scale":"raw","edges":[0,1],"unit":"d"}}`:      false,
		`{"output":{"kind":"heads","heads":[]}}`:                                    false,
		`{"output":{"kind":"heads","heads":[{"kind":"regression"}]}}`:               false,
		`{"output":{"kind":"heads","heads":[{"kind":"regression","name":"a"}]}}`:    true,
		`{"output":{"kind":"regression","unit":"` + strings.Repeat("é", 33) + `"}}`: false,
	} {
		card, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		must.Do(t, err)
		var read signature.Card
		err = read.Read([]byte(text), "card")
		opens := err == nil && len(read.Notes()) == 0
		fits := schema.Validate(card)
		must.Equal(t, opens, valid, text, fits)
		must.Equal(t, fits == nil, valid, text, fits)
	}
}
