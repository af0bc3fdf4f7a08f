package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/bagscope/bagscope/internal/atomicfile"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/export"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A Report is the outcome of a Job. Its field names are the keys of KIND.json.
type Report struct {
	Version     int    // fileVersion; 0 in reports of earlier programs, which is read as 1
	Fingerprint string // identifies data and settings, with the seed of the repeat
	Content     string `json:",omitempty"` // dataset.Set.Content
	ModelSHA256 string // hash of the model's file; "" in reports of earlier versions
	Dataset     string
	Model       network.Kind
	Repeat      int
	Split       string // training and validation data, see dataset.Split.Seen
	Seed        uint64 // seed of the best attempt; the first attempt has the repeat's seed
	Recipe      network.Recipe
	Attempts    int // number of trainings; above 1 if the first was not better than the baseline
	Best        int // epoch with the least validation loss, from 0
	History     []Epoch
	// BeatsBaseline is true if the least validation loss is at least 1 % below that of the
	// baseline, which predicts the mean target of the training bags for every bag.
	BeatsBaseline bool
	// Train, Validation and Test are the scores of the best epoch's parameters, without dropout.
	Train, Validation, Test Score
	// Baseline is the baseline's score on the test bags. Its key is that of earlier versions.
	Baseline Score `json:"Blind"`
}

// write writes the model, then the report, and removes the checkpoints. In this order, a report
// never exists without its model after a crash.
func (j Job) write(r *Report, net *network.Network, p dataset.Preprocess) error {
	model, err := export.Model(net, j.Set, p, j.Version)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(model)
	r.ModelSHA256 = hex.EncodeToString(sum[:])
	if err := atomicfile.Write(j.file(".onnx"), model); err != nil {
		return err
	}
	if err := writeJSON(j.file(".json"), r); err != nil {
		return err
	}
	for n := range r.Attempts {
		if err := os.Remove(attemptFile(j.file(".checkpoint"), n)); err != nil {
			return err
		}
	}
	return nil
}

// read returns the report of a job that has finished, or nil if model or report do not exist.
//
// Errors: a report that is invalid or belongs to another training, and a model that does not belong
// to the report.
func (j Job) read(c Config) (*Report, error) {
	data, err := readIfExists(j.file(".json"))
	if data == nil || err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf(
			"%s is not a valid report of a training: %w; delete it to train again", j.file(".json"),
			err)
	}
	if err := checkVersion(r.Version); err != nil {
		return nil, fmt.Errorf("%s %w; delete it to train again", j.file(".json"), err)
	}
	if r.Fingerprint != c.fingerprint() || !c.hasContent(r.Content) {
		return nil, fmt.Errorf(
			"%s belongs to a training with other data or settings; delete it to train again",
			j.file(".json"))
	}
	// A report that was edited by hand must not cause a panic.
	if r.Best < 0 || r.Best >= len(r.History) {
		return nil, fmt.Errorf(
			"%s names epoch %d of %d as the best, which does not exist; delete it to train again",
			j.file(".json"), r.Best, len(r.History))
	}
	model, err := readIfExists(j.file(".onnx"))
	if model == nil || err != nil {
		return nil, err
	}
	sum := sha256.Sum256(model)
	if r.ModelSHA256 != "" && r.ModelSHA256 != hex.EncodeToString(sum[:]) {
		return nil, fmt.Errorf(
			"%s is not the model that %s belongs to; delete the report to train again",
			j.file(".onnx"), j.file(".json"))
	}
	// Reports of earlier versions lack this field.
	r.BeatsBaseline = r.History[r.Best].Validation.Loss < c.lossLimit()
	return r, nil
}
