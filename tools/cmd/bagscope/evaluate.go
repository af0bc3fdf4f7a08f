package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/slidetable"
	"github.com/bagscope/bagscope/tools/train/study"
)

// evaluateCommand holds the flags of evaluate.
type evaluateCommand struct {
	model   cli.ModelFlags
	bags    cli.BagFlags
	methods cli.MethodFlags
	metrics []string
	limit   int // number of bags, 0 for all
	strict  bool
	truth   cli.AnnotationFlags
	slides  string // path of a CSV, or ""
	split   string // path of a CSV, or ""
	part    string // part of split
	form    cli.OutputFlags
}

// newEvaluate returns the command that measures how faithful the explanations of methods are.
func newEvaluate() *cobra.Command {
	e := &evaluateCommand{}
	c := cli.Command("evaluate", "Measure the faithfulness of explanations over a set of bags",
		e.run)
	// The flags of the model and the bags are the same as those of explain.
	e.model.Register(c)
	e.bags.Register(c, "bags", "the bags, for example an .npz bag set")
	e.truth.Register(c, "annotations", "instance labels of one slide: the annotations of a "+
		"file, GeoJSON of QuPath or XML of ASAP, Aperio or HALO; 0 is outside, 1 inside the first "+
		"class; or a folder with a file for each slide of the job folder --bags of CLAM or "+
		"TRIDENT, which also gives FROC of CAMELYON16")
	c.Flags().StringVar(&e.slides, "slide-labels", "", "CSV file that states which slides have "+
		"lesions: slide_id and label of CLAM, or the name of a slide and Normal or Tumor, as "+
		"reference.csv of CAMELYON16, or clini_table.csv,slide_table.csv of STAMP")
	c.Flags().StringVar(&e.split, "split", "", "use only the bags of a part of a split: a CSV "+
		"file of CLAM (splits_0.csv) or torchmil (splits.csv)")
	c.Flags().StringVar(&e.part, "part", "test", "part of --split: train, val or test")
	e.methods.Register(c, "all")
	c.Flags().StringSliceVar(&e.metrics, "metrics",
		[]string{metric.NameNDCG, metric.NameAOPCR, metric.NameSRG},
		"metrics, separated by commas, or all")
	c.Flags().IntVar(&e.limit, "limit", 0, "use only the first N bags")
	c.Flags().BoolVar(&e.strict, "strict", false,
		"NDCG: instances of other classes refute the negative class")
	e.form.Register(c, "write the table to a CSV file")
	return c
}

// run explains every bag with every method and combines the metrics. Bag i has the seed
// study.BagSeed(seed, i), so that a bag has the same result in any subset of the bags and with any
// number of workers.
func (e *evaluateCommand) run(c *cobra.Command) error {
	// Flags are validated before files are read.
	if !slices.Contains(slidetable.Parts, e.part) {
		return cli.Usagef("--part %q is none of train, val and test", e.part)
	}
	if e.split == "" && c.Flags().Changed("part") {
		return cli.Usagef("--part needs --split: the CSV file that says which bags are in it")
	}
	options, data, err := e.methods.Resolve(c)
	if err != nil {
		return err
	}
	if err := cli.Require(c, "model", "bags"); err != nil {
		return err
	}
	if err := cli.NotNegative(c, "omit it to use all bags", "limit"); err != nil {
		return err
	}
	// The methods do not depend on a bag, so that all bags share them.
	methods, err := methods.New(e.methods.Methods, options)
	if err != nil {
		return err
	}
	if e.truth.Folder() != "" && !c.Flags().Changed("metrics") {
		e.metrics = []string{metric.NameNDCG, metric.NameAOPCR, metric.NameAUPRC}
	}
	metrics, err := cli.ChosenMetrics(e.metrics)
	if err != nil {
		return err
	}
	if err := e.methods.Bound(c); err != nil {
		return err
	}
	m, bags, err := e.open(c)
	if err != nil {
		return err
	}
	var folder *jobFolder // nil unless there are annotations
	if e.truth.Folder() != "" {
		folder = bags.list.(*jobFolder)
	}
	// The job is that of study, so that both commands compute the same numbers.
	job := &study.Job{
		Model: m, Methods: methods, Output: core.Output(e.methods.Output), Budget: e.methods.Budget,
		Memory: int64(e.methods.Memory) * 1e6, SkipMissing: e.methods.All(),
		Classes: func(bag *core.Bag, task core.Task) ([]int, error) {
			return e.methods.Classes(c, ask.ClassNames(m.Info().Classes, task.Classes), data, bag)
		},
		Judging: metric.Options{Metrics: cli.MetricNames(metrics), Seed: e.methods.Seed,
			Preset: options.Preset, Strict: e.strict},
	}
	if folder != nil {
		if job.Truth, err = folder.truth(m.Info()); err != nil {
			return err
		}
		job.Explained = folder.detect
	}
	// The progress goes to standard error, so that it does not mix with the result.
	bar := cli.NewProgress(c.ErrOrStderr(), "bags")
	// Workers write to their own elements, so that the results are in the order of the bags.
	results := make([]result, len(bags.used))
	err = study.Each(c.Context(), len(bags.used), e.methods.Workers, bar.Update,
		func(ctx context.Context, n int) (err error) {
			i := bags.used[n]
			results[n], err = judged(ctx, job, i, study.BagSeed(e.methods.Seed, i), bags)
			return err // the first error stops the other bags
		})
	bar.End()
	if err != nil {
		// An unavailable method is the most common error of this command.
		return cli.SkipHint(err)
	}
	out := pool(results, metrics)
	out.unmeasured(metrics, job.TruthTable())
	if folder != nil {
		out.FROC = folder.froc(methodNames(out.Methods))
	}
	// The seed and the preset belong to the result, because the numbers depend on them.
	out.Seed, out.Preset = e.methods.Seed, cmp.Or(string(options.Preset), ask.PresetDefault)
	return e.form.Write(c, cli.Result{JSON: out, Text: out.text, Rows: out.csv})
}

