package bagio

import (
	"image"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// Places are where the patches of a slide lie, as a file states it.
type Places struct {
	Boxes []image.Rectangle // pixels of level 0, the file's order
	Slide core.Slide        // what the file states of the slide and of patches
	// Guessed is set if nothing states the size of a patch: boxes then have the usual distance
	// between neighbours.
	Guessed bool
	Notes   []string
}

// ReadPlaces reads the places of a file of features, whose features it leaves out, of a file of
// places alone, as CLAM and TRIDENT write them before features, or of a table. Of several bags it
// reads the one with one of some names, which are those of the slide. SlideMPP, CoordsUnit and
// Limits of o count.
//
// It returns the errors of Read, a *FormatError for a file without places or without this slide,
// and a *core.BagError for places in micrometres if nothing states how many a pixel covers.
func ReadPlaces(file string, data []byte, o Options, names ...string) (*Places, error) {
	o = Options{SlideMPP: o.SlideMPP, CoordsUnit: o.CoordsUnit, Limits: o.Limits,
		placesAlone: true}
	set, err := Read(file, data, o)
	if err != nil {
		return nil, err
	}
	at := 0
	if set.Len() > 1 {
		at = slices.IndexFunc(set.Names(), func(s string) bool {
			return slices.Contains(names, s)
		})
	}
	if at < 0 {
		return nil, bad(file, "it has places of %d slides, of which none is called %s", set.Len(),
			msg.List(names))
	}
	bag, err := set.Bag(at)
	if err != nil {
		return nil, err
	}
	if bag.Boxes == nil {
		return nil, bad(file, "it has no places of patches, such as an array coords or columns x "+
			"and y%s", msg.Text(why(set.notes)))
	}
	p := &Places{Boxes: bag.Boxes, Guessed: set.laid != nil && set.laid.guessed}
	for _, note := range set.notes {
		// The caller's slide has no option for the unit, and its encoder states the size.
		note, _, _ = strings.Cut(note, " (coords-unit")
		if !p.Guessed {
			p.Notes = append(p.Notes, note)
		}
	}
	if p.Guessed {
		p.Notes = []string{msg.Sprintf("%s: it does not say how large a patch is; the encoder and "+
			"mpp do", file)}
	}
	if bag.Slide != nil {
		p.Slide = *bag.Slide
	}
	if p.Slide.Unit == core.Microns {
		return nil, &core.BagError{Bag: bag.Name, Reason: "its places are in micrometres; state " +
			"by slide-mpp how many micrometres a pixel of the slide covers"}
	}
	return p, nil
}

// why returns the last note as the end of a sentence: it says which places are not used.
func why(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return "; " + notes[len(notes)-1]
}
