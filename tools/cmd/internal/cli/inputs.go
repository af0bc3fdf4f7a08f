package cli

import (
	"encoding/json"
	"strconv"
	"strings"
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
		var numbers []float64
		for _, word := range strings.Split(text, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil {
				numbers = nil
				break
			}
			numbers = append(numbers, v)
		}
		switch len(numbers) {
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
