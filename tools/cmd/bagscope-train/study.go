package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/oip"
	"github.com/bagscope/bagscope/tools/train"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/study"
)

// studyCommand holds the flags of study.
type studyCommand struct {
	datasets []string
	models   string // a folder, or the address of a server
	data     string // folder of the data sets' files
	bags     string // path of bags that replace the test bags, or ""
	repeats  int    // number of repeats, 0 for all
	limit    int    // number of test bags of each repeat, 0 for all
	out      string // folder of the results
	metrics  []string
	strict   bool
	form     cli.OutputFlags
	methods  cli.MethodFlags
	cli.RemoteFlags
}

// newStudy returns the command that repeats the paper's measurements.
func newStudy() *cobra.Command {
	// --repeats counts the paper's repeats
	s := &studyCommand{methods: cli.MethodFlags{RepeatsFlag: "repeated-draws"}}
	c := cli.Command("study", "Measure all methods on a data set and write the paper's tables",
		s.run)
	f := c.Flags()
	f.StringSliceVar(&s.datasets, "dataset", nil,
		"data sets, separated by commas: "+strings.Join(dataset.Names(), ", "))
	f.StringVar(&s.models, "models", "", "folder of models, DATASET/REPEAT/ARCHITECTURE.onnx or "+
		"ARCHITECTURE.onnx, where ARCHITECTURE is mi_net, mi_net_instance, mi_attn or mi_gnn; or "+
		"a server with models of these names or DATASET.REPEAT.ARCHITECTURE, "+
		"oip+http://HOST[:PORT]")
	f.StringVar(&s.data, "data", "",
		"folder of the data set's files, or of one folder for each set")
	f.IntVar(&s.repeats, "repeats", 0,
		"use only the first N of the paper's ten repeats (default all that have models)")
	f.StringVar(&s.out, "out", "", "folder for the tables DATASET.md, .csv and .tex, for "+
		"summary.md over all data sets, and for stored results")
	f.IntVar(&s.limit, "limit", 0, "use only the first N test bags of each repeat")
	f.StringVar(&s.bags, "bags", "", "a bag set that replaces the test bags of the repeats")
	f.StringSliceVar(&s.metrics, "metrics", []string{metric.NameNDCG, metric.NameAOPCR},
		"metrics, separated by commas, or all")
	f.BoolVar(&s.strict, "strict", false,
		"NDCG: instances of other classes refute the negative class")
	s.form.Register(c, "")
	s.methods.Register(c, "all")
	s.RemoteFlags.Register(c)
	f.Lookup("preset").Usage = "default, paper or reference: which conventions to use (default " +
		"reference, which the numbers of the paper's tables follow)"
	return c
}

