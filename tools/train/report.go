package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/export"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A Report is the outcome of a Job.
type Report struct {
	Fingerprint string // of data and settings, with the seed of the repeat
	Content     string `json:",omitempty"` // of the Set
	ModelSHA256 string // of the model's file; "" where a report does not say
	Dataset     string
	Model       network.Kind
	Repeat      int
	Split       string // what the network has seen, as dataset.Split.Seen
	Seed        uint64 // of the attempt that the network is of: the first has the repeat's
	Recipe      network.Recipe
	Attempts    int // how often it was begun: again where a network learnt nothing
	Best        int // epoch, from 0
	History     []Epoch
	// Learnt reports whether the least validation loss lies below that of one who says the mean
	// target of the training bags of every bag, by 1 % at least.
	Learnt bool
	// The scores of the best epoch's parameters, without dropout.
	Train, Validation, Test Score
	// Blind is the score on the test bags of one who says the mean target of the training bags of
	// every bag.
	Blind Score
}

// write leaves model and report, in this order, and takes the checkpoints away.
func (j Job) write(r *Report, net *network.Network, p dataset.Preprocess) error {
	model, err := export.Model(net, j.Set, p, j.Version)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(model)
	r.ModelSHA256 = hex.EncodeToString(sum[:])
	report, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := WriteFile(j.file(".onnx"), model); err != nil {
		return err
	}
	if err := WriteFile(j.file(".json"), append(report, '\n')); err != nil {
		return err
	}
	for n := range r.Attempts {
		if err := os.Remove(nth(j.file(".checkpoint"), n)); err != nil {
			return err
		}
	}
	return nil
}

// read returns the report of a job that was done before, or nil where model or report are not
// there.
func (j Job) read(c Config) (*Report, error) {
	data, err := os.ReadFile(j.file(".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf(
			"%s is not a valid report of a training: %w; delete it to train again", j.file(".json"),
			err)
	}
	if r.Fingerprint != c.fingerprint() || !c.draws(r.Content) {
		return nil, fmt.Errorf(
			"%s belongs to a training with other data or settings; delete it to train again",
			j.file(".json"))
	}
	if r.Best < 0 || r.Best >= len(r.History) {
		return nil, fmt.Errorf(
			"%s names epoch %d of %d as the best, which does not exist; delete it to train again",
			j.file(".json"), r.Best, len(r.History))
	}
	sum, err := hashFile(j.file(".onnx"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if r.ModelSHA256 != "" && r.ModelSHA256 != sum {
		return nil, fmt.Errorf(
			"%s is not the model that %s belongs to; delete the report to train again",
			j.file(".onnx"), j.file(".json"))
	}
	r.Learnt = r.History[r.Best].Validation.Loss < c.enough() // not every report says so
	return r, nil
}

// hashFile is the SHA-256 of a file.
func hashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
