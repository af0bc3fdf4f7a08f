package ask

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/whatif"
)

// groupsWord stands for the largest groups among concepts.
const groupsWord = "groups"

// concepts returns the concepts of a text and of Input.Concepts, with the places of their instances
// in Bag. Instances that were removed are left out. A text has items with semicolons between them:
// NAME=3,5-9 are instances, NAME~3,5 those that the model encodes as these, and groups the largest
// groups.
func (in *Input) concepts(
	ctx context.Context, g *core.Game, text string,
) ([]whatif.Concept, error) {
	var list []whatif.Concept
	var near []int // places in list of items with ~
	for _, c := range in.Concepts {
		list = append(list, whatif.Concept{Name: c.Name, Instances: in.places(c.Instances)})
	}
	for item := range strings.SplitSeq(text, ";") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		if item == groupsWord {
			groups, err := whatif.LargestGroups(ctx, g)
			if err != nil {
				return nil, err
			}
			for n, group := range groups {
				list = append(list, whatif.Concept{Name: "group " + strconv.Itoa(n),
					Instances: group})
			}
			continue
		}
		at := strings.IndexAny(item, "=~")
		if at < 0 {
			return nil, wrong("concepts", "%q must be NAME=INSTANCES, NAME~INSTANCES or %s, such "+
				"as gland=3,5-9", item, groupsWord)
		}
		instances, err := in.listed(item[at+1:])
		if err != nil {
			return nil, err
		}
		if item[at] == '~' {
			near = append(near, len(list))
		}
		list = append(list, whatif.Concept{Name: strings.TrimSpace(item[:at]),
			Instances: in.places(instances)})
	}
	if len(near) == 0 {
		return list, nil
	}
	marked := ListOf(near, func(at int) []int { return list[at].Instances })
	if n := slices.IndexFunc(marked, func(m []int) bool { return len(m) == 0 }); n >= 0 {
		return nil, wrong("concepts", "%q has no marked instance; mark some", list[near[n]].Name)
	}
	found, err := whatif.Nearest(ctx, g, marked)
	for n, instances := range found {
		list[near[n]].Instances = instances
	}
	return list, err
}

// listed returns the instances of a text such as 3,5-9, in ascending order.
func (in *Input) listed(text string) ([]int, error) {
	k := in.Whole.Len()
	held := make([]bool, k)
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		first, err := strconv.Atoi(low)
		last := first
		if isRange && err == nil {
			last, err = strconv.Atoi(high)
		}
		if err != nil || first < 0 || last < first || last >= k {
			return nil, wrong("concepts", "%q is no instance nor a range of them: they have the "+
				"numbers 0 to %d, such as 3 or 5-9", strings.TrimSpace(part), k-1)
		}
		for i := first; i <= last; i++ {
			held[i] = true
		}
	}
	var out []int
	for i, h := range held {
		if h {
			out = append(out, i)
		}
	}
	return out, nil
}

// places returns the places in Bag of ascending instances of the bag of the file that are in it.
func (in *Input) places(instances []int) (out []int) {
	if in.Instances == nil {
		return instances
	}
	for _, i := range instances {
		if at, ok := slices.BinarySearch(in.Instances, i); ok {
			out = append(out, at)
		}
	}
	return out
}

