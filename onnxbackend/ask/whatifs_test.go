package ask

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestWhatIfKeys: a question of each what-if takes every option by its key, and what all have in
// common, and nothing else.
func TestWhatIfKeys(t *testing.T) {
	for _, w := range WhatIfs() {
		t.Run(w.Name, func(t *testing.T) {
			q := w.New()
			want := map[string]any{"class": "a", "output": "logit", "seed": 3., "budget": 4.}
			for _, f := range q.Fields {
				o := f.Option
				switch o.Kind {
				case core.KindChoice:
					want[o.Key()] = o.Words()[0]
				case core.KindFlag:
					want[o.Key()] = true
				case core.KindInteger:
					want[o.Key()] = 7.
				case core.KindNumber:
					want[o.Key()] = .5
				case core.KindText:
					want[o.Key()] = "a text"
				}
				must.Equal(t, f.Value != nil, true, o.Name)
			}
			text, got := must.Get(json.Marshal(want))(t), map[string]any{}
			for _, part := range []any{&q.Ask, q.Options} {
				must.Do(t, json.Unmarshal(text, part))
				must.Do(t, json.Unmarshal(must.Get(json.Marshal(part))(t), &got))
			}
			must.Equal(t, reflect.DeepEqual(got, want), true, got, want)
			must.Equal(t, q.Seed, 3, got, want)
			for _, f := range q.Fields {
				if value, ok := f.value(); !ok || f.Option.Check(value) != nil {
					t.Errorf("the option %s is %v", f.Option.Name, value)
				}
			}
		})
	}
}
