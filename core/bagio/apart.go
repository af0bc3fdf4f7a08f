package bagio

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/valyala/fastjson"
)

// PlacesBeside returns the names of the files that hold the places of features, where tools write
// them apart: slideflow NAME.index.npz beside NAME.pt, and bags_config.json with the size of tiles;
// TIAToolbox 1 NAME.position.npy beside NAME.features.0.npy, torchmil coords/NAME.npy beside
// features/NAME.npy or features_ENCODER/NAME.npy. It returns nil for another name. [ReadPlaced]
// reads them together; only the first is required.
func PlacesBeside(name string) []string {
	folder, base := path.Split(strings.ReplaceAll(name, `\`, "/"))
	if stem, ok := strings.CutSuffix(base, ".pt"); ok {
		return []string{folder + stem + ".index.npz", folder + slideflowConfig}
	}
	if at := strings.LastIndex(base, ".features."); at > 0 && strings.HasSuffix(base, ".npy") {
		return []string{folder + base[:at] + ".position.npy"}
	}
	if bags := bagsOf(folder); bags != "" && strings.HasSuffix(base, ".npy") {
		return []string{bags + "coords/" + base}
	}
	return nil
}

// bagsOf returns the folder of torchmil that holds a folder of features, with its slash: FOLDER of
// FOLDER/features, FOLDER/features_ENCODER and FOLDER/features/features_ENCODER; or "".
func bagsOf(features string) string {
	parent, name := path.Split(strings.TrimSuffix(features, "/"))
	if name != "features" && !strings.HasPrefix(name, "features_") {
		return ""
	}
	if above, ok := strings.CutSuffix(parent, "features/"); ok &&
		(above == "" || strings.HasSuffix(above, "/")) {
		parent = above
	}
	return cmp.Or(parent, "./")
}

const slideflowConfig = "bags_config.json"

// A parted is a file of features with those that hold its places.
type parted struct {
	features, places File
	config           *File // slideflow's configuration, or nil
}

// ReadPlaced reads a file of features with those that hold its places, in the order of
// [PlacesBeside]. Without places it is [File]'s bag alone. It returns the errors of [Read].
func ReadPlaced(features File, places []File, o Options) (*Set, error) {
	if len(places) == 0 {
		return ReadFiles([]File{features}, o)
	}
	a := &parted{features: features, places: places[0]}
	if len(places) > 1 {
		a.config = &places[1]
	}
	return plausible(a.read(o))
}

// findParted returns the features among files whose places are among them, too, or nil.
func findParted(files []File) *parted {
	find := func(name string, beside File) *File {
		i := slices.IndexFunc(files, func(f File) bool {
			return f.Name == name || baseOf(f.Name) == baseOf(name) &&
				baseOf(name) != baseOf(beside.Name) // those of torchmil differ by their folders
		})
		if i < 0 {
			return nil
		}
		return &files[i]
	}
	for _, f := range files {
		names := PlacesBeside(f.Name)
		if len(names) == 0 || find(names[0], f) == nil {
			continue
		}
		a := &parted{features: f, places: *find(names[0], f)}
		if len(names) > 1 {
			a.config = find(names[1], f)
		}
		return a
	}
	return nil
}

// baseOf returns a file's name without folders.
func baseOf(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }

// read returns the bag of the features with its places.
func (a *parted) read(o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	s, err := a.features.read(o)
	if err != nil {
		return nil, err
	}
	array, err := readPlaces(a.places, l)
	if err != nil {
		return nil, err
	}
	p, err := placesOf(a.places.Name, array, s.array.Len())
	if err != nil {
		return nil, err
	}
	g := groundOf(attributes{}, "")
	if strings.HasSuffix(a.places.Name, ".npz") {
		if g, err = a.slideflow(l); err != nil {
			return nil, err
		}
	}
	missing := noPlacesNote(a.features.Name)
	s.notes = slices.DeleteFunc(s.notes, func(note string) bool { return note == missing })
	return s, s.place(p, g)
}

// readPlaces returns the array of a .npy file, or the one of an .npz file that holds places.
func readPlaces(f File, l Limits) (*Array, error) {
	f, err := f.held(l)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(f.Name, ".npz") {
		return ReadNpy(f.Name, f.Data, l)
	}
	archive, err := openArchive(inMemory(f.Name, f.Data), l)
	if err != nil {
		return nil, err
	}
	array, err := archive.array("arr_0")
	if array == nil && err == nil {
		err = bad(f.Name, "it has no array arr_0, in which slideflow keeps places (it holds %s)",
			orNothing(archive.order))
	}
	return array, err
}

// slideflow returns what slideflow states: the middles of tiles in pixels of level 0, and their
// size if it is in micrometres; a magnification such as 20x is not used.
func (a *parted) slideflow(l Limits) (ground, error) {
	stated := attributes{}
	if a.config != nil {
		f, err := a.config.held(l)
		if err != nil {
			return ground{}, err
		}
		config, err := fastjson.ParseBytes(f.Data)
		if err != nil {
			return ground{}, bad(f.Name, "it is not JSON: %v", err)
		}
		if um := config.GetFloat64("tile_um"); um > 0 {
			stated["tile_um"] = um
		}
	}
	g := groundOf(stated, "")
	g.middle, g.stated = true, "slideflow"
	return g, nil
}
