package main

import (
	"context"
	"errors"
	"math"
	"regexp"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

func TestNetworksPredictFiniteScores(t *testing.T) {
	for _, c := range cases() {
		m := must.Get(onnxbackend.Open(c.model().Bytes(), onnxbackend.Options{}))(t)
		p, err := m.Predict(context.Background(), c.bag(1))
		must.Do(t, err, c.name)
		if len(p.Scores) != 2 || math.IsNaN(p.Scores[0]) || p.Scores[0] == p.Scores[1] {
			t.Errorf("%s: scores %v", c.name, p.Scores)
		}
	}
}

// TestRunMeasuresOrNamesMissingDevice measures small bags if there is a device.
func TestRunMeasuresOrNamesMissingDevice(t *testing.T) {
	err := run(options{regexp.MustCompile("crc|vectors|pool|gram"), 0.001, 1, 1})
	var missing *gpu.UnavailableError
	if err != nil && !errors.As(err, &missing) {
		t.Error(err)
	}
}
