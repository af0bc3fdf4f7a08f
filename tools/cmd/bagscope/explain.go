package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// explainCommand holds the flags of explain.
type explainCommand struct {
	model      cli.ModelFlags
	bags       cli.BagFlags
	methods    cli.MethodFlags
	index      int
	coalitions string // path of a file, or ""
	form       cli.OutputFlags
	png        string // path of a file, or ""
	geojson    string // path of a file, or ""
	heatmap    slidefiles.Map
	dicom      dicomFiles
	tiles      tilesFolder
	look       lookFlags
	region     cli.AnnotationFlags
	top        int // rows of a method's table, 0 for all
	trust      bool
	reference  string
}

// newExplain returns the command that explains one bag.
func newExplain() *cobra.Command {
	e := &explainCommand{}
	c := cli.Command("explain", "Compute a score for each instance of a bag and each class", e.run)
	e.model.Register(c)
	e.bags.Register(c, "bag", cli.BagUsage)
	e.methods.Register(c, methods.Default)
	cli.IndexFlag(c, &e.index)
	c.Flags().StringVar(&e.coalitions, "coalitions", "",
		"file of coalitions that replaces the sampler: one line of 0s and 1s for each coalition")
	e.form.Register(c, "write the scores to a CSV file")
	cli.FileFlag(c, &e.png, "png", "write a picture of one method's explanation to a PNG file",
		".png")
	cli.FileFlag(c, &e.geojson, "geojson", "write the places of the instances with their "+
		"scores to a GeoJSON file, which QuPath opens", ".geojson", ".json")
	c.Flags().StringVar((*string)(&e.heatmap), "map", "", "write a heat map over the slide of one "+
		"method's explanation, for viewers of slides: a pyramid as FILE.ome.tif, or as FILE.dzi "+
		"with its folder of tiles or in a FILE.zip")
	e.dicom.register(c)
	e.tiles.register(c)
	e.look.register(c)
	e.region.Register(c, "region",
		"explain only the instances inside the annotations of a file: GeoJSON of QuPath, or XML "+
			"of ASAP, Aperio or HALO")
	c.Flags().BoolVar(&e.trust, "trust", false, "measure how reliable the scores are: AOPC-R "+
		"compared with simple methods, and the correlation with the scores of another seed")
	c.Flags().StringVar(&e.reference, "reference", "", "state what inputs beside the bag, such as "+
		"the age of a patient, add relative to values, such as age=50, or to mean, the means over "+
		"the bags of the file")
	c.Flags().IntVar(&e.top, "top", 10,
		"number of instances in the table, largest scores first; 0 shows all")
	return c
}

// run explains the bag. It validates all flags before it reads a file, so that a wrong flag is
// reported at once even if the model is large.
func (e *explainCommand) run(c *cobra.Command) error {
	plan, err := e.plan(c)
	if err != nil {
		return err
	}
	in, err := e.open(c, plan)
	if err != nil {
		return err
	}
	x, err := cli.Explain(c, plan, in)
	if err != nil {
		return err
	}
	other, err := e.explainOther(c, plan, in)
	if err != nil {
		return err
	}
	return e.write(c, alike{explained{x, e.look}, other})
}

// plan validates the flags. The plan contains the methods with their settings and does not depend
// on the bag.
func (e *explainCommand) plan(c *cobra.Command) (*ask.Plan, error) {
	settings := e.methods.Settings(c)
	settings.Trust, settings.Reference = e.trust, cli.Given(c, "reference", &e.reference)
	plan, err := settings.Plan()
	if err != nil {
		return nil, err
	}
	if err := cli.Require(c, "model", "bag"); err != nil {
		return nil, err
	}
	if err := cli.NotNegative(c, "0 shows all instances", "top"); err != nil {
		return nil, err
	}
	if err := e.look.check(c.Context(), e.model.Path, plan.Methods[0].Name()); err != nil {
		return nil, err
	}
	// A drawing has one method.
	for _, flag := range []struct{ name, file string }{{"png", e.png}, {"map", string(e.heatmap)},
		{"dicom-seg", e.dicom.seg}, {"dicom-sr", e.dicom.sr}, {"tiles-out", e.tiles.path}} {
		if flag.file != "" && len(plan.Methods) > 1 {
			return nil, cli.Usagef("--%s draws one method, but %d are selected; select one with "+
				"--method", flag.name, len(plan.Methods))
		}
	}
	if e.heatmap != "" {
		if err := e.heatmap.Check(); err != nil {
			return nil, cli.Usagef("--map: %v", err)
		}
	}
	if err := e.dicom.check(); err != nil {
		return nil, err
	}
	if err := e.tiles.check(); err != nil {
		return nil, err
	}
	// The flag would have no effect, which the user would not notice.
	if e.coalitions != "" && !plan.Samples() {
		return nil, cli.Usagef("--coalitions replaces a sampler, but none of the selected " +
			"methods samples; select one that does with --method")
	}
	return plan, nil
}

// open reads the model, the bag, the region and the coalitions, which become part of the plan.
func (e *explainCommand) open(c *cobra.Command, plan *ask.Plan) (*ask.Input, error) {
	// One flag sets the threads of the encoding and of the evaluation.
	e.model.Workers = e.methods.Workers
	if err := e.methods.Bound(c); err != nil {
		return nil, err
	}
	regions, err := e.region.Read(c.Context())
	if err != nil {
		return nil, err
	}
	in, err := cli.OpenBag(c, &e.model, &e.bags, e.index)
	if err != nil {
		return nil, err
	}
	if e.geojson != "" || e.heatmap != "" {
		// A bag without places is reported before minutes of work.
		if err := geojson.NeedPlaces(in.Bag); err != nil {
			return nil, err
		}
	}
	if err := e.dicom.open(in.Bag, e.top); err != nil {
		return nil, err
	}
	if e.tiles.path != "" {
		if err := e.tiles.needPixels(in); err != nil {
			return nil, err
		}
	}
	if regions != nil {
		if err := in.SelectRegions(regions, e.region.Classes); err != nil {
			return nil, err
		}
	}
	if e.coalitions == "" {
		return in, nil
	}
	// The length of a coalition depends on the bag, so that the file is read after it.
	z, err := readCoalitions(c.Context(), e.coalitions, in.Bag.Len())
	if err != nil {
		return nil, err
	}
	// The methods are created again, because a sampler is part of a method.
	return in, plan.Replace(z)
}

// write writes the files that flags name, and then the result. The picture comes first, so that an
// error of drawing is not hidden behind the result.
func (e *explainCommand) write(c *cobra.Command, both alike) error {
	out := both.explained
	if e.png != "" {
		if err := both.pngs(e.png); err != nil {
			return err
		}
	}
	if e.heatmap != "" {
		if err := writeMap(c.Context(), e.heatmap, out); err != nil {
			return err
		}
	}
	if e.tiles.path != "" {
		if err := e.tiles.write(c.Context(), out, &e.bags); err != nil {
			return err
		}
	}
	if e.geojson != "" {
		write := func(w io.Writer) error { return out.GeoJSON(w, e.look.colours) }
		if err := cli.WriteFile(e.geojson, write); err != nil {
			return err
		}
	}
	if err := e.dicom.write(out); err != nil {
		return err
	}
	return e.form.Write(c, both.result(e.top))
}