// open reads the annotations, the model and the bags. The model can also be on a server; its
// requests then run concurrently.
func (e *evaluateCommand) open(c *cobra.Command) (ask.Engine, *annotated, error) {
	if e.truth.Folder() == "" && e.slides != "" {
		return nil, nil, cli.Usagef("--slide-labels needs --annotations with the folder of the " +
			"slides' annotations")
	}
	if e.truth.Folder() != "" || isJobFolder(e.bags.Path) {
		return e.openJob(c)
	}
	regions, err := e.truth.Read(c.Context())
	if err != nil {
		return nil, nil, err
	}
	labels, err := e.truth.LabelClasses(regions)
	if err != nil {
		return nil, nil, err
	}
	e.model.Workers = 1 // several bags are encoded at a time
	m, err := e.model.Open(c.Context())
	if err != nil {
		return nil, nil, err
	}
	set, err := e.bags.Read(c, &e.model, m)
	if err != nil {
		return nil, nil, err
	}
	if n := set.Len(); regions != nil && n > 1 {
		return nil, nil, cli.Usagef("--annotations belong to one slide, but the file has %d bags; "+
			"evaluate one file of each slide", n)
	}
	used, err := e.used(c, set.Names())
	return m, &annotated{set, used, regions, labels}, err
}

// used returns the indexes of the bags in the part of the split, at most the limit.
func (e *evaluateCommand) used(c *cobra.Command, names []string) (used []int, err error) {
	if e.split != "" {
		data, err := cli.ReadFile(c.Context(), e.split)
		if err != nil {
			return nil, err
		}
		chosen, err := slidetable.ReadSplit(bytes.NewReader(data), e.part)
		if err == nil {
			used, err = slidetable.Select(names, chosen, e.part)
		}
		if err != nil {
			return nil, cli.Usagef("--split: %s %v", e.split, err)
		}
	} else {
		for i := range names {
			used = append(used, i)
		}
	}
	if e.limit > 0 {
		used = used[:min(len(used), e.limit)]
	}
	return used, nil
}

// openJob is open for a job folder, with a folder of annotations or none.
func (e *evaluateCommand) openJob(c *cobra.Command) (ask.Engine, *annotated, error) {
	folder, err := openJobFolder(e.bags.Path, e.truth.Folder() != "")
	if err != nil {
		return nil, nil, err
	}
	if e.truth.Folder() != "" {
		drawn := cli.DrawnFile(e.truth.Folder())
		folder.annotations, folder.classes = &drawn, e.truth.Classes
	}
	if e.slides != "" {
		var failed error // of reading a file
		read := func(path string) (data []byte, _ error) {
			data, failed = cli.ReadFile(c.Context(), path)
			return data, failed
		}
		folder.labels, err = slidetable.LoadLabels(e.slides, read)
		switch {
		case failed != nil:
			return nil, nil, failed
		case err != nil:
			return nil, nil, cli.Usagef("--slide-labels: %s %v", e.slides, err)
		}
	}
	used, err := e.used(c, folder.names)
	if err != nil {
		return nil, nil, err
	}
	e.model.Workers = 1 // several bags are encoded at a time
	m, err := e.model.Open(c.Context())
	if err != nil {
		return nil, nil, err
	}
	folder.read = func(ctx context.Context, path string) (*bagio.Set, error) {
		return e.bags.ReadFeatures(ctx, path, &e.model, m)
	}
	return m, &annotated{list: folder, used: used}, nil
}

// A bagList has bags that are read when they are needed.
type bagList interface {
	Names() []string
	BagIn(ctx context.Context, i int) (*core.Bag, error)
}

// A result holds the measurements of one bag.
type result struct {
	study.Result
	unusable error // a *core.BagError: the bag cannot be explained
}

// annotated is a set whose bags get the labels of annotations, if there are any.
type annotated struct {
	list    bagList
	used    []int // indexes of the bags
	regions []geojson.Region
	classes []string // label n is the class n - 1
}

// BagIn returns bag i. It returns an error that is not a *core.BagError if the annotations cannot
// be applied, because nothing could then be measured.
func (a *annotated) BagIn(ctx context.Context, i int) (*core.Bag, error) {
	bag, err := a.list.BagIn(ctx, i)
	if err != nil || a.regions == nil {
		return bag, err
	}
	if bag.Labels, err = geojson.InsideLabels(bag, a.regions, a.classes); err != nil {
		return nil, msg.Errorf("%s", msg.Text(err.Error()))
	}
	return bag, nil
}

// judged explains bag i of a set and computes the metrics of the explanations. A bag without
// instances, or with another defect, is a result of its own, so that it does not end the run.
func judged(
	ctx context.Context, job *study.Job, i int, seed uint64, set *annotated,
) (result, error) {
	r := result{Result: study.Result{Bag: set.list.Names()[i]}}
	// A set can contain bags that cannot be explained.
	bag, err := set.BagIn(ctx, i)
	if errors.As(err, new(*core.BagError)) {
		r.unusable = err
		return r, nil
	}
	if err != nil {
		return r, err
	}
	out, err := job.Judge(ctx, bag, seed)
	if err == nil {
		r.Result = *out
	}
	return r, err
}
