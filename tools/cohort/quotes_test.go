package cohort

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/msg/msgtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestErrorsAreShort: whatever a manifest holds, the error of a line has at most 4 kB and no
// control characters.
func TestErrorsAreShort(t *testing.T) {
	giant := strings.Repeat("\u202e", 1<<20)
	escaped, digits := strings.Repeat(`\u0001`, 1<<20), strings.Repeat("9", 1<<20)
	for name, text := range map[string]string{
		"a key":             `{"` + escaped + `":1}`,
		"a repeated key":    `{"model":{"` + escaped + `":1,"` + escaped + `":1}}`,
		"a nested key":      `{"model":"m","bag":"b","request":{"a":1,"` + escaped + `":1}} {`,
		"a number":          `{"index":` + digits + `}`,
		"a text as number":  `{"index":"` + escaped + `"}`,
		"a literal":         `{"model":tru` + giant,
		"behind the JSON":   `{"model":"m","bag":"b"} ` + giant,
		"a column":          giant + ",bag\n",
		"two columns":       "model,bag, model" + strings.Repeat(" ", 1<<20) + "\n",
		"a quote":           `"` + giant + "\n" + giant,
		"index of a row":    "model,bag,index\nm,b," + giant,
		"seed of a row":     "model,bag,seed\nm,b," + digits,
		"labels of a row":   "model,bag,labels\nm,b," + strings.Repeat("a ", 1<<17),
		"request of a row":  "model,bag,request\nm,b," + giant,
		"quote in a row":    "model,bag\nm,b" + giant + "\"\n",
		"too many cells":    "model,bag\nm,b" + strings.Repeat(",x", 1<<17),
		"a line too long":   "{" + strings.Repeat(" ", maxLine),
		"without an object": "{\n" + giant,
	} {
		t.Run(name, func(t *testing.T) {
			failed := false
			for _, err := range ReadManifest(strings.NewReader(text)) {
				if err != nil {
					msgtest.Short(t, err.Error())
					failed = true
				}
			}
			must.Equal(t, failed, true, "it is read")
		})
	}
	for name, request := range map[string]string{
		"a key": `{"` + escaped + `":1}`, "a text": `{"methods":"` + escaped + `"}`,
		"no JSON": giant,
	} {
		t.Run(name+" of a request", func(t *testing.T) {
			_, err := Request{}.over([]byte(request))
			must.Fail(t, err)
			msgtest.Short(t, err.Error())
		})
	}
}