// run measures the data sets one after another. Results of single bags are stored, so that an
// interrupted run continues from them.
func (s *studyCommand) run(c *cobra.Command) error {
	if len(s.datasets) == 0 {
		return cli.Usagef("--dataset is missing: %s", c.Flags().Lookup("dataset").Usage)
	}
	if err := cli.Require(c, "models", "out"); err != nil {
		return err
	}
	if err := cli.NotNegative(c, "omit it to use all", "limit", "repeats"); err != nil {
		return err
	}
	// The bags have the shape and the classes of one data set.
	if s.bags != "" && len(s.datasets) > 1 {
		return cli.Usagef("--bags replaces the bags of one data set, but --dataset names %d",
			len(s.datasets))
	}
	if err := s.methods.Bound(c); err != nil {
		return err
	}
	// prepare all before the first run, so that errors appear at once
	plans := make([]*study.Plan, len(s.datasets))
	bars := make([]*cli.Progress, len(s.datasets))
	for i, name := range s.datasets {
		var err error
		if plans[i], bars[i], err = s.prepare(c, name); err != nil {
			return err
		}
	}
	var reports []*study.Report
	for i, plan := range plans {
		report, err := plan.Run(c.Context())
		bars[i].End()
		if err != nil {
			return cli.Resumable(cli.SkipHint(err))
		}
		// Tables are written after each data set, so that an interruption loses one at most.
		if err := s.write(report); err != nil {
			return err
		}
		reports = append(reports, report)
	}
	// The summary compares data sets.
	if len(reports) > 1 {
		if err := cli.WriteFile(filepath.Join(s.out, "summary.md"),
			func(w io.Writer) error { return study.Summary(w, reports) }); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	if err := tables(&text, reports); err != nil {
		return err
	}
	return s.form.Write(c, cli.Result{JSON: entries(reports),
		Text: func(to *bytes.Buffer) { text.WriteTo(to) }})
}

// prepare opens a data set, finds its models and reads its bags.
func (s *studyCommand) prepare(c *cobra.Command, name string) (*study.Plan, *cli.Progress, error) {
	metrics, err := cli.ChosenMetrics(s.metrics)
	if err != nil {
		return nil, nil, err
	}
	// The settings of the data set apply unless flags override them.
	set, options, data, err := openSet(c, &s.methods, name, s.data)
	if err != nil {
		return nil, nil, err
	}
	// The numbers of the paper's tables come from its code.
	if !c.Flags().Changed("preset") {
		options.Preset = methods.PresetReference
	}
	methods, err := methods.New(s.methods.Methods, options)
	if err != nil {
		return nil, nil, err
	}
	files, err := s.find(c.Context(), set.Name)
	if err != nil {
		return nil, nil, err
	}
	bags, err := s.readBags(c.Context(), set)
	if err != nil {
		return nil, nil, err
	}
	bar := cli.NewProgress(c.ErrOrStderr(), "bags of "+set.Name)
	plan, err := study.Prepare(study.Options{
		Set: set, Models: files,
		Check: func(model string, split *dataset.Split) error {
			return train.CheckUnseen(model, set, split, "test")
		},
		Open: s.open,
		Bags: bags, Limit: s.limit, Terms: terms(options), Seed: s.methods.Seed,
		Job: study.Job{
			Truth: set.Truth, Methods: methods, Output: core.Output(s.methods.Output),
			Budget: s.methods.Budget, Memory: int64(s.methods.Memory) * 1e6,
			SkipMissing: s.methods.All(),
			Classes: func(bag *core.Bag, _ core.Task) ([]int, error) {
				return s.methods.Classes(c, set.Classes, data, bag)
			},
			Judging: metric.Options{Metrics: cli.MetricNames(metrics), Seed: s.methods.Seed,
				Preset: options.Preset, Strict: s.strict},
		},
		Workers: s.methods.Workers, Store: study.Store{Dir: filepath.Join(s.out, "store")},
		Progress: bar.UpdateStored,
	})
	return plan, bar, err
}

// terms describes the effective settings.
func terms(o methods.Options) string {
	// The line appears below each table.
	text := fmt.Sprintf("Preset %s, n = %d, alpha = %g, beta = %g, mean bag size %d",
		cmp.Or(string(o.Preset), ask.PresetDefault), o.Samples, o.Alpha, o.Beta, o.MeanBag)
	if o.Repeats {
		text += ", repeated draws kept"
	}
	return text
}

// tables appends the tables. If there are several data sets, it appends their summary first.
func tables(to *bytes.Buffer, reports []*study.Report) error {
	if len(reports) == 1 {
		return reports[0].Markdown(to)
	}
	err := study.Summary(to, reports)
	for _, r := range reports {
		to.WriteString("\n")
		err = errors.Join(err, r.Markdown(to))
	}
	return err
}

// write writes the three forms of the tables.
func (s *studyCommand) write(r *study.Report) error {
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	for ending, write := range map[string]func(io.Writer) error{".md": r.Markdown, ".csv": r.CSV,
		".tex": r.LaTeX} {
		if err := cli.WriteFile(filepath.Join(s.out, r.Set.Name+ending), write); err != nil {
			return err
		}
	}
	return nil
}

// find finds the models of a data set, in files or on a server.
func (s *studyCommand) find(ctx context.Context, name string) ([]study.File, error) {
	if !oip.Is(s.models) {
		return study.Find(s.models, name, s.repeats)
	}
	o, err := s.RemoteFlags.Options(ctx)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(s.models, "/")
	// A server has no list of files, so that each possible name is requested.
	return study.FindBy(name, s.repeats, func(names ...string) (string, error) {
		for _, name := range names {
			// Only a missing model is not an error: the study uses the models that exist.
			if _, err := oip.Open(ctx, base+"/"+name, o); err == nil {
				return base + "/" + name, nil
			} else if failure := (*oip.Error)(nil); !errors.As(err, &failure) ||
				failure.Status != http.StatusNotFound {
				return "", err
			}
		}
		return "", nil
	})
}

// open opens a model with the card beside it and returns its fingerprint. The fingerprint of a
// model on a server comes from the server's description.
func (s *studyCommand) open(ctx context.Context, path string) (core.Model, string, error) {
	// several bags are encoded at a time
	f := cli.ModelFlags{Path: path, Workers: 1, RemoteFlags: s.RemoteFlags}
	if oip.Is(path) {
		// The address, the metadata and the card identify a model on a server.
		m, err := f.OpenRemote(ctx)
		if err != nil {
			return nil, "", err
		}
		return m, m.ID(), nil
	}
	m, err := f.OpenFile(ctx)
	if err != nil {
		return nil, "", err
	}
	card, err := f.ReadCard(ctx)
	if err != nil {
		return nil, "", err
	}
	// The card changes results as the file does, so that it is part of the fingerprint.
	sum := sha256.Sum256(card)
	return m, m.Info().SHA256 + hex.EncodeToString(sum[:]), nil
}

// readBags reads the bags of --bags, which replace the test bags. It returns nil without --bags.
func (s *studyCommand) readBags(ctx context.Context, set *dataset.Set) ([]dataset.Example, error) {
	if s.bags == "" {
		return nil, nil
	}
	data, err := cli.ReadFile(ctx, s.bags)
	if err != nil {
		return nil, err
	}
	// The bags must have the shape of the data set's instances.
	read, err := bagio.Read(filepath.Base(s.bags), data,
		bagio.Options{InstanceShape: set.Shape, Patch: set.Patch, ZeroCopy: true,
			Limits: bagio.LimitsIn(quota.MemoryOf(ctx))})
	if err != nil {
		return nil, err
	}
	var bags []dataset.Example
	for i := range read.Len() {
		bag, err := read.Bag(i)
		if err != nil {
			return nil, err
		}
		// The set's own bags have valid classes; those of a file may be of another set.
		for _, class := range bag.Class {
			if class < 0 || class >= len(set.Classes) {
				return nil, fmt.Errorf("%s: %s has class %d, but %s has %d classes", s.bags,
					bag.Name, class, set.Title, len(set.Classes))
			}
		}
		// The bags stay in memory, because every network uses them.
		bags = append(bags, dataset.Hold(bag, len(set.Classes)))
	}
	return bags, nil
}

// entryJSON is a cell of a table in JSON. Paper is the paper's value and Difference the mean minus
// it. Behind is the mean difference to the best method on the same bags.
type entryJSON struct {
	Dataset        string     `json:"dataset"`
	Metric         string     `json:"metric"`
	Method         string     `json:"method"`
	Model          string     `json:"model"`
	Mean           ask.Number `json:"mean"`
	SEM            ask.Number `json:"sem"`
	N              int        `json:"n"`
	NontrivialMean ask.Number `json:"nontrivial_mean"`
	NontrivialSEM  ask.Number `json:"nontrivial_sem"`
	NontrivialN    int        `json:"nontrivial_n"`
	Repeats        int        `json:"repeats"`
	RepeatSEM      ask.Number `json:"repeat_sem"`
	Paper          ask.Number `json:"paper"`
	Difference     ask.Number `json:"difference"`
	Behind         ask.Number `json:"behind"`
	BehindSEM      ask.Number `json:"behind_sem"`
}

// entries returns the JSON of the tables of all data sets, with the sums of their evaluations.
func entries(reports []*study.Report) map[string]any {
	list, evaluations, small := []entryJSON{}, 0, 0
	for _, r := range reports {
		evaluations, small = evaluations+r.Evaluations, small+r.Small
		for _, e := range r.Entries() {
			list = append(list, entryJSON{
				e.Dataset, e.Metric, e.Method, e.Model, ask.Number(e.Mean), ask.Number(e.SEM),
				e.N, ask.Number(e.NontrivialMean), ask.Number(e.NontrivialSEM), e.NontrivialN,
				e.Repeats, ask.Number(e.RepeatSEM), ask.Number(e.Paper),
				ask.Number(e.Mean - e.Paper),
				ask.Number(e.Behind.Mean), ask.Number(e.Behind.SEM),
			})
		}
	}
	return map[string]any{"cells": list, "evaluations": evaluations, "seed": reports[0].Seed,
		"small_bags": small}
}
