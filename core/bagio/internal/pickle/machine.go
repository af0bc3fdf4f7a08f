package pickle

import "github.com/bagscope/bagscope/internal/msg"

// A Pickle is what a pickle holds.
type Pickle struct {
	Value      any
	Size       int         // bytes up to its end
	References []Reference // all that occur in it, in the order of the pickle
}

// Limits of a pickle. A value takes at most Share bytes for each byte of its pickle.
const (
	MaxBytes  = 1 << 22 // size of one pickle
	maxValues = 1 << 18 // values on the stack, values in the memo, and open marks
)

// An Error reports why a pickle is refused.
type Error struct {
	Offset int // bytes from the pickle's start
	Reason string
}

func (e *Error) Error() string { return msg.Cut(e.Reason) }

// Share is how many bytes the values and the stack take for each byte of their pickle, at most.
const Share = 100

// Block is the number of bytes of a pickle for whose values Read reserves memory at a time.
const Block = 1 << 9

// Read returns the first pickle in data. Values share no memory with data except []byte. Before it
// reads each Block it calls reserve with the bytes that the values of the block may take, and
// returns its error. Other errors are an *Error: the pickle is damaged, too large, or contains an
// opcode that this reader does not support.
func Read(data []byte, reserve func(bytes int) error) (*Pickle, error) {
	m := &machine{data: data[:min(len(data), MaxBytes)], memo: map[uint64]any{}}
	reserved := 0 // bytes of the pickle
	for {
		m.opcode = m.at
		for ; reserved <= m.at; reserved += Block {
			if err := reserve(Share * Block); err != nil {
				return nil, err
			}
		}
		op, err := m.take(1)
		if err != nil {
			return nil, err
		}
		if op[0] == opStop {
			value, err := m.pop()
			return &Pickle{value, m.at, m.references}, err
		}
		run := operations[op[0]]
		if run == nil {
			return nil, m.fail("opcode 0x%02x is not supported", op[0])
		}
		if err := run(m); err != nil {
			return nil, err
		}
		if max(len(m.stack), len(m.memo), len(m.marks), len(m.references)) > maxValues {
			return nil, m.fail("it has more than %d values", maxValues)
		}
	}
}

// A machine runs one pickle.
type machine struct {
	data   []byte
	at     int // the next byte
	opcode int // the offset of the current opcode, for errors
	stack  []any
	marks  []int // lengths of the stack at open MARK opcodes
	memo   map[uint64]any

	references []Reference
}

func (m *machine) fail(format string, args ...any) error {
	return &Error{m.opcode, msg.Sprintf(format, args...)}
}

// take returns the next n bytes.
func (m *machine) take(n uint64) ([]byte, error) {
	if n > uint64(len(m.data)-m.at) {
		if len(m.data) == MaxBytes {
			return nil, m.fail("the pickle is larger than %d bytes", MaxBytes)
		}
		return nil, m.fail("the pickle ends within a value")
	}
	b := m.data[m.at:][:n]
	m.at += int(n)
	return b, nil
}

// line returns the text up to the next newline, which it skips.
func (m *machine) line() (string, error) {
	for i, b := range m.data[m.at:] {
		if b == '\n' {
			text := string(m.data[m.at:][:i])
			m.at += i + 1
			return text, nil
		}
	}
	return "", m.fail("the pickle ends within a line")
}

// number reads a little-endian unsigned integer of n <= 8 bytes.
func (m *machine) number(n uint64) (uint64, error) {
	b, err := m.take(n)
	if err != nil {
		return 0, err
	}
	v := uint64(0)
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v, nil
}

func (m *machine) push(v any) error {
	m.stack = append(m.stack, v)
	return nil
}

// floor returns the number of values below the last open MARK, which belong to an outer value.
func (m *machine) floor() int {
	if n := len(m.marks); n > 0 {
		return m.marks[n-1]
	}
	return 0
}

func (m *machine) pop() (any, error) {
	n := len(m.stack) - 1
	if n < m.floor() {
		return nil, m.fail("an opcode needs a value where the stack has none")
	}
	v := m.stack[n]
	m.stack = m.stack[:n]
	return v, nil
}

// popN returns the last n values as a tuple.
func (m *machine) popN(n int) (Tuple, error) {
	from := len(m.stack) - n
	if from < m.floor() {
		return nil, m.fail("an opcode needs %d values where the stack has fewer", n)
	}
	values := append(Tuple{}, m.stack[from:]...)
	m.stack = m.stack[:from]
	return values, nil
}

// popMark returns the values after the last MARK, which it closes.
func (m *machine) popMark() (Tuple, error) {
	n := len(m.marks) - 1
	if n < 0 {
		return nil, m.fail("an opcode needs a MARK where none is open")
	}
	values := append(Tuple{}, m.stack[m.marks[n]:]...)
	m.stack, m.marks = m.stack[:m.marks[n]], m.marks[:n]
	return values, nil
}

// top returns the last value, which stays.
func (m *machine) top() (any, error) {
	v, err := m.pop()
	if err != nil {
		return nil, err
	}
	return v, m.push(v)
}
