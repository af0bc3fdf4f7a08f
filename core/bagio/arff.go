package bagio

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// An arffAttribute is an attribute of Weka: numbers, one of some values, a text, or a relation of
// further attributes.
type arffAttribute struct {
	name    string
	kind    string   // "numeric", "nominal", "string", "relational" or "date"
	values  []string // the words of nominal attributes
	members []arffAttribute
}

// An arffFile holds the bags of a file of Weka's multi-instance form.
type arffFile struct {
	file       string
	limits     Limits
	attributes []arffAttribute
	bag        int // the relational attribute
	id, class  int // or -1

	names   []string
	sizes   []int
	classes []int
	values  []float32
}

// setFromARFF reads the relational form of Weka's ARFF: an id, the instances of a bag as a text of
// lines, and the class, which is its place among the values of a nominal attribute:
//
//	@relation musk
//	@attribute molecule {m1,m2}
//	@attribute bag relational
//	  @attribute f1 numeric
//	  @attribute f2 numeric
//	@end bag
//	@attribute class {0,1}
//	@data
//	m1,"0.5,1\n-2,3",1
func setFromARFF(file string, data []byte, o Options) (*Set, error) {
	f := &arffFile{file: file, limits: o.Limits.withDefaults()}
	if err := f.limits.lines(file, data); err != nil {
		return nil, err
	}
	row, inData := 0, false
	var open []arffAttribute // relations that have begun
	for raw := range bytes.Lines(data) {
		row++
		line := strings.TrimSpace(string(raw))
		if line == "" || line[0] == '%' {
			continue
		}
		var err error
		switch word, rest, _ := cutWord(line); {
		case inData:
			err = f.add(row, line)
		case strings.EqualFold(word, "@attribute"):
			open, err = f.declare(row, rest, open)
		case strings.EqualFold(word, "@end"):
			open, err = f.end(row, open)
		case strings.EqualFold(word, "@data"):
			inData = true
			err = f.begin(row, open)
		case !strings.EqualFold(word, "@relation"):
			err = f.wrong(row, "%q is no line of a header", line)
		}
		if err != nil {
			return nil, err
		}
	}
	return f.set(o)
}

// cutWord returns the first word of a line and what follows it.
func cutWord(line string) (word, rest string, found bool) {
	at := strings.IndexAny(line, " \t")
	if at < 0 {
		return line, "", false
	}
	return line[:at], strings.TrimSpace(line[at:]), true
}

func (f *arffFile) wrong(row int, format string, args ...any) error {
	return &FormatError{File: f.file, Row: row, Reason: msg.Sprintf(format, args...)}
}

// attributeBytes is what an attribute takes, at most, beside its text.
const attributeBytes = 256

// declare adds an attribute to the file or to the innermost relation.
func (f *arffFile) declare(row int, text string, open []arffAttribute) ([]arffAttribute, error) {
	if err := f.limits.reserve(f.file, attributeBytes+32*int64(len(text))); err != nil {
		return nil, err
	}
	name, rest, _ := cutWord(text)
	if quote := text; quote != "" && (quote[0] == '\'' || quote[0] == '"') {
		end := strings.IndexByte(quote[1:], quote[0])
		if end < 0 {
			return nil, f.wrong(row, "the name of an attribute has no end")
		}
		name, rest = quote[1:end+1], strings.TrimSpace(quote[end+2:])
	}
	a := arffAttribute{name: name}
	kind, _, _ := cutWord(rest)
	switch kind = strings.ToLower(kind); {
	case strings.HasPrefix(rest, "{") && strings.HasSuffix(rest, "}"):
		values, err := arffCells(rest[1 : len(rest)-1])
		if err != nil {
			return nil, f.wrong(row, "attribute %s: %v", name, err)
		}
		a.kind, a.values = "nominal", values
	case kind == "numeric" || kind == "real" || kind == "integer":
		a.kind = "numeric"
	case kind == "string" || kind == "date":
		a.kind = kind
	case kind == "relational":
		a.kind = kind
		if len(open) > 0 {
			return nil, f.wrong(row, "a relation in a relation is not a bag")
		}
		return append(open, a), nil
	default:
		return nil, f.wrong(row, "attribute %s has the type %q, which is not known", name, rest)
	}
	if len(open) > 0 {
		last := &open[len(open)-1]
		last.members = append(last.members, a)
	} else {
		f.attributes = append(f.attributes, a)
	}
	return open, nil
}

// end ends the innermost relation.
func (f *arffFile) end(row int, open []arffAttribute) ([]arffAttribute, error) {
	if len(open) == 0 {
		return nil, f.wrong(row, "a relation ends that has not begun")
	}
	f.attributes = append(f.attributes, open[len(open)-1])
	return open[:len(open)-1], nil
}

// begin finds what attributes are: one relation of numbers, an id before it and a class behind it.
func (f *arffFile) begin(row int, open []arffAttribute) error {
	if len(open) > 0 {
		return f.wrong(row, "the relation %s has no end", open[0].name)
	}
	relational := func(a arffAttribute) bool { return a.kind == "relational" }
	f.bag, f.id, f.class = slices.IndexFunc(f.attributes, relational), -1, -1
	if f.bag < 0 {
		return f.wrong(row, "the ARFF file has no relational attribute, whose instances are a "+
			"bag; Weka saves other files as CSV, which is read")
	}
	if slices.ContainsFunc(f.attributes[f.bag+1:], relational) {
		return f.wrong(row, "it has several relational attributes, and a bag is one")
	}
	for _, a := range f.attributes[f.bag].members {
		if a.kind != "numeric" {
			return f.wrong(row, "attribute %s of %s is %s, and features are numbers; Weka's "+
				"filter NominalToBinary makes numbers of it, or Remove omits it", a.name,
				f.attributes[f.bag].name, a.kind)
		}
	}
	if len(f.attributes[f.bag].members) == 0 {
		return f.wrong(row, "the relation %s has no attributes", f.attributes[f.bag].name)
	}
	if f.bag > 0 {
		f.id = f.bag - 1
	}
	if last := len(f.attributes) - 1; last > f.bag {
		f.class = last
	}
	return nil
}

