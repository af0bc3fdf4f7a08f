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

func (m *machine) tuple(n int) error {
	values, err := m.popN(n)
	if err != nil {
		return err
	}
	return m.push(values)
}

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

func (m *machine) put(size uint64) error {
	n, err := m.number(size)
	if err != nil {
		return err
	}
	return m.remember(n)
}

func (m *machine) remember(n uint64) error {
	v, err := m.top()
	if err != nil {
		return err
	}
	m.memo[n] = v
	return nil
}

func (m *machine) globalLines() error {
	module, err := m.line()
	if err != nil {
		return err
	}
	name, err := m.line()
	if err != nil {
		return err
	}
	return m.push(Name(module + "." + name))
}

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
	return m.push(Name(module + "." + name))
}

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

func (m *machine) referenceLine() error {
	line, err := m.line()
	if err != nil {
		return err
	}
	return m.refer(Reference{strings.TrimSuffix(line, "\r")})
}

func (m *machine) reference() error {
	id, err := m.pop()
	if err != nil {
		return err
	}
	return m.refer(Reference{id})
}

func (m *machine) refer(r Reference) error {
	m.references = append(m.references, r)
	return m.push(r)
}
