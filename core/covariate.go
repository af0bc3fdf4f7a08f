package core

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Covariate is what an input of the model beside the instances takes for one bag, such as the age
// of a patient.
type Covariate struct {
	Name   string    // name of the model's input
	Values []float64 // one for each element of the input, or one for all; finite
}

// A CovariateInput is an input of a model that takes a covariate.
type CovariateInput struct {
	Name string
	Size int // number of values
	// Default has the values for bags without the covariate, or is empty if each bag must have it.
	Default []float64
}

// ParseCovariates reads covariates as users write them: age=63, or age=63; stage=0,0,1. Numbers of
// one covariate are separated by commas. It returns a *SettingError of the setting inputs for other
// text, for numbers that are not finite and for a name that occurs twice.
func ParseCovariates(text string) ([]Covariate, error) {
	var list []Covariate
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, words, ok := strings.Cut(part, "=")
		c := Covariate{Name: strings.TrimSpace(name)}
		for word := range strings.SplitSeq(words, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			ok = ok && err == nil && !math.IsInf(v, 0) && v == v
			c.Values = append(c.Values, v)
		}
		if !ok || c.Name == "" || covariate(list, c.Name) != nil {
			return nil, &SettingError{Setting: "inputs", Reason: msg.Sprintf(
				"%q must be NAME=NUMBER, each name once, such as age=63, or age=63; stage=0,0,1",
				part)}
		}
		list = append(list, c)
	}
	return list, nil
}

// Covariate returns the values of a covariate of the bag, or nil.
func (b *Bag) Covariate(name string) []float64 { return covariate(b.Covariates, name) }

func covariate(list []Covariate, name string) []float64 {
	i := slices.IndexFunc(list, func(c Covariate) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return list[i].Values
}

// WithCovariates returns a bag of the same instances with other values of some covariates. It
// shares all else with b.
func (b *Bag) WithCovariates(list ...Covariate) *Bag {
	out := *b
	out.Covariates = slices.Clone(list)
	for _, c := range b.Covariates {
		if covariate(list, c.Name) == nil {
			out.Covariates = append(out.Covariates, c)
		}
	}
	return &out
}