// add adds a line of data.
func (f *arffFile) add(row int, line string) error {
	if line[0] == '{' {
		return f.wrong(row, "it is sparse; Weka's filter SparseToNonSparse writes all values")
	}
	// A number takes two bytes of the line, four as a float32, and lists grow to twice their
	// length.
	if err := f.limits.reserve(f.file, 4*int64(len(line))+64); err != nil {
		return err
	}
	cells, err := arffCells(line)
	if err != nil {
		return f.wrong(row, "%v", err)
	}
	if len(cells) != len(f.attributes) {
		return f.wrong(row, "the row has %d values, but there are %d attributes", len(cells),
			len(f.attributes))
	}
	if err := f.limits.bags(f.file, int64(len(f.names)+1)); err != nil {
		return err
	}
	name := strconv.Itoa(len(f.names))
	if f.id >= 0 {
		name = cells[f.id]
	}
	if len(name) > maxID {
		return f.wrong(row, "the id of a bag has %d bytes, but at most %d are allowed; use "+
			"shorter ids", len(name), maxID)
	}
	f.names = append(f.names, name)
	if f.class >= 0 {
		class, err := f.classOf(cells[f.class])
		if err != nil {
			return f.wrong(row, "%v", err)
		}
		f.classes = append(f.classes, class)
	}
	return f.addInstances(row, cells[f.bag])
}

// classOf returns the class of a cell.
func (f *arffFile) classOf(cell string) (int, error) {
	a := f.attributes[f.class]
	if a.kind == "nominal" {
		if at := slices.Index(a.values, cell); at >= 0 {
			return at, nil
		}
		return 0, msg.Errorf("%q is none of the values of %s", cell, a.name)
	}
	v, err := strconv.Atoi(cell)
	if err != nil || v < 0 {
		return 0, msg.Errorf("%s is %q, and a class is a whole number of at least 0", a.name, cell)
	}
	return v, nil
}

// addInstances adds the lines of a bag.
func (f *arffFile) addInstances(row int, text string) error {
	width, n := len(f.attributes[f.bag].members), 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		before := len(f.values)
		for cell := range strings.SplitSeq(line, ",") {
			cell = strings.TrimSpace(cell)
			v, err := strconv.ParseFloat(cell, 32)
			if err != nil || v-v != 0 {
				return f.wrong(row, "instance %d of the bag: %s", n,
					msg.Text(numberFault(cell, v, err)))
			}
			f.values = append(f.values, float32(v))
		}
		if got := len(f.values) - before; got != width {
			return f.wrong(row, "instance %d of the bag has %d values, but there are %d attributes",
				n, got, width)
		}
		n++
	}
	f.sizes = append(f.sizes, n)
	return f.limits.instances(f.file, int64(len(f.values)/width))
}

// arffCells returns the values between commas, without quotes and escapes.
func arffCells(line string) ([]string, error) {
	var cells []string
	var cell strings.Builder
	quote, quoted := byte(0), false
	end := func() {
		text := cell.String()
		if !quoted {
			text = strings.TrimSpace(text)
		}
		cells, quoted = append(cells, text), false
		cell.Reset()
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\' && i+1 < len(line):
			i++
			cell.WriteByte(unescaped(line[i]))
		case c == quote:
			quote = 0
		case quote != 0:
			cell.WriteByte(c)
		case (c == '"' || c == '\'') && strings.TrimSpace(cell.String()) == "" && !quoted:
			cell.Reset()
			quote, quoted = c, true
		case c == ',':
			end()
		case quoted && (c == ' ' || c == '\t'): // behind a quoted value
		default:
			cell.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, msg.Errorf("a value in quotes has no end")
	}
	end()
	return cells, nil
}

// unescaped returns what a character behind a backslash stands for.
func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// set returns the bags.
func (f *arffFile) set(o Options) (*Set, error) {
	if len(f.names) == 0 {
		return nil, bad(f.file, "it has no data")
	}
	width := len(f.attributes[f.bag].members)
	shape := []int{len(f.values) / width, width}
	if _, err := f.limits.elements(f.file, shape); err != nil {
		return nil, err
	}
	s, err := severalBags(f.file, arrayOf(f.file, shape, f.values), f.sizes, o)
	if err != nil {
		return nil, err
	}
	s.names = f.names
	said := msg.Sprintf("%s: %d bags of %d features", f.file, s.Len(), width)
	if f.class >= 0 {
		a := f.attributes[f.class]
		c := &instanceColumn{name: a.name, texts: a.values}
		legend, err := c.classify(f.file, f.classes, o)
		if err != nil {
			return nil, err
		}
		s.classes = f.classes
		said += msg.Sprintf(", labels are %s%s", a.name, msg.Text(legend))
	}
	s.notes = append(s.notes, msg.Sprintf("%s.", msg.Text(said)))
	return s, nil
}
