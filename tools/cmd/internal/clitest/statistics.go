package clitest

import (
	"encoding/json"
	"testing"
)

// Statistics is the JSON of evaluate.
type Statistics struct {
	Methods []map[string]json.RawMessage
	Bags    int
}

// Method returns the object of a method.
func (s *Statistics) Method(t *testing.T, name string) map[string]json.RawMessage {
	t.Helper()
	for _, m := range s.Methods {
		if string(m["method"]) == `"`+name+`"` {
			return m
		}
	}
	t.Fatalf("there is no row %s", name)
	return nil
}

// A Stat is the value of one metric.
type Stat struct {
	Mean, SEM      float64
	N              int
	NontrivialMean float64 `json:"nontrivial_mean"`
	NontrivialN    int     `json:"nontrivial_n"`
}

// Stat returns the value of a metric for a method.
func (s *Statistics) Stat(t *testing.T, method, metric string) Stat {
	t.Helper()
	var v Stat
	RequireKeys(t, Decode(t, string(s.Method(t, method)[metric]), &v),
		"mean sem n nontrivial_mean nontrivial_n")
	return v
}