// NameRegions adds a concept for each class of annotations, of some classes or, with nil, of all:
// the instances whose centres are inside. Classes without instances are left out. It returns a
// *core.SettingError for more than whatif.MostConcepts classes, a *core.BagError if the bag has no
// places or no instance is inside, and the cause if ctx ends.
func (in *Input) NameRegions(
	ctx context.Context, regions []geojson.Region, classes []string,
) error {
	if err := geojson.NeedPlaces(in.Whole); err != nil {
		return err
	}
	var held []string
	at := map[string]int{} // places in held
	for _, r := range regions {
		if _, ok := at[r.Class]; !ok && (classes == nil || slices.Contains(classes, r.Class)) {
			at[r.Class] = len(held)
			held = append(held, r.Class)
		}
	}
	if len(held) > whatif.MostConcepts {
		return wrong("annotations", "they have %d classes, and at most %d concepts are compared; "+
			"keep those that you ask about", len(held), whatif.MostConcepts)
	}
	inside := ListOf(held, func(string) []bool { return make([]bool, in.Whole.Len()) })
	for _, r := range regions {
		class, ok := at[r.Class]
		if !ok {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		found, err := geojson.Inside(in.Whole, r)
		if err != nil {
			return err
		}
		for i, is := range found {
			inside[class][i] = inside[class][i] || is
		}
	}
	named := len(in.Concepts)
	for n, class := range held {
		in.name(cmp.Or(class, "unclassified"), func(i int) bool { return inside[n][i] })
	}
	if len(in.Concepts) == named {
		return geojson.NoneInside(in.Whole)
	}
	return nil
}

// NameNearest adds a concept for each of n bags of vectors, with its name: the instances whose
// values are more similar to one of them, by the cosine, than to those of other bags. Vectors may
// be of text or of instances of other bags. It returns a *core.SettingError of vectors for fewer
// than two bags, for vectors of another length and for one of zeros, and the cause if ctx ends.
func (in *Input) NameNearest(
	ctx context.Context, n int, vectors func(at int) (*core.Bag, error),
) error {
	width := in.Whole.Stride()
	if n < 2 || n > whatif.MostConcepts {
		return wrong("vectors", "the file has the vectors of %d names; it takes 2 to %d, such as "+
			"those of tumour and of everything else", n, whatif.MostConcepts)
	}
	nearest, best := make([]int, in.Whole.Len()), make([]float64, in.Whole.Len())
	names := make([]string, n)
	for at := range n {
		of, err := vectors(at)
		if err != nil {
			return err
		}
		if of.Stride() != width {
			return wrong("vectors", "those of %q have %d numbers, and an instance has %d; compute "+
				"both by the same foundation model", of.Name, of.Stride(), width)
		}
		names[at] = of.Name
		for v := range of.Len() {
			if !slices.ContainsFunc(of.Instance(v), func(x float32) bool { return x != 0 }) {
				return wrong("vectors", "%q has a vector of zeros, which has no direction",
					of.Name)
			}
			for i := range nearest {
				if i%1024 == 0 && ctx.Err() != nil {
					return context.Cause(ctx)
				}
				c := cosine(in.Whole.Instance(i), of.Instance(v))
				if at == 0 && v == 0 || c > best[i] {
					nearest[i], best[i] = at, c
				}
			}
		}
	}
	for at, name := range names {
		in.name(name, func(i int) bool { return nearest[i] == at })
	}
	return nil
}

// errNoCode is the error of codes that name no concept of a bag.
var errNoCode = wrong("codes", "no instance has a code above 0, so that the file names no "+
	"concept; use one that was made for such features")

// NameCodes adds a concept for each code of the instances, (instance, code): the instances whose
// code is above 0. It returns a *core.SettingError of codes if there are more than
// whatif.MostConcepts, and if no instance has a code above 0.
func (in *Input) NameCodes(codes *core.Bag) error {
	m := codes.Stride()
	if m > whatif.MostConcepts {
		return wrong("codes", "the file computes %d codes of an instance, and at most %d concepts "+
			"are compared; cut the graph to those that you ask about", m, whatif.MostConcepts)
	}
	named := len(in.Concepts)
	for c := range m {
		in.name("code "+strconv.Itoa(c), func(i int) bool { return codes.Values[i*m+c] > 0 })
	}
	if len(in.Concepts) == named {
		return errNoCode
	}
	return nil
}

// name adds a concept of the instances of the file's bag that have it, unless none has.
func (in *Input) name(name string, has func(i int) bool) {
	var list []int
	for i := range in.Whole.Len() {
		if has(i) {
			list = append(list, i)
		}
	}
	if len(list) > 0 {
		in.Concepts = append(in.Concepts, whatif.Concept{Name: name, Instances: list})
	}
}

// cosine returns the cosine of two vectors, 0 if one of them is 0.
func cosine(a, b []float32) float64 {
	dot, aa, bb := 0.0, 0.0, 0.0
	for i, v := range a {
		x, y := float64(v), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
