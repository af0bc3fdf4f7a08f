package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const opStop = '.'

// operations are the opcodes in the order of pickletools. INST, OBJ, EXT1 to EXT4, NEWOBJ_EX and
// the out-of-band buffers of protocol 5 do not occur in tensors and are rejected.
var operations = [256]func(*machine) error{
	'I':  func(m *machine) error { return m.decimal(parseInt) },
	'L':  func(m *machine) error { return m.decimal(parseInt) },
	'F':  func(m *machine) error { return m.decimal(parseFloat) },
	'J':  func(m *machine) error { return m.integer(4, true) },
	'K':  func(m *machine) error { return m.integer(1, false) },
	'M':  func(m *machine) error { return m.integer(2, false) },
	0x8a: func(m *machine) error { return m.long(1) },
	0x8b: func(m *machine) error { return m.long(4) },
	'G':  (*machine).float,

	'S':  (*machine).quoted,
	'T':  func(m *machine) error { return m.text(4) },
	'U':  func(m *machine) error { return m.text(1) },
	'V':  (*machine).unicodeLine,
	'X':  func(m *machine) error { return m.text(4) },
	0x8c: func(m *machine) error { return m.text(1) },
	0x8d: func(m *machine) error { return m.text(8) },
	'B':  func(m *machine) error { return m.bytes(4) },
	'C':  func(m *machine) error { return m.bytes(1) },
	0x8e: func(m *machine) error { return m.bytes(8) },
	0x96: func(m *machine) error { return m.bytes(8) },

	'N':  func(m *machine) error { return m.push(nil) },
	0x88: func(m *machine) error { return m.push(true) },
	0x89: func(m *machine) error { return m.push(false) },

	']':  func(m *machine) error { return m.push(&List{}) },
	0x8f: func(m *machine) error { return m.push(&List{}) },
	'}':  func(m *machine) error { return m.push(&Dict{}) },
	')':  func(m *machine) error { return m.push(Tuple{}) },
	'l':  func(m *machine) error { return m.marked(func(v Tuple) any { return &List{v} }) },
	0x91: func(m *machine) error { return m.marked(func(v Tuple) any { return &List{v} }) },
	't':  func(m *machine) error { return m.marked(func(v Tuple) any { return v }) },
	'd':  (*machine).dict,
	0x85: func(m *machine) error { return m.tuple(1) },
	0x86: func(m *machine) error { return m.tuple(2) },
	0x87: func(m *machine) error { return m.tuple(3) },
	'a':  func(m *machine) error { return m.last(1, (*machine).add) },
	's':  func(m *machine) error { return m.last(2, (*machine).set) },
	'e':  func(m *machine) error { return m.sinceMark((*machine).add) },
	0x90: func(m *machine) error { return m.sinceMark((*machine).add) },
	'u':  func(m *machine) error { return m.sinceMark((*machine).set) },

	'(': func(m *machine) error { m.marks = append(m.marks, len(m.stack)); return nil },
	'0': func(m *machine) error { _, err := m.pop(); return err },
	'1': func(m *machine) error { _, err := m.popMark(); return err },
	'2': (*machine).duplicate,

	'g':  func(m *machine) error { return m.decimal(m.recall) },
	'h':  func(m *machine) error { return m.get(1) },
	'j':  func(m *machine) error { return m.get(4) },
	'p':  (*machine).putLine,
	'q':  func(m *machine) error { return m.put(1) },
	'r':  func(m *machine) error { return m.put(4) },
	0x94: func(m *machine) error { return m.remember(uint64(len(m.memo))) },

	'c':  (*machine).globalLines,
	0x93: (*machine).global,
	'R':  (*machine).call,
	0x81: (*machine).call, // NEWOBJ makes an object of a class as REDUCE calls a function
	'b':  (*machine).build,
	'P':  (*machine).referenceLine,
	'Q':  (*machine).reference,

	0x80: func(m *machine) error { _, err := m.take(1); return err }, // PROTO
	0x95: func(m *machine) error { _, err := m.take(8); return err }, // FRAME
}

