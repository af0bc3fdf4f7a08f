package pickle

import (
	"strconv"
	"strings"
)

// marked pushes a value made of the values since the last MARK.
func (m *machine) marked(make func(Tuple) any) error {
	values, err := m.popMark()
	if err != nil {
		return err
	}
	return m.push(make(values))
}

// tuple replaces the last n values by a tuple of them.
func (m *machine) tuple(n int) error {
	values, err := m.popN(n)
	if err != nil {
		return err
	}
	return m.push(values)
}

// dict replaces the values since the last MARK, keys and values in turn, by a dict of them.
func (m *machine) dict() error {
	values, err := m.popMark()
	if err != nil {
		return err
	}
	d := &Dict{}
	if err := m.set(d, values); err != nil {
		return err
	}
	return m.push(d)
}

// last passes the last n values to put, with the value before them, which stays on the stack.
func (m *machine) last(n int, put func(*machine, any, Tuple) error) error {
	values, err := m.popN(n)
	if err != nil {
		return err
	}
	return m.into(values, put)
}

// sinceMark is last for the values since the last MARK.
func (m *machine) sinceMark(put func(*machine, any, Tuple) error) error {
	values, err := m.popMark()
	if err != nil {
		return err
	}
	return m.into(values, put)
}

// into passes values to put with the value at the top of the stack, which must exist.
func (m *machine) into(values Tuple, put func(*machine, any, Tuple) error) error {
	target, err := m.top()
	if err != nil {
		return err
	}
	return put(m, target, values)
}

// add appends values to a list or set, or to an object that behaves like one.
func (m *machine) add(target any, values Tuple) error {
	switch t := target.(type) {
	case *List:
		// A list that contains itself is legal in a pickle. Readers of the result bound the depth.
		t.Items = append(t.Items, values...)
	case *Call:
		if t.Items == nil {
			t.Items = &List{}
		}
		t.Items.Items = append(t.Items.Items, values...)
	default:
		return m.fail("values are added to what is not a list")
	}
	return nil
}

// set puts keys and values, which alternate, into a dict or an object that behaves like one.
func (m *machine) set(target any, values Tuple) error {
	var d *Dict
	switch t := target.(type) {
	case *Dict:
		d = t
	case *Call:
		if t.Entries == nil {
			t.Entries = &Dict{}
		}
		d = t.Entries
	default:
		return m.fail("entries are set in what is not a dict")
	}
	if len(values)%2 != 0 {
		return m.fail("a key has no value")
	}
	for i := 0; i < len(values); i += 2 {
		// Other keys, such as a list, have no order and no comparison that a caller could rely on.
		switch values[i].(type) {
		case nil, bool, int64, float64, string, Name:
		default:
			return m.fail("a key of a dict is neither a text nor a number")
		}
		d.Keys = append(d.Keys, values[i])
		d.Values = append(d.Values, values[i+1])
	}
	return nil
}

// duplicate pushes the value at the top of the stack again. Both are the same object, as in Python.
func (m *machine) duplicate() error {
	v, err := m.top()
	if err != nil {
		return err
	}
	return m.push(v)
}

// recall returns the value of the memo whose number a line holds.
func (m *machine) recall(line string) (any, error) {
	n, err := strconv.ParseUint(line, 10, 64)
	if err != nil {
		return nil, err
	}
	v, ok := m.memo[n]
	if !ok {
		return nil, m.fail("the memo has no entry %d", n)
	}
	return v, nil
}

// get pushes the value of the memo whose number follows in so many bytes.
func (m *machine) get(size uint64) error {
	n, err := m.number(size)
	if err != nil {
		return err
	}
	v, ok := m.memo[n]
	if !ok {
		return m.fail("the memo has no entry %d", n)
	}
	return m.push(v)
}

// putLine stores the top of the stack in the memo, under the number in the line that follows.
// Protocol 0 writes numbers as text.
func (m *machine) putLine() error {
	line, err := m.line()
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(line, 10, 64)
	if err != nil {
		return m.fail("%q is not an entry of the memo", line)
	}
	return m.remember(n)
}

// put is putLine for a number of so many bytes.
func (m *machine) put(size uint64) error {
	n, err := m.number(size)
	if err != nil {
		return err
	}
	return m.remember(n)
}

// remember stores the top of the stack in the memo, and keeps it on the stack. The memo is a map,
// so that a large number in a broken file takes no memory.
func (m *machine) remember(n uint64) error {
	v, err := m.top()
	if err != nil {
		return err
	}
	m.memo[n] = v
	return nil
}

// globalLines pushes the name of a function or class from two lines: module and name. Nothing is
// imported or looked up; a name is only compared with those that the caller knows.
func (m *machine) globalLines() error {
	module, err := m.line()
	if err != nil {
		return err
	}
	name, err := m.line()
	if err != nil {
		return err
	}
	return m.pushName(module, name)
}

// maxName bounds the bytes of the name of a function or class with its module. Five bytes of a
// pickle can join two texts of the memo, which have megabytes.
const maxName = 256

// pushName pushes the name of a function or class.
func (m *machine) pushName(module, name string) error {
	if n := len(module) + len(name); n > maxName {
		return m.fail("the name of a function or class has %d bytes; at most %d are read", n,
			maxName)
	}
	return m.push(Name(module + "." + name))
}

// global is globalLines for two texts on the stack, as protocol 4 has it.
func (m *machine) global() error {
	values, err := m.popN(2)
	if err != nil {
		return err
	}
	module, ok := values[0].(string)
	name, text := values[1].(string)
	if !ok || !text {
		return m.fail("the name of a global is not a text")
	}
	return m.pushName(module, name)
}

// call replaces a function and its arguments by a Call, which records them. Nothing is executed.
func (m *machine) call() error {
	values, err := m.popN(2)
	if err != nil {
		return err
	}
	function, ok := named(values[0])
	args, tuple := values[1].(Tuple)
	if !ok || !tuple {
		return m.fail("a call has no function or no arguments")
	}
	// Protocols 0 and 1 make objects by a function that takes their class.
	if strings.HasSuffix(string(function), "._reconstructor") && len(args) > 0 {
		if class, ok := named(args[0]); ok {
			function = class
		}
	}
	return m.push(&Call{Function: function, Args: args})
}

// named returns the name of a function or class. PyTorch refers to classes of modules with their
// source: ("module", class, file, source).
func named(v any) (Name, bool) {
	if r, ok := v.(Reference); ok {
		if id, _ := r.ID.(Tuple); len(id) > 1 && id[0] == any("module") {
			v = id[1]
		}
	}
	name, ok := v.(Name)
	return name, ok
}

// build sets the state of an object. A plain value has none.
func (m *machine) build() error {
	state, err := m.pop()
	if err != nil {
		return err
	}
	object, err := m.top()
	if err != nil {
		return err
	}
	call, ok := object.(*Call)
	if !ok {
		return m.fail("a state is set in what is not an object")
	}
	call.State = state
	return nil
}

// referenceLine pushes a reference to data outside of the pickle, whose ID is a line of text.
func (m *machine) referenceLine() error {
	line, err := m.line()
	if err != nil {
		return err
	}
	return m.refer(Reference{strings.TrimSuffix(line, "\r")})
}

// reference is referenceLine for an ID on the stack. PyTorch refers to the storage of a tensor so.
func (m *machine) reference() error {
	id, err := m.pop()
	if err != nil {
		return err
	}
	return m.refer(Reference{id})
}

// refer pushes a reference and lists it, so that the caller finds all storages of a file.
func (m *machine) refer(r Reference) error {
	m.references = append(m.references, r)
	return m.push(r)
}
