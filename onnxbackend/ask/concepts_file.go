package ask

import (
	"cmp"
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/onnxbackend"
)

// NameFile adds the concepts of a file: the codes of an ONNX graph, the classes of annotations, or
// the names of vectors. Errors are those of NameCodes, NameRegions and NameNearest, and of reading
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
	options := bagio.Options{Limits: bagio.LimitsIn(quota.MemoryOf(ctx))}
	if strings.EqualFold(path.Ext(file), ".npz") {
		options.Array = "*"
	}
	set, err := bagio.Read(file, data, options)
	if err != nil {
		return err
	}
	return in.NameNearest(ctx, set)
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
