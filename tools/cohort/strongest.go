package cohort

import (
	"cmp"
	"context"
	"image"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/draw/glyphs"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// A board holds the strongest patches of the bags of a model so far: as many as are written, and
// not those of all bags.
type board struct {
	model   place // a line of the model
	classes []string
	tiles   [][]draw.Tile // (class) Tile.Bag is the line of the manifest
	patches map[tileKey]patch
}

// A tileKey identifies a patch.
type tileKey struct{ line, instance int }

// A patch is where a tile is from.
type patch struct {
	draw.Patch
	microns bool // the place is in micrometres
}

// add adds the patches of a bag, of which n of each class and side stay.
func (b *board) add(one drawable, n int) error {
	tiles, err := draw.Tiles(one.report, "", n)
	if err != nil {
		return nil // no score is a number
	}
	positions := remaining(one.bag.Len()+len(one.without), one.without)
	for i := range tiles {
		t := &tiles[i]
		t.Bag = one.Line
		p := patch{Patch: draw.Patch{Index: positions[t.Instance], Bag: one.name},
			microns: one.bag.Slide != nil && one.bag.Slide.Unit == core.Microns}
		if one.bag.Boxes != nil {
			p.Box = &one.bag.Boxes[t.Instance]
		}
		b.patches[tileKey{t.Bag, t.Instance}] = p
		b.tiles[t.Class] = append(b.tiles[t.Class], *t)
	}
	stay := map[tileKey]bool{}
	for class, list := range b.tiles {
		b.tiles[class] = draw.Strongest(list, n)
		for _, t := range b.tiles[class] {
			stay[tileKey{t.Bag, t.Instance}] = true
		}
	}
	maps.DeleteFunc(b.patches, func(k tileKey, _ patch) bool { return !stay[k] })
	return nil
}

// remaining returns the positions 0 to k-1 without some, which are in ascending order.
func remaining(k int, without []int) []int {
	var out []int
	for i := range k {
		if _, gone := slices.BinarySearch(without, i); !gone {
			out = append(out, i)
		}
	}
	return out
}

// boards returns the strongest patches of each model, in the order of the manifest. Models whose
// files have one name and whose classes have the same names are one.
func (c *config) boards(ctx context.Context, n int) ([]*board, error) {
	var out []*board
	err := c.eachDrawable(ctx, func(one drawable) error {
		at := slices.IndexFunc(out, func(b *board) bool {
			return base(b.model.Model) == base(one.Model) && slices.Equal(b.classes, one.classes)
		})
		if at < 0 {
			at = len(out)
			out = append(out, &board{model: one.place, classes: one.classes,
				tiles: make([][]draw.Tile, len(one.classes)), patches: map[tileKey]patch{}})
		}
		return out[at].add(one, n)
	})
	return out, err
}

// writeTiles writes the patches with the highest and the lowest scores of each class over all bags,
// see draw.TileFiles. Several models have a folder each.
func (c *config) writeTiles(ctx context.Context, d Drawing, folder string) error {
	boards, err := c.boards(ctx, cmp.Or(d.Number, usualNumber))
	if err != nil {
		return err
	}
	needed := map[int]Line{}
	for _, b := range boards {
		for k := range b.patches {
			needed[k.line] = Line{}
		}
	}
	if err := c.readLines(ctx, needed); err != nil {
		return err
	}
	names := fileNames{}
	for _, b := range boards {
		to := folder
		if len(boards) > 1 {
			to = filepath.Join(folder, names.of(place{Bag: b.model.Model, Line: b.model.Line}))
		}
		of := func(t draw.Tile) patch { return b.patches[tileKey{t.Bag, t.Instance}] }
		err := draw.TileFiles{Tiles: slices.Concat(b.tiles...), Classes: b.classes,
			Look: draw.Options{ClassNames: b.classes, Colours: d.Colours,
				Letters: glyphs.GoMono()},
			Of: func(t draw.Tile) draw.Patch { return of(t).Patch },
			Pixels: func(t draw.Tile) (image.Image, error) {
				line := needed[t.Bag]
				return c.pixels(ctx, d, &line, t.Instance, of(t))
			},
		}.Write(ctx, func(name string, write func(io.Writer) error) error {
			return writeFile(ctx, filepath.Join(to, name), write)
		})
		if err != nil {
			return msg.Errorf("--tiles-out: %w", err)
		}
	}
	return nil
}

// readLines reads the lines of the manifest with the numbers of the keys.
func (c *config) readLines(ctx context.Context, lines map[int]Line) error {
	manifest, err := openFile(ctx, c.Manifest)
	if err != nil {
		return err
	}
	defer manifest.Close()
	for l, err := range ReadManifest(manifest) {
		if _, ok := lines[l.Number]; ok && err == nil {
			lines[l.Number] = l
		}
	}
	return nil
}

// pixels returns a patch of a line at full resolution: of its slide or picture, or else the
// instance itself.
func (c *config) pixels(
	ctx context.Context, d Drawing, l *Line, instance int, p patch,
) (image.Image, error) {
	file := beside(c.Manifest, l.Bag)
	needSlide := func(reason string) error {
		return msg.Errorf("%s: %s", base(file), msg.Text(reason))
	}
	defaults, err := Request{}.over(c.Request)
	if err != nil {
		return nil, err
	}
	request, err := defaults.over(l.Request)
	if err != nil {
		return nil, err
	}
	tileNames := ""
	if request.TileNames != nil {
		tileNames = *request.TileNames
	}
	switch {
	case d.Slides != "" && p.Box == nil:
		return nil, needSlide("its instances have no places in the slide; use files with " +
			"coordinates")
	case d.Slides != "" && p.microns:
		return nil, needSlide("its places are in micrometres; state slide_mpp in --request")
	case d.Slides != "":
		return slidePatch(ctx, d.Slides, ask.SlideName(base(file)), tileNames, *p.Box)
	case inBucket(file):
		return nil, needSlide("it is in a bucket, and pixels are read from local files; name a " +
			"folder with the slides by --tiles-slides")
	}
	if p.Box != nil {
		if s, opened, err := slidefiles.Open(ctx, file, tileNames); err == nil {
			defer opened.Close()
			return s.Region(0, *p.Box)
		}
	}
	t, err := c.prepare(ctx, l)
	if err != nil {
		return nil, err
	}
	set, err := t.bags.set()
	if err != nil {
		return nil, err
	}
	bag, err := set.BagIn(ctx, l.Index)
	switch {
	case err != nil:
		return nil, err
	case !draw.IsPicture(bag):
		return nil, needSlide("it holds features, which have no pixels; name the folder of the " +
			"slides by --tiles-slides")
	}
	return draw.PictureOf(bag, instance), nil
}

// slidePatch returns a part of the slide of a name in a folder. Of several files of one name, such
// as a slide, its annotations and its thumbnail, the largest that is a slide counts.
func slidePatch(
	ctx context.Context, folder, name, tileNames string, box image.Rectangle,
) (image.Image, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, &FileError{Path: folder, Err: err}
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		return ask.SlideName(e.Name()) != name || strings.HasPrefix(e.Name(), ".")
	})
	size := func(e os.DirEntry) int64 {
		info, err := e.Info()
		if err != nil || info.IsDir() {
			return 0
		}
		return info.Size()
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int {
		return cmp.Compare(size(b), size(a))
	})
	err = msg.Errorf("%s has no slide named %s, such as %s.svs; bags of features need theirs",
		folder, name, name)
	for _, e := range entries {
		s, file, failed := slidefiles.Open(ctx, filepath.Join(folder, e.Name()), tileNames)
		if failed != nil {
			err = failed
			continue
		}
		defer file.Close()
		return s.Region(0, box)
	}
	return nil, err
}
