package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/source"
)

func TestJSDoc(t *testing.T) {
	word := strings.Repeat("x", 40)
	for text, want := range map[string]string{
		"":           "",
		"One.":       "  /** One. */\n",
		"A µ. Two":   "  /** A µ. Two */\n",
		word + " y":  "  /** " + word + " y */\n",
		word + " §§": "  /** " + word + " §§ */\n",
		word + " " + word + " " + word + " end": "  /**\n   * " + word + " " + word + "\n   * " +
			word + " end\n   */\n",
	} {
		must.Equal(t, jsdoc("  ", text), want, text)
	}
}

// The types and codecs of fields, by their Go types and tags.
func TestField(t *testing.T) {
	type fields struct {
		Plain  []float64
		List   []float64 `ts:"number[] | null"`
		Number float64   `ts:"number | null"`
		Word   string    `ts:"'one' | ''"`
		Names  []string  `ts:"MethodName[]"`
		Hidden whatif.Hidden
		Scale  *core.Scale
		Unit   core.Unit
		Seed   *uint64
		Wrong  chan int `ts:"number"`
	}
	tr := &translator{root: "../../.."}
	tr.part = tr.inline
	for i, want := range []string{
		"Float64Array, c.float64s",
		"number[] | null, c.filled(c.numbers)",
		"number | null, c.measured",
		`"one" | "", c.text as c.Codec<"one" | "">`,
		"MethodName[], c.list(c.text) as c.Codec<MethodName[]>",
		`"mean" | "blur" | "zero", c.text as c.Codec<"mean" | "blur" | "zero">`,
		"Scale | null, c.optional(c.text as c.Codec<Scale>)",
		"string, c.text",
		"number | bigint | null, c.optional(c.uint64)",
		"error",
	} {
		f := reflect.TypeFor[fields]().Field(i)
		ts, codec, err := tr.field(f)
		got := ts + ", " + codec
		if err != nil {
			got = "error"
		}
		must.Equal(t, got, want, f.Name)
	}
}

func TestSource(t *testing.T) {
	s := must.Get(source.Read("../../../core/whatif"))(t)
	must.Equal(t,
		reflect.DeepEqual(s.Words["PairIndex"], []string{"shapley", "guided", "faithful"}), true)
	for _, name := range []string{"PairsQuestion", "PairsQuestion.Among"} {
		must.Equal(t, s.Comments[name] != "", true, name)
	}
}
