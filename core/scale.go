package core

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
)

// output returns the output for scores on the scale, given the requested one. It returns a
// *SettingError for an output that the scale does not have.
func (s Scale) output(requested Output) (Output, error) {
	switch requested {
	case "":
		requested = OutputProbability
	case OutputProbability, OutputLogit:
	default:
		return "", &SettingError{Setting: "output",
			Reason: msg.Sprintf("%q is neither prob nor logit", requested)}
	}
	switch s {
	case ScaleLogits, ScaleSigmoidLogits:
		return requested, nil
	case ScaleRaw:
		return OutputRaw, nil
	case ScaleProbabilities, ScaleLogProbabilities:
		if requested == OutputLogit {
			return "", &SettingError{Setting: "output",
				Reason: "the model's graph already ends in probabilities and has no logits; use " +
					"prob"}
		}
		return requested, nil
	}
	return "", &SettingError{Setting: "scale",
		Reason: msg.Sprintf("%q is not a scale of class scores", s)}
}

// convert converts one row of class scores to the output, in place.
func (s Scale) convert(row []float64, to Output) {
	if to != OutputProbability {
		return
	}
	switch s {
	case ScaleLogits:
		if len(row) == 1 {
			row[0] = sigmoid(row[0])
			return
		}
		softmax(row)
	case ScaleSigmoidLogits:
		for i, v := range row {
			row[i] = sigmoid(v)
		}
	case ScaleLogProbabilities:
		for i, v := range row {
			row[i] = math.Exp(v)
		}
	}
}

// sigmoid returns 1 / (1 + e^-x) without overflow for large magnitudes of x.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// softmax replaces logits by probabilities. It subtracts the largest logit, so that no exponential
// overflows.
func softmax(row []float64) {
	top, sum := slices.Max(row), 0.0
	for i, v := range row {
		row[i] = math.Exp(v - top)
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
}
