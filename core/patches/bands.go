package patches

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// checkBands returns an error if the slide has other bands than the encoder takes: a
// *core.BagError, because its file does not fit.
func (o Options) checkBands(name string, s *slide.Slide) error {
	switch bands := len(s.Bands()); {
	case bands > 0 && o.Channels > 0 && bands != o.Channels:
		return &core.BagError{Bag: name, Reason: msg.Sprintf("its file has %d bands and the "+
			"encoder takes %d channels; state which bands they are in the model card, such as "+
			"\"bands\": {\"use\": [4, 3, 2]}", bands, o.Channels)}
	case bands == 0 && (o.Channels > 3 || o.Channels == 2):
		return &core.BagError{Bag: name, Reason: msg.Sprintf("its file has colours and the "+
			"encoder takes %d channels; use a TIFF file of bands", o.Channels)}
	}
	return nil
}

// readBands reads the numbers of the bands of a patch. Those that are missing are replaced.
func (p *Patches) readBands(dst []float32, patch int) error {
	values, err := p.Grid.Values(patch)
	if err != nil {
		return err
	}
	each := len(values) / p.options.Channels
	for i, v := range values {
		if v != v {
			v = 0
			if p.options.Missing != nil {
				v = p.options.Missing[i/each]
			}
		}
		dst[i] = v
	}
	return nil
}
