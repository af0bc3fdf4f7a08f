package core

import "fmt"

// A BagError says what contradicts itself in a bag, or why a model cannot take it.
type BagError struct {
	Bag    string
	Reason string
}

func (e *BagError) Error() string {
	if e.Bag == "" {
		return "the bag cannot be used: " + e.Reason
	}
	return fmt.Sprintf("bag %q cannot be used: %s", e.Bag, e.Reason)
}

// A SettingError names a setting whose value makes no sense.
type SettingError struct {
	Method  string // "" when the setting belongs to the request
	Setting string
	Reason  string
}

func (e *SettingError) Error() string {
	if e.Method == "" {
		return fmt.Sprintf("%s: %s", e.Setting, e.Reason)
	}
	return fmt.Sprintf("method %s, setting %s: %s", e.Method, e.Setting, e.Reason)
}

// An UnavailableError says why a method cannot answer for this model. It takes the place of scores:
// zeros would look like an answer.
type UnavailableError struct {
	Method string
	Reason string
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("method %s is not available: %s", e.Method, e.Reason)
}

// A BudgetError is returned when a request needs more model evaluations than it may spend.
type BudgetError struct {
	Spent, Wanted, Budget int
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of %d model evaluations is too small: %d are spent and %d more are needed", e.Budget, e.Spent, e.Wanted)
}

// A NonFiniteError names the first coalition for which the model's score is NaN or infinite.
type NonFiniteError struct {
	Coalition string // one character 0 or 1 an instance
	Class     int
	Value     float64
}

func (e *NonFiniteError) Error() string {
	z := e.Coalition
	if len(z) > 80 {
		z = z[:77] + "..."
	}
	return fmt.Sprintf("the model scores class %d of coalition %s as %v, and no explanation can be built on that; look for overflow, log(0) or 0/0 in the model", e.Class, z, e.Value)
}
