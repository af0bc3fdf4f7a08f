package bagio

import (
	"archive/zip"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// WriteSet writes bags with the same instance shape as an .npz bag set, which Read reads. Equal
// bags give equal bytes. Instances of raw bags are written as unsigned bytes, others as float32.
// Missing instance labels are written as -1, unknown, and relations as edges. WriteSet returns a
// *core.BagError for the first bag that does not fit the format or the bags before it: a different
// shape or field Raw, a raw pixel that is not an integer from 0 to 255, several classes, or a class
// or boxes that only some bags have.
func WriteSet(w io.Writer, bags ...*core.Bag) error {
	if err := checkSameFormat(bags); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, m := range members(bags) {
		f, err := z.Create(m.name + ".npy")
		if err != nil {
			return err
		}
		if err := m.write(f); err != nil {
			return err
		}
	}
	return z.Close()
}

// A member is an array to be written to an archive.
type member struct {
	name  string
	write func(io.Writer) error
}

// ints returns the member that holds integers in the given shape.
func ints(name string, values []int64, shape ...int) member {
	return member{name, func(w io.Writer) error { return WriteNpy(w, shape, values) }}
}

// members returns the arrays of a bag set. The bags must pass checkSameFormat.
func members(bags []*core.Bag) []member {
	offsets := []int64{0}
	var names, instances []string
	var classes, labels, boxes []int64
	labelled := slices.ContainsFunc(bags, func(b *core.Bag) bool { return b.Labels != nil })
	for _, b := range bags {
		offsets = append(offsets, offsets[len(offsets)-1]+int64(b.Len()))
		names, instances = append(names, b.Name), append(instances, b.InstanceNames...)
		classes = appendInts(classes, b.Class...)
		for _, r := range b.Boxes {
			boxes = appendInts(boxes, r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
		}
		if labelled && b.Labels == nil {
			labels = append(labels, slices.Repeat([]int64{-1}, b.Len())...)
		}
		labels = appendInts(labels, b.Labels...)
	}
	n := int(offsets[len(bags)])
	out := []member{{"instances", instanceWriter(bags, n)}, ints("offsets", offsets, len(offsets))}
	if classes != nil {
		out = append(out, ints("labels", classes, len(bags)))
	}
	if labelled {
		out = append(out, ints("instance_labels", labels, n))
	}
	if boxes != nil {
		out = append(out, ints("boxes", boxes, n, 4))
	}
	if !slices.ContainsFunc(bags, func(b *core.Bag) bool { return b.InstanceNames == nil }) {
		out = append(out, wordMember(instanceNameList, instances))
	}
	if names := bags[0].FeatureNames; names != nil {
		out = append(out, wordMember(featureNameList, names))
	}
	if slices.ContainsFunc(bags, func(b *core.Bag) bool { return b.Relations != nil }) {
		out = append(out, relationMembers(bags)...)
	}
	return append(out, wordMember("names", names))
}

// wordMember returns the member that holds texts.
func wordMember(name string, texts []string) member {
	return member{name, func(w io.Writer) error { return writeWords(w, texts) }}
}

// relationMembers returns the edges of all bags, whose numbers count the instances of all bags.
func relationMembers(bags []*core.Bag) []member {
	var from, to []int64
	var weights []float32
	first := 0
	for _, b := range bags {
		if b.Relations != nil {
			all := make([]int, b.Len())
			for i := range all {
				all[i] = i
			}
			for _, e := range b.Relations.AppendEdges(nil, b.Len(), all) {
				from = append(from, int64(first)+int64(e.From))
				to = append(to, int64(first)+int64(e.To))
				weights = append(weights, e.Weight)
			}
		}
		first += b.Len()
	}
	return []member{ints("edge_index", append(from, to...), 2, len(weights)),
		{"edge_weight", func(w io.Writer) error {
			return WriteNpy(w, []int{len(weights)}, weights)
		}}}
}

// appendInts appends integers to a list of the type that .npy files hold on every machine.
func appendInts(list []int64, values ...int) []int64 {
	for _, v := range values {
		list = append(list, int64(v))
	}
	return list
}

// instanceWriter returns the function that writes the n instances of all bags: bytes for raw
// pixels, else float32.
func instanceWriter(bags []*core.Bag, n int) func(io.Writer) error {
	shape := append([]int{n}, bags[0].Shape...)
	return func(w io.Writer) error {
		var values []float32
		for _, b := range bags {
			values = append(values, b.Values...)
		}
		if !bags[0].Raw {
			return WriteNpy(w, shape, values)
		}
		pixels := make([]uint8, len(values))
		for i, v := range values {
			pixels[i] = uint8(v)
		}
		return WriteNpy(w, shape, pixels)
	}
}

// checkSameFormat is called before anything is written, so that an error leaves no partial file. It
// returns a *core.BagError for the first bag that cannot be in one set with the
// first one.
func checkSameFormat(bags []*core.Bag) error {
	if len(bags) == 0 {
		return &core.BagError{Reason: "a bag set needs at least one bag"}
	}
	first := bags[0]
	for _, b := range bags {
		fault := func(format string, args ...any) error {
			return &core.BagError{Bag: b.Name, Reason: msg.Sprintf(format, args...)}
		}
		if err := b.Validate(); err != nil {
			return err
		}
		switch {
		case len(b.Shape) == 0:
			return fault("its instances are single numbers; give them the shape [1]")
		case !utf8.ValidString(b.Name):
			return fault("its name is not valid text")
		case !slices.Equal(b.Shape, first.Shape):
			return fault("its instances have shape %v, but those of bag %q have %v", b.Shape,
				first.Name, first.Shape)
		case b.Raw != first.Raw:
			return fault("one set cannot hold both raw pixels and other values")
		case len(b.Class) > 1:
			return fault("it has %d classes, but a bag set holds one class for each bag",
				len(b.Class))
		case len(b.Class) != len(first.Class):
			return fault("either all bags of a set have a class, or none")
		case (b.Boxes == nil) != (first.Boxes == nil):
			return fault("either all bags of a set have boxes, or none")
		}
		for i, v := range b.Values {
			if v-v != 0 {
				return fault("value %d is %v", i, v)
			}
			if b.Raw && v != float32(uint8(max(0, min(v, 255)))) {
				return fault("value %d is %v, but raw pixels are whole numbers from 0 to 255", i, v)
			}
		}
	}
	return nil
}
