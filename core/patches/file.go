package patches

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// File describes the file of the patches, with d features for each; 0 stands for coordinates alone.
// settings are further attributes, such as the encoder. The file can be continued by equal settings
// only.
func (p *Patches) File(d int, settings ...core.Setting) bagio.FeatureFile {
	tissue := []core.Setting{{Name: "tissue", Value: p.Method()}}
	if p.Mask != nil {
		tissue = append(tissue, core.Setting{Name: "tissue_threshold", Value: p.Mask.Threshold},
			core.Setting{Name: "min_tissue", Value: p.options.MinTissue})
	}
	return bagio.FeatureFile{Name: p.Name, Corners: corners(p.Grid.Boxes), Features: d,
		Slide: p.About(), PatchSize: p.Grid.PatchSize, Overlap: p.options.Overlap,
		Microns: p.Microns(), Settings: append(tissue, settings...)}
}

// Method names how the tissue was found.
func (p *Patches) Method() string {
	switch {
	case p.Mask == nil:
		return "whole slide"
	case p.options.Threshold == 0:
		return "saturation, Otsu's threshold"
	}
	return "saturation, given threshold"
}
