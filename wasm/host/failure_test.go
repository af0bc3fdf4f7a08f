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
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
	"github.com/bagscope/bagscope/wasm/wire"
)

func TestFailureKinds(t *testing.T) {
	host := New(Config{})
	for _, c := range []struct {
		err  error
		want string
	}{
		{&core.BagError{Reason: "r"}, kind.Bag},
		{&core.CovariateError{BagError: &core.BagError{Reason: "r"}, Covariate: "age"}, kind.Bag},
		{&core.SettingError{Setting: "s", Reason: "r"}, kind.Setting},
		{&core.UnavailableError{Reason: "r"}, kind.Unavailable},
		{&core.BudgetError{}, kind.Budget},
		{&quota.MemoryError{}, kind.Memory},
		{&core.NonFiniteError{Coalition: "01"}, kind.NonFinite},
		{&bagio.FormatError{}, kind.Format},
		{&bagio.LimitError{}, kind.Limit},
		{&draw.LimitError{}, kind.Limit},
		{&onnxbackend.FormatError{}, kind.Format},
		{&onnxbackend.LimitError{}, kind.Limit},
		{&onnxbackend.UnsupportedError{}, kind.Unsupported},
		{&onnxbackend.RunError{}, kind.Run},
		{&closedError{"bag"}, kind.Setting},
		{&gpu.UnavailableError{}, kind.Unavailable},
		{context.Canceled, kind.Cancelled},
		{context.DeadlineExceeded, kind.Cancelled},
		{errCancelled, kind.Cancelled},
		{errors.New("anything else"), kind.Internal},
	} {
		for _, err := range []error{c.err, fmt.Errorf("while reading: %w", c.err)} {
			if got := host.failure(err); got.Kind != c.want || got.Message == "" {
				t.Errorf("%T is of kind %q (%s), want %q", c.err, got.Kind, got.Message, c.want)
			}
		}
		// A failure that cannot be encoded would leave its request without an answer.
		must.Get(wire.Append(nil, wire.Message{Body: host.failure(c.err)}))(t)
	}
}

// A client shows the arrays of a file as a choice: one line each, and no detail without a choice.
func TestArraysOfFailure(t *testing.T) {
	host := New(Config{})
	without := host.failure(&bagio.FormatError{}).Details
	with := host.failure(&bagio.FormatError{Arrays: []bagio.NamedShape{
		{Name: "uni/features", Shape: []int{3512, 1024}}, {Name: "b", Shape: []int{2, 3}}}}).Details
	want := core.Setting{Name: "arrays", Value: "uni/features (3512, 1024)\nb (2, 3)"}
	must.Equal(t, len(with), len(without)+1, without, with)
	must.Equal(t, with[len(with)-1], want, without, with)
}
