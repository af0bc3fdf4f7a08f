package bagio

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// Files state the covariates of their bags by the names of the model's inputs: a set of bags by an
// array with a row for each bag, a file of features by an array or an attribute, and a table by a
// column with the same number in all rows of a bag.

// covariatesOf returns the covariates of a bag: those that the caller states before those of the
// file.
func (s *Set) covariatesOf(bag int) []core.Covariate {
	b := &core.Bag{}
	if s.covariates != nil {
		b.Covariates = s.covariates[bag]
	}
	return b.WithCovariates(s.stated...).Covariates
}

// Covariates returns the covariates that the file states of each bag, or nil.
func (s *Set) Covariates() [][]core.Covariate { return s.covariates }

// addCovariates sets the covariates that a file of features states of its only bag, and returns
// their arrays.
func (s *Set) addCovariates(n *namedArrays, o Options) (used []*namedArray, err error) {
	if s.Len() != 1 {
		return nil, nil
	}
	var list []core.Covariate
	for _, in := range o.Covariates {
		c := core.Covariate{Name: in.Name}
		array, wrong := n.find([]string{strings.ToLower(in.Name)})
		if wrong != nil {
			return nil, wrong
		}
		switch {
		case array != nil:
			a, err := array.read()
			if err != nil {
				return nil, err
			}
			if product(a.Shape) != in.Size {
				return nil, bad(n.file, "%s has shape %s, and the model takes %d values of each "+
					"bag", array.name, shapeText(a.Shape), in.Size)
			}
			if c.Values, err = a.float64s(0, in.Size); err != nil {
				return nil, err
			}
			used = append(used, array)
		default:
			c.Values = n.attributes.numbers(in.Name)
			if c.Values == nil {
				continue
			}
			if len(c.Values) != in.Size {
				return nil, bad(n.file, "its attribute %s has %d numbers, and the model takes %d "+
					"of each bag", in.Name, len(c.Values), in.Size)
			}
		}
		list = append(list, c)
	}
	if list != nil {
		s.covariates = [][]core.Covariate{list}
	}
	return used, nil
}

// numbers returns an attribute of finite numbers, or nil.
func (a attributes) numbers(name string) []float64 {
	var list []float64
	switch v := a[name].(type) {
	case float64:
		list = []float64{v}
	case []float64:
		list = v
	case string:
		if x, err := strconv.ParseFloat(v, 64); err == nil {
			list = []float64{x}
		}
	}
	if slices.ContainsFunc(list, func(v float64) bool { return v-v != 0 }) {
		return nil
	}
	return list
}

// float64s returns n numbers of an array, from one on. The error is a *FormatError for text and for
// numbers that are not finite.
func (a *Array) float64s(from, n int) ([]float64, error) {
	if err := a.numbers(); err != nil {
		return nil, err
	}
	get, values := a.dtype.float(), make([]float64, n)
	for i := range values {
		values[i] = get(a.data[(from+i)*a.dtype.size:])
		if values[i]-values[i] != 0 {
			return nil, bad(a.file, "value %d is %v; it must be finite", from+i, values[i])
		}
	}
	return values, nil
}

// covariates sets what the members of a bag set state of each bag.
func (a *archive) covariates(s *Set, o Options) error {
	for _, in := range o.Covariates {
		array, err := a.shaped(in.Name, []int{s.Len(), in.Size})
		if err != nil {
			return err
		}
		if array == nil {
			continue
		}
		if s.covariates == nil {
			s.covariates = make([][]core.Covariate, s.Len())
		}
		for b := range s.covariates {
			values, err := array.float64s(b*in.Size, in.Size)
			if err != nil {
				return err
			}
			s.covariates[b] = append(s.covariates[b], core.Covariate{Name: in.Name, Values: values})
		}
	}
	return nil
}

// takesCovariate reports whether an array is called like an input of a covariate.
func (o Options) takesCovariate(name string) bool {
	return slices.ContainsFunc(o.Covariates,
		func(in core.CovariateInput) bool { return strings.EqualFold(in.Name, path.Base(name)) })
}

// findCovariates finds the columns with a number of each bag.
func (c *columns) findCovariates(inputs []core.CovariateInput) {
	for _, in := range inputs {
		if at := c.free(in.Name); at >= 0 && in.Size == 1 {
			c.covariates = append(c.covariates, at)
			c.covariateNames = append(c.covariateNames, in.Name)
			c.give(roleCovariate, at)
		}
	}
}

// addCovariates stores what a row states of its bag, and checks that all rows of the bag state the
// same.
func (t *table) addCovariates(row []string) error {
	bag := t.bagOf[len(t.bagOf)-1]
	first := bag == len(t.stated)
	if first {
		t.stated = append(t.stated, nil)
	}
	for i, at := range t.covariates {
		v, err := t.parse(row[at], 64)
		if err != nil || v-v != 0 {
			return t.at(at, "%s", msg.Text(numberFault(row[at], v, err)))
		}
		if first {
			t.stated[bag] = append(t.stated[bag],
				core.Covariate{Name: t.covariateNames[i], Values: []float64{v}})
		} else if was := t.stated[bag][i].Values[0]; was != v {
			return t.at(at, "it is %v here and %v in an earlier row of the bag, but the model "+
				"takes one number of each bag", v, was)
		}
	}
	return nil
}
