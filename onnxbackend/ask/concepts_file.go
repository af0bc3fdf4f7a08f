package ask

import (
	"cmp"
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/onnxbackend"
)

// NameFile adds the concepts of a file: the codes of an ONNX graph, the classes of annotations, or
// the names of vectors. Errors are those of NameCodes, NameRegions and NameVectors, and of reading
// the file in the Memory of ctx.
func (in *Input) NameFile(
	ctx context.Context, file string, data []byte, o onnxbackend.Options,
) error {
	if strings.EqualFold(path.Ext(file), ".onnx") {
		e, err := onnxbackend.OpenCodes(data, o)
		if err != nil {
			return err
		}
		codes, err := e.Encode(ctx, in.Whole)
		if err != nil {
			return err
		}
		return in.NameCodes(codes)
	}
	if annotation.IsText(data) {
		regions, err := annotation.ReadIn(ctx, file, data)
		if err != nil {
			return err
		}
		return in.NameRegions(ctx, regions, nil)
	}
	return in.NameVectors(ctx, file, data)
}

// NameVectors adds the concepts of a file of vectors, see bagio.ReadVectors, or of another file in
// which they are bags, such as a table. Errors are those of NameNearest and of reading the file in
// the Memory of ctx.
func (in *Input) NameVectors(ctx context.Context, file string, data []byte) error {
	limits := bagio.LimitsIn(quota.MemoryOf(ctx))
	switch strings.ToLower(path.Ext(file)) {
	case ".npy", ".npz", ".pt", ".pth", ".safetensors":
		v, err := bagio.ReadVectors(file, data, limits)
		if err != nil {
			return err
		}
		bags := v.Bags()
		return in.NameNearest(ctx, len(bags), func(at int) (*core.Bag, error) {
			return bags[at], nil
		})
	}
	set, err := bagio.Read(file, data, bagio.Options{Limits: limits})
	if err != nil {
		return err
	}
	return in.NameNearest(ctx, set.Len(), func(at int) (*core.Bag, error) {
		return set.BagIn(ctx, at)
	})
}

// ConceptsText returns the text of concepts that GroupsOptions takes, such as gland=3,5-9; ink=4.
// Signs of the text are spaces in names; a name that is then another's gets a number, and an
// empty one is concept.
func ConceptsText(list []whatif.Concept) string {
	var text strings.Builder
	plain := strings.NewReplacer("=", " ", "~", " ", ";", " ")
	taken := map[string]bool{}
	for n, c := range list {
		if n > 0 {
			text.WriteString("; ")
		}
		name := cmp.Or(strings.TrimSpace(plain.Replace(c.Name)), "concept")
		for first, number := name, 2; taken[name]; number++ {
			name = first + " " + strconv.Itoa(number)
		}
		taken[name] = true
		text.WriteString(name + "=")
		for at := 0; at < len(c.Instances); at++ {
			if at > 0 {
				text.WriteString(",")
			}
			first := c.Instances[at]
			text.WriteString(strconv.Itoa(first))
			for at+1 < len(c.Instances) && c.Instances[at+1] == c.Instances[at]+1 {
				at++
			}
			if last := c.Instances[at]; last > first {
				text.WriteString("-" + strconv.Itoa(last))
			}
		}
	}
	return text.String()
}
