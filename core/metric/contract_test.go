package metric

import (
	"context"
	"errors"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// A rejected is a method whose settings are invalid, and that must not be called.
type rejected struct{ methods.Single }

func (rejected) Validate(*core.Game) error {
	return &core.SettingError{Method: "rejected", Setting: "rejected"}
}

func (rejected) Evaluations(int, int) int { panic("called with invalid settings") }

// A scoreless is a method without scores.
type scoreless struct{ methods.Single }

func (scoreless) Attribute(context.Context, *core.Game, []int) (*core.Attribution, error) {
	return &core.Attribution{}, nil
}

// TestForeignMethods checks that methods with invalid settings, and attributions without scores,
// are errors of measurements and checks.
func TestForeignMethods(t *testing.T) {
	ev := coretest.Majority(5, 3)
	for name, m := range map[string]core.Method{"rejected": rejected{}, "methods": nil} {
		_, _, err := withTrust(t.Context(), ev, core.Request{Methods: []core.Method{m}})
		var setting *core.SettingError
		must.As(t, err, &setting)
		must.Equal(t, setting.Setting, name)
	}
	bad := []core.Method{scoreless{}}
	var method *core.MethodError
	if _, _, err := withTrust(t.Context(), ev,
		core.Request{Methods: bad}); !errors.As(err, &method) {
		t.Errorf("trust ends with %v", err)
	}
	g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
	if trust, err := MeasureTrust(t.Context(), g, []core.Method{nil},
		&core.Report{}); err != nil || trust != nil {
		t.Errorf("trust of no method: %v, %v", trust, err)
	}
	var setting *core.SettingError
	bag := &core.Bag{Shape: []int{1}, Values: []float32{1, 2}}
	must.As(t, must.Err(CheckMap(t.Context(), nil, bag, CheckQuestion{}, core.GameOptions{})),
		&setting)
	must.Equal(t, setting.Setting, "model", "checks without a model end with")
}
