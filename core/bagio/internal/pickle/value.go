// Package pickle reads the values of a Python pickle without running code. A pickle is a program
// for a stack machine that may call any Python function. This reader builds numbers, text, lists,
// tuples and dicts, and returns calls as values: the caller decides what a call of a known name
// means and rejects the others. The opcodes are those of pickletools, protocols 0 to 5.
package pickle

// A value is one of
//
//	nil, bool, int64, *big.Int, float64, string, []byte,
//	*List, *Dict, Tuple, Name, *Call, Reference
//
// A *big.Int is an integer beyond 64 bits.
//
// Lists, dicts and calls may occur in several places, and a list may contain itself: whoever walks
// values must bound the depth and the number of visits.

// A List is a list or a set.
type List struct{ Items []any }

// A Dict is a dict; Keys[i] belongs to Values[i]. A key that was set twice occurs twice, and the
// last one counts.
type Dict struct {
	Keys, Values []any
}

// Get returns the value of a text key, or nil.
func (d *Dict) Get(key string) any {
	for i := len(d.Keys) - 1; i >= 0; i-- {
		if d.Keys[i] == any(key) {
			return d.Values[i]
		}
	}
	return nil
}

// A Tuple is a tuple.
type Tuple []any

// A Name is a global of a Python module, such as "torch.FloatStorage".
type Name string

// A Call is an object that a pickle makes by a call. The call is not carried out.
type Call struct {
	Function Name
	Args     Tuple
	State    any   // what BUILD sets, or nil
	Entries  *Dict // what SETITEMS sets, or nil; the content of an OrderedDict
	Items    *List // what APPENDS adds, or nil
}

// A Reference is a persistent ID: an object that is stored beside the pickle.
type Reference struct{ ID any }
