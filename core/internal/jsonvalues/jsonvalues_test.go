package jsonvalues

import (
	"runtime"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/must"
)

// TestBytes parses texts whose values have few bytes each.
func TestBytes(t *testing.T) {
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200) + ","
	for name, text := range map[string]string{
		"numbers": "[" + strings.Repeat("1,", 1<<16) + "1]",
		"lists":   "[" + strings.Repeat("[],", 1<<16) + "1]",
		"objects": "[" + strings.Repeat("{},", 1<<16) + "1]",
		"keys":    "{" + strings.Repeat(`"":1,`, 1<<16) + `"":1}`,
		"deep":    "[" + strings.Repeat(deep, 300) + "1]",
		"a text":  `["` + strings.Repeat("a", 1<<20) + `"]`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			must.Get(fastjson.Parse(text))(t)
			runtime.ReadMemStats(&after)
			n, most := int64(after.TotalAlloc-before.TotalAlloc), Bytes([]byte(text))
			must.Equal(t, n <= most+1<<16, true, n, most)
		})
	}
}
