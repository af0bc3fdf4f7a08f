package core

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// A BagError reports an inconsistency in a bag, or the reason that a model does not accept it.
type BagError struct {
	Bag    string
	Reason string
}

// Error returns the bag and the reason.
func (e *BagError) Error() string {
	if e.Bag == "" {
		return msg.Sprintf("the bag cannot be used: %s", msg.Text(e.Reason))
	}
	return msg.Sprintf("bag %q cannot be used: %s", e.Bag, msg.Text(e.Reason))
}

// Kind returns "bag".
func (e *BagError) Kind() string { return kind.Bag }

// A CovariateError is the *BagError, which it wraps, of a bag that does not state a covariate which
// the model takes of each bag.
type CovariateError struct {
	*BagError
	Covariate string // name of the model's input
}

// Unwrap returns the BagError.
func (e *CovariateError) Unwrap() error { return e.BagError }

// A SettingError reports an invalid value of a setting.
type SettingError struct {
	Method  string // "" if the setting belongs to the request
	Setting string
	Reason  string
}

// Error returns the setting and the reason.
func (e *SettingError) Error() string {
	if e.Method == "" {
		return msg.Sprintf("%s: %s", e.Setting, msg.Text(e.Reason))
	}
	return msg.Sprintf("method %s, setting %s: %s", e.Method, e.Setting, msg.Text(e.Reason))
}

// Kind returns "setting".
func (e *SettingError) Kind() string { return kind.Setting }

// An UnavailableError reports that this model does not support a method, and the reason. Methods
// return it instead of scores of zero, which would look like a result.
type UnavailableError struct {
	Method string // "" if the method is not known
	Reason string
}

// Error returns the method and the reason.
func (e *UnavailableError) Error() string {
	if e.Method == "" {
		return msg.Cut(e.Reason)
	}
	return msg.Sprintf("method %s is not available: %s", e.Method, msg.Text(e.Reason))
}

// Kind returns "unavailable".
func (e *UnavailableError) Kind() string { return kind.Unavailable }

// A BudgetError reports that a request needs more model evaluations than its budget.
type BudgetError struct {
	Used, Needed, Budget int
}

// Error returns the numbers of evaluations and what to do.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of %d model evaluations is too small: %d are used and %d more "+
		"are needed; raise the budget or use fewer samples", e.Budget, e.Used, e.Needed)
}

// Kind returns "budget".
func (e *BudgetError) Kind() string { return kind.Budget }

// A NonFiniteError reports the first coalition with a score that is NaN or infinite.
type NonFiniteError struct {
	Coalition string // one character, 0 or 1, for each instance
	Class     int
	Value     float64
	// Method is a method that needs all its coalitions, or "". Others leave out such coalitions.
	Method string
	// Unanswered counts the coalitions of a method that leaves out those without an answer, if too
	// few are left; else it is zero.
	Unanswered Unanswered
}

// Error returns the class, the coalition and what to do.
func (e *NonFiniteError) Error() string {
	if u := e.Unanswered; u.Of > 0 {
		return msg.Sprintf("%s, and the others are too few to score every instance: the model's "+
			"score of class %d is %v for %s; %s, or fix the overflow, log(0) or 0/0 in the model",
			u, e.Class, e.Value, e.coalition(), e.wayOut())
	}
	if e.Method != "" {
		return msg.Sprintf("the model's score of class %d is %v for %s, and %s needs this "+
			"coalition; use consensus or random_shap, which leave out coalitions without an "+
			"answer, %s, or fix the overflow, log(0) or 0/0 in the model", e.Class, e.Value,
			e.coalition(), e.Method, e.wayOut())
	}
	return msg.Sprintf("the model's score of class %d is %v for %s, but scores must be finite; "+
		"%s, or fix the overflow, log(0) or 0/0 in the model", e.Class, e.Value, e.coalition(),
		e.wayOut())
}

// Kind returns "non-finite".
func (e *NonFiniteError) Kind() string { return kind.NonFinite }

// coalition lists the members, or the removed instances if they are fewer.
func (e *NonFiniteError) coalition() string {
	in, out := e.members('1'), e.members('0')
	switch {
	case len(out) == 0:
		return "the whole bag"
	case len(in) == 1:
		return "instance " + in[0] + " alone"
	case len(out) == 1:
		return "the bag without instance " + out[0]
	case len(in) <= len(out):
		return "instances " + listed(in) + " alone"
	}
	return "the bag without instances " + listed(out)
}

// wayOut returns what the user can do: remove the instance, if the error concerns a single one.
func (e *NonFiniteError) wayOut() string {
	if in := e.members('1'); len(in) == 1 && len(e.Coalition) > 1 {
		return "remove instance " + in[0] + " from the bag"
	}
	return "look for an instance with unusual values in the bag"
}

// members returns the indices of the instances with the given mark, '0' or '1'.
func (e *NonFiniteError) members(mark byte) []string {
	var list []string
	for i := range len(e.Coalition) {
		if e.Coalition[i] == mark {
			list = append(list, strconv.Itoa(i))
		}
	}
	return list
}

// listed joins the first numbers of a list and counts the others.
func listed(numbers []string) string {
	const shown = 12
	if n := len(numbers); n > shown {
		return strings.Join(numbers[:shown], ", ") + fmt.Sprintf(" and %d more", n-shown)
	}
	return strings.Join(numbers, ", ")
}
