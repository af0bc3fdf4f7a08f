package cohort

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// A Drawing says which pictures a run makes of its results, after all bags are explained and
// without evaluating the model again. The zero value makes none. They show the first method of
// each bag. Folders must be local and new.
type Drawing struct {
	Maps    string  // folder for a heat map over the slide of each bag with places; "" for none
	MapForm string  // one of slidefiles.MapForms; "" for the first
	Scale   float64 // score with the strongest colour of all maps; 0 for the cohort's own
	Colours string  // draw.Options.Colours

	Tiles  string // folder for the patches with the highest and lowest scores; "" for none
	Number int    // patches of each class and side; 0 for 8
	Slides string // folder with the slides that bags of features are from; "" for none
}

// usualNumber is the default of Drawing.Number.
const usualNumber = 8

// check validates the options before the run. A job folder has features without pixels.
func (d *Drawing) check(jobFolder bool) error {
	for option, folder := range map[string]string{"maps": d.Maps, "tiles-out": d.Tiles} {
		switch {
		case folder == "":
			continue
		case inBucket(folder):
			return wrong(option, "%s is in a bucket; name a local folder", folder)
		case *jobopts.Async:
			return wrong(option, "needs the results, and --async does not wait for them; run the "+
				"command again without --async")
		}
		if err := slidefiles.CheckNew(folder); err != nil {
			return wrong(option, "%v", err)
		}
	}
	needs := func(option, needed string) error {
		return wrong(option, "needs --%s, the folder for the files", needed)
	}
	switch {
	case d.Maps == "" && d.MapForm != "":
		return needs("map-form", "maps")
	case d.Maps == "" && d.Scale != 0:
		return needs("scale", "maps")
	case d.MapForm != "" && !slices.Contains(slidefiles.MapForms, d.MapForm):
		return wrong("map-form", "%q is none of %s", d.MapForm,
			strings.Join(slidefiles.MapForms, ", "))
	case !(d.Scale >= 0) || math.IsInf(d.Scale, 0):
		return wrong("scale", "must be a number above 0; omit it for the scale of all bags")
	case d.Tiles == "" && d.Slides != "":
		return needs("tiles-slides", "tiles-out")
	case d.Tiles == "" && d.Number != 0:
		return needs("tiles-number", "tiles-out")
	case d.Number < 0 || d.Number > draw.MostTiles:
		return wrong("tiles-number", "must be from 1 to %d; it is %d", draw.MostTiles, d.Number)
	case d.Tiles != "" && d.Slides == "" && jobFolder:
		return wrong("tiles-out", "needs pixels, and a job folder holds features; name the folder "+
			"of the slides by --tiles-slides")
	}
	if d.Slides != "" {
		if _, err := os.ReadDir(d.Slides); err != nil {
			return wrong("tiles-slides", "cannot be read: %v", err)
		}
	}
	if err := draw.CheckColours(d.Colours); err != nil {
		return wrong("colours", "must be one of %s", strings.Join(draw.Palettes, ", "))
	}
	return nil
}

// draw makes the pictures of a finished run.
func (c *config) draw(ctx context.Context, d Drawing, s *Summary) error {
	if d.Maps != "" {
		err := slidefiles.WriteFolder(d.Maps, func(folder string) (err error) {
			s.Maps, s.WithoutMap, err = c.drawMaps(ctx, d, folder)
			return err
		})
		if err != nil {
			return err
		}
	}
	if d.Tiles == "" {
		return nil
	}
	return slidefiles.WriteFolder(d.Tiles, func(folder string) error {
		return c.writeTiles(ctx, d, folder)
	})
}

// A drawable is a line of the results, decoded for pictures.
type drawable struct {
	*result
	name    string // a name of the bag that no other line has, for files
	classes []string
	without []int // positions of removed instances
	bag     *core.Bag
	report  *core.Report
}

// eachDrawable calls use with each line of the results, in the order of the manifest.
func (c *config) eachDrawable(ctx context.Context, use func(drawable) error) error {
	names := fileNames{}
	return c.eachResult(ctx, func(r *result) error {
		var e ask.Explanation
		err := json.Unmarshal(r.Explanation, &e)
		d := drawable{result: r, name: names.of(r.place), classes: e.Classes, without: e.Without}
		if err == nil {
			d.bag, d.report, err = e.Recorded()
		}
		if err != nil {
			return msg.Errorf("line %d of the results: %w", r.Line, err)
		}
		return use(d)
	})
}

// eachResult calls use with each line of the results, in the order of the manifest.
func (c *config) eachResult(ctx context.Context, use func(*result) error) error {
	for file := 0; file == 0 || c.PerFile > 0; file++ {
		name := join(c.Out, c.resultsFile(file))
		r, err := openFile(ctx, name)
		if file > 0 && notThere(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for lines := json.NewDecoder(r); err == nil; {
			var one result
			if err = lines.Decode(&one); err == nil {
				err = use(&one)
			}
		}
		r.Close()
		if !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// fileNames holds the names that lines have in the names of files, in lower case.
type fileNames map[string]bool

// of returns a new name: that of the bag's file, with the index of a bag among several, and with
// the number of the line if another has the name. Calls in the order of lines return the same.
func (f fileNames) of(p place) string {
	name := ask.SlideName(base(p.Bag))
	if p.Index > 0 {
		name += fmt.Sprintf("-%d", p.Index)
	}
	for f[strings.ToLower(name)] {
		name += fmt.Sprintf("-line%d", p.Line)
	}
	f[strings.ToLower(name)] = true
	return name
}
