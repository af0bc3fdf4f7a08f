package ask

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// TestCardsAreWrittenAsTheyAreRead reads cards, writes them and reads them again. The keys that are
// written are declared.
func TestCardsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, text := range []string{
		`{"classes":["a","b"],"negative":1,"output":"raw","output_name":"y","inherent":"z",
		"instance_axis":1,"preprocess":{"scale":2,"mean":[1],"std":[3]},
		"patch":{"size":8,"stride":4,"background":9,"mpp":0.5},"encoder":"e.onnx",
		"via":"s.onnx","via_output":"e","likeness":"dot",
		"truth":[{"support":[1],"refute":[2]}],"inputs":{"m":[1,2],"n":"count"},
		"adjacency":"knn(8)"}`,
		`{"patch":{"size":8}}`,
		`{"output":{"kind":"hazards","name":"n","scale":"logits","edges":[0,1],"unit":"u"}}`,
		`{"output":{"kind":"ordinal","scale":"logits","values":[1,2],"unit":"u"}}`,
		`{"output":{"kind":"heads","heads":[{"kind":"classes","name":"a","scale":"raw",
		"classes":["x"],"negative":0,"output_name":"y"},{"kind":"regression","name":"c"}]}}`,
	} {
		var card, again signature.Card
		must.Do(t, card.Read([]byte(text), "card"))
		written := must.Get(json.Marshal(NewCard(card)))(t)
		must.Equal(t, again.Read(written, "card") == nil, true, text, written, again.Notes())
		must.Equal(t, reflect.DeepEqual(again, card), true, text, written, again.Notes())
	}
}