// decimal pushes a value that is written as a line of text.
func (m *machine) decimal(parse func(string) (any, error)) error {
	text, err := m.line()
	if err != nil {
		return err
	}
	v, err := parse(text)
	if err != nil {
		return m.fail("%q is not a value of its opcode", text)
	}
	return m.push(v)
}

// maxDigits bounds the digits of an integer in decimal, whose conversion takes more than linear
// time.
const maxDigits = 1000

// parseInt parses INT and LONG. INT writes a bool as 00 or 01.
func parseInt(text string) (any, error) {
	switch text {
	case "00":
		return false, nil
	case "01":
		return true, nil
	}
	text = strings.TrimSuffix(text, "L")
	v, err := strconv.ParseInt(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) && len(text) <= maxDigits {
		large, _ := new(big.Int).SetString(text, 10)
		return large, nil
	}
	return v, err
}

func parseFloat(text string) (any, error) { return strconv.ParseFloat(text, 64) }

func (m *machine) integer(size uint64, signed bool) error {
	v, err := m.number(size)
	if err != nil {
		return err
	}
	if signed {
		return m.push(int64(int32(v)))
	}
	return m.push(int64(v))
}

// long pushes an integer in two's complement whose length stands before it. The magic number of
// PyTorch's legacy files has more than eight bytes.
func (m *machine) long(size uint64) error {
	n, err := m.number(size)
	if err != nil {
		return err
	}
	b, err := m.take(n)
	if err != nil {
		return err
	}
	if n > 8 {
		large := bytes.Clone(b)
		slices.Reverse(large)
		v := new(big.Int).SetBytes(large)
		if large[0]&0x80 != 0 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), 8*uint(n)))
		}
		return m.push(v)
	}
	v := int64(0)
	for i, x := range b {
		v |= int64(x) << (8 * i)
	}
	if n > 0 && n < 8 && b[n-1]&0x80 != 0 {
		v -= 1 << (8 * n)
	}
	return m.push(v)
}

func (m *machine) float() error {
	b, err := m.take(8)
	if err != nil {
		return err
	}
	return m.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
}

// quoted pushes the text of STRING, which stands in quotes. Escapes do not occur in tensors.
func (m *machine) quoted() error {
	return m.decimal(func(text string) (any, error) {
		inner, ok := strings.CutPrefix(text, text[:min(1, len(text))])
		if !ok || len(inner) == 0 || inner[len(inner)-1] != text[0] ||
			strings.ContainsRune(inner, '\\') {
			return nil, strconv.ErrSyntax
		}
		return inner[:len(inner)-1], nil
	})
}

// unicodeLine pushes the text of UNICODE: Latin-1 with the escapes \u and \U, which 4 and 8
// hexadecimal digits follow. Python also writes a backslash and a newline as such an escape.
func (m *machine) unicodeLine() error {
	return m.decimal(func(line string) (any, error) {
		var text strings.Builder
		for i := 0; i < len(line); i++ {
			digits := map[string]int{`\u`: 4, `\U`: 8}[line[i:min(i+2, len(line))]]
			if digits == 0 {
				text.WriteRune(rune(line[i]))
				continue
			}
			code, err := strconv.ParseUint(line[i+2:min(i+2+digits, len(line))], 16, 32)
			if err != nil {
				return nil, err
			}
			text.WriteRune(rune(code))
			i += 1 + digits
		}
		return text.String(), nil
	})
}

func (m *machine) text(size uint64) error {
	b, err := m.sized(size)
	if err != nil {
		return err
	}
	if !utf8.Valid(b) {
		return m.fail("a text is not valid UTF-8")
	}
	return m.push(string(b))
}

func (m *machine) bytes(size uint64) error {
	b, err := m.sized(size)
	if err != nil {
		return err
	}
	return m.push(b)
}

// sized returns bytes whose number stands before them, in size bytes.
func (m *machine) sized(size uint64) ([]byte, error) {
	n, err := m.number(size)
	if err != nil {
		return nil, err
	}
	return m.take(n)
}
