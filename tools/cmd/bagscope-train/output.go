package main

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/service/query"
	"github.com/bagscope/bagscope/tools/train"
	"github.com/bagscope/bagscope/tools/train/network"
)

// trainedJSON is the JSON of a training: its report, or the reason why it failed.
type trainedJSON struct {
	Dataset string       `json:"dataset"`
	Model   network.Kind `json:"model"`
	Repeat  int          `json:"repeat"`
	Failed  string       `json:"failed,omitempty"`
	*reportJSON
}

// reportJSON is a train.Report.
type reportJSON struct {
	Fingerprint string      `json:"fingerprint"`
	Content     string      `json:"content,omitempty"`
	ModelSHA256 string      `json:"model_sha256,omitempty"`
	Split       string      `json:"split"`
	Seed        uint64      `json:"seed"`
	Recipe      recipeJSON  `json:"recipe"`
	Attempts    int         `json:"attempts"`
	Best        int         `json:"best"`
	History     []epochJSON `json:"history"`
	Learnt      bool        `json:"learnt"`
	Train       scoreJSON   `json:"train"`
	Validation  scoreJSON   `json:"validation"`
	Test        scoreJSON   `json:"test"`
	Blind       scoreJSON   `json:"blind"`
}

// recipeJSON is the JSON of a network.Recipe. It can be unmarshalled into a network.Recipe.
type recipeJSON struct {
	Kind         network.Kind    `json:"kind"`
	Shape        []int           `json:"shape"`
	Classes      int             `json:"classes"`
	Scale        core.Scale      `json:"scale"`
	Convolutions []kernelJSON    `json:"convolutions"`
	Encoder      []int           `json:"encoder"`
	Attention    int             `json:"attention"`
	Graph        []int           `json:"graph"`
	Head         []int           `json:"head"`
	Pool         network.Pooling `json:"pool"`
	Limit        float64         `json:"limit"`
	Dropout      float64         `json:"dropout"`
	Rate         float64         `json:"rate"`
	Decay        float64         `json:"decay"`
}

type kernelJSON struct {
	Maps int `json:"maps"`
	Size int `json:"size"`
}

type scoreJSON struct {
	Loss     float64 `json:"loss"`
	Accuracy float64 `json:"accuracy"`
	Error    float64 `json:"error"`
}

type epochJSON struct {
	Train      scoreJSON `json:"train"`
	Validation scoreJSON `json:"validation"`
}

// searchJSON is the JSON of a search, with the best trial first.
type searchJSON struct {
	Trials     []trialJSON `json:"trials"`
	RecipeFile string      `json:"recipe_file"`
}

type trialJSON struct {
	Number     int        `json:"number"`
	Failed     string     `json:"failed,omitempty"`
	Epochs     int        `json:"epochs"`
	Validation scoreJSON  `json:"validation"`
	Recipe     recipeJSON `json:"recipe"`
}

func trainedObjects(done []trained) []trainedJSON {
	out := []trainedJSON{}
	for _, t := range done {
		o := trainedJSON{Dataset: t.Set.Name, Model: t.Kind, Repeat: t.Repeat}
		if t.failed != nil {
			o.Failed = t.failed.Error()
		} else {
			o.reportJSON = reportObject(t.report)
		}
		out = append(out, o)
	}
	return out
}

func reportObject(r *train.Report) *reportJSON {
	o := &reportJSON{
		Fingerprint: r.Fingerprint, Content: r.Content, ModelSHA256: r.ModelSHA256, Split: r.Split,
		Seed: r.Seed, Recipe: recipeObject(r.Recipe),
		Attempts: r.Attempts, Best: r.Best, History: []epochJSON{}, Learnt: r.Learnt,
		Train: scoreJSON(r.Train), Validation: scoreJSON(r.Validation), Test: scoreJSON(r.Test),
		Blind: scoreJSON(r.Blind),
	}
	for _, e := range r.History {
		o.History = append(o.History, epochJSON{scoreJSON(e.Train), scoreJSON(e.Validation)})
	}
	return o
}

func recipeObject(r network.Recipe) recipeJSON {
	kernels := []kernelJSON{}
	for _, k := range r.Convolutions {
		kernels = append(kernels, kernelJSON(k))
	}
	return recipeJSON{
		r.Kind, query.List(r.Shape), r.Classes, r.Scale, kernels, query.List(r.Encoder),
		r.Attention, query.List(r.Graph), query.List(r.Head),
		r.Pool, r.Limit, r.Dropout, r.Rate, r.Decay,
	}
}

func searchObject(trials []train.Trial, file string) searchJSON {
	out := searchJSON{[]trialJSON{}, file}
	for _, t := range trials {
		out.Trials = append(out.Trials, trialJSON{t.Number, t.Failed, t.Epochs,
			scoreJSON(t.Validation), recipeObject(t.Recipe)})
	}
	return out
}
