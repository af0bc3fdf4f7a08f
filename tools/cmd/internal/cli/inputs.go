package cli

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// inputsCard returns the model card that states what inputs take, or nil for none. Errors are of
// usage.
func inputsCard(inputs []string) ([]byte, error) {
	if len(inputs) == 0 {
		return nil, nil
	}
	values := map[string]any{}
	for _, in := range inputs {
		name, text, ok := strings.Cut(in, "=")
		if _, twice := values[name]; !ok || name == "" || text == "" || twice {
			return nil, Usagef("--input %s: give each input once, as NAME=VALUE, such as "+
				"age=63", in)
		}
		switch numbers := numbersOf(text); len(numbers) {
		case 0:
			values[name] = text // a role
		case 1:
			values[name] = numbers[0]
		default:
			values[name] = numbers
		}
	}
	card, err := json.Marshal(map[string]any{"inputs": values})
	if err != nil { // NaN and infinities
		return nil, Usagef("--input takes finite numbers: %v", err)
	}
	return card, nil
}

// numbersOf returns the numbers of a text that separates them by commas, nil for other text.
func numbersOf(text string) (numbers []float64) {
	for word := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil
		}
		numbers = append(numbers, v)
	}
	return numbers
}

// statedInputs returns the covariates of a model among what --input states, in the words of
// bagio.Options.Inputs: they count before those of a bag's file.
func statedInputs(inputs []string, covariates []core.CovariateInput) string {
	stated := slices.DeleteFunc(slices.Clone(inputs), func(in string) bool {
		name, text, _ := strings.Cut(in, "=")
		return numbersOf(text) == nil || !slices.ContainsFunc(covariates,
			func(c core.CovariateInput) bool { return c.Name == name })
	})
	return strings.Join(stated, ";")
}
