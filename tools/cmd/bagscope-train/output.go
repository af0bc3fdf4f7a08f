package main

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/ask"
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

// reportJSON is a train.Report. The fingerprint and the content identify the training, so that a
// later run finds out whether a model is up to date. Blind is the score of a constant prediction.
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

// kernelJSON is a convolution: its number of maps and the side of its square kernel.
type kernelJSON struct {
	Maps int `json:"maps"`
	Size int `json:"size"`
}

// scoreJSON is the loss with the accuracy of a classification or the error of a regression.
type scoreJSON struct {
	Loss     float64 `json:"loss"`
	Accuracy float64 `json:"accuracy"`
	Error    float64 `json:"error"`
}

// epochJSON holds the scores after an epoch.
type epochJSON struct {
	Train      scoreJSON `json:"train"`
	Validation scoreJSON `json:"validation"`
}

// searchJSON is the JSON of a search, with the best trial first.
type searchJSON struct {
	Trials     []trialJSON `json:"trials"`
	RecipeFile string      `json:"recipe_file"`
}

// trialJSON is one trial. Failed is the reason why it diverged, if it did.
type trialJSON struct {
	Number     int        `json:"number"`
	Failed     string     `json:"failed,omitempty"`
	Epochs     int        `json:"epochs"`
	Validation scoreJSON  `json:"validation"`
	Recipe     recipeJSON `json:"recipe"`
}

// trainedObjects returns the JSON of trainings.
func trainedObjects(done []trained) []trainedJSON {
	return ask.ListOf(done, func(t trained) trainedJSON {
		// A failed training has no report.
		o := trainedJSON{Dataset: t.Set.Name, Model: t.Kind, Repeat: t.Repeat}
		if t.failed != nil {
			o.Failed = t.failed.Error()
		} else {
			o.reportJSON = reportObject(t.report)
		}
		return o
	})
}

// reportObject returns the JSON of a report.
func reportObject(r *train.Report) *reportJSON {
	return &reportJSON{
		Fingerprint: r.Fingerprint, Content: r.Content, ModelSHA256: r.ModelSHA256, Split: r.Split,
		Seed: r.Seed, Recipe: recipeObject(r.Recipe), Attempts: r.Attempts, Best: r.Best,
		History: ask.ListOf(r.History, func(e train.Epoch) epochJSON {
			return epochJSON{scoreJSON(e.Train), scoreJSON(e.Validation)}
		}),
		Learnt: r.BeatsBaseline, Train: scoreJSON(r.Train), Validation: scoreJSON(r.Validation),
		Test: scoreJSON(r.Test), Blind: scoreJSON(r.Baseline),
	}
}

// recipeObject returns the JSON of a recipe. Lists are never null.
func recipeObject(r network.Recipe) recipeJSON {
	kernel := func(k network.Kernel) kernelJSON { return kernelJSON(k) }
	return recipeJSON{
		r.Kind, ask.List(r.Shape), r.Classes, r.Scale, ask.ListOf(r.Convolutions, kernel),
		ask.List(r.Encoder), r.Attention, ask.List(r.Graph), ask.List(r.Head),
		r.Pool, r.Limit, r.Dropout, r.Rate, r.Decay,
	}
}

// searchObject returns the JSON of the trials, in their order, and the path of the best recipe.
func searchObject(trials []train.Trial, file string) searchJSON {
	return searchJSON{ask.ListOf(trials, func(t train.Trial) trialJSON {
		return trialJSON{t.Number, t.Failed, t.Epochs, scoreJSON(t.Validation),
			recipeObject(t.Recipe)}
	}), file}
}
