package host

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
	"github.com/bagscope/bagscope/wasm/wire"
)

func TestFailureKinds(t *testing.T) {
	host := New(Config{})
	for _, c := range []struct {
		err  error
		kind string
	}{
		{&core.BagError{Reason: "r"}, kindBag},
		{&core.SettingError{Setting: "s", Reason: "r"}, kindSetting},
		{&core.UnavailableError{Reason: "r"}, kindUnavailable},
		{&core.BudgetError{}, kindBudget},
		{&quota.MemoryError{}, kindLimit},
		{&core.NonFiniteError{Coalition: "01"}, kindNonFinite},
		{&bagio.FormatError{}, kindFormat},
		{&bagio.LimitError{}, kindLimit},
		{&draw.LimitError{}, kindLimit},
		{&onnxbackend.FormatError{}, kindFormat},
		{&onnxbackend.LimitError{}, kindLimit},
		{&onnxbackend.UnsupportedError{}, kindUnsupported},
		{&onnxbackend.RunError{}, kindBag},
		{&closedError{"bag"}, kindSetting},
		{&gpu.UnavailableError{}, kindUnavailable},
		{context.Canceled, kindCancelled},
		{context.DeadlineExceeded, kindCancelled},
		{errCancelled, kindCancelled},
		{errors.New("anything else"), kindInternal},
	} {
		for _, err := range []error{c.err, fmt.Errorf("while reading: %w", c.err)} {
			if got := host.failure(err); got.Kind != c.kind || got.Message == "" {
				t.Errorf("%T is of kind %q (%s), want %q", c.err, got.Kind, got.Message, c.kind)
			}
		}
		// A failure that cannot be encoded would leave its request without an answer.
		if _, err := wire.Append(nil, wire.Message{Body: host.failure(c.err)}); err != nil {
			t.Errorf("%T: %v", c.err, err)
		}
	}
}

// A client shows the arrays of a file as a choice: one line each, and no detail without a choice.
func TestArraysOfFailure(t *testing.T) {
	host := New(Config{})
	without := host.failure(&bagio.FormatError{}).Details
	with := host.failure(&bagio.FormatError{Arrays: []bagio.NamedShape{
		{Name: "uni/features", Shape: []int{3512, 1024}}, {Name: "b", Shape: []int{2, 3}}}}).Details
	want := wire.Setting{Name: "arrays", Value: "uni/features (3512, 1024)\nb (2, 3)"}
	if len(with) != len(without)+1 || with[len(with)-1] != want {
		t.Errorf("got %v and %v, want %v", without, with, want)
	}
}

func TestCoalitions(t *testing.T) {
	z, err := coalitions([]string{"101", "010"}, 3)
	if err != nil || z.Len() != 2 || z.String(0) != "101" || z.String(1) != "010" {
		t.Errorf("got %v, %v", z, err)
	}
	for _, rows := range [][]string{{"10"}, {"1012"}, {"10x"}, {""}} {
		if _, err := coalitions(rows, 3); err == nil {
			t.Errorf("%q: no error", rows)
		}
	}
}
