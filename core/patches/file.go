package patches

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// File describes the file of the patches, with d features for each; 0 stands for coordinates alone.
// settings are further attributes, such as the encoder. The file can be continued by equal settings
// only.
func (p *Patches) File(d int, settings ...core.Setting) bagio.FeatureFile {
	tissue := []core.Setting{{Name: "tissue", Value: p.Method()}}
	if p.Mask != nil {
		if p.Mask.Threshold > 0 || p.options.Drawn == nil {
			tissue = append(tissue,
				core.Setting{Name: "tissue_threshold", Value: p.Mask.Threshold})
		}
		tissue = append(tissue, core.Setting{Name: "min_tissue", Value: p.options.MinTissue})
	}
	return bagio.FeatureFile{Name: p.Name, Corners: corners(p.Grid.Boxes), Features: d,
		Slide: p.About(), PatchSize: p.Grid.PatchSize, Overlap: p.options.Overlap,
		Microns: p.Microns(), Settings: append(tissue, settings...)}
}

// Method names how the tissue was found, and what is excluded from it. A threshold, if there is
// one, is the end.
func (p *Patches) Method() string {
	without := ""
	if len(p.options.Excluded) > 0 {
		name := func(a *annotation.Area) string { return a.Name }
		without = msg.Sprintf(", without %s", p.options.excluded(name))
	}
	switch {
	case p.options.Places != nil:
		return msg.Sprintf("the places of %s", p.options.PlacesFile)
	case p.options.Drawn != nil:
		return msg.Sprintf("the file %s", p.options.Drawn.Name) + without
	case p.options.WholeSlide:
		return "whole slide" + without
	case p.Mask.By == slide.ByData:
		return "pixels with data" + without
	case p.options.Threshold == 0:
		return p.Mask.By + without + ", Otsu's threshold"
	}
	return p.Mask.By + without + ", given threshold"
}
