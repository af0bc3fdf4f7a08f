package train

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"
	"time"

	"github.com/bagscope/bagscope/internal/atomicfile"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A state is the state of a training. With the Config it determines all further steps, bit for bit.
type state struct {
	Version     int    // checkpointVersion
	Fingerprint string // identifies the Config; a training with another one cannot continue
	Content     string // Set.Content
	Step        int    // number of bags that the current epoch has finished
	Sum         Score  // sum of their scores
	History     []Epoch
	BestLoss    float64     // least validation loss
	BestEpoch   int         // epoch that has it, from 0
	Best        [][]float32 // parameters after that epoch (parameter)(value)
	Parameters  [][]float32 // current parameters
	First       [][]float32 // Adam's first moments
	Second      [][]float32 // Adam's second moments
	Updates     int         // number of Adam's steps
}

// checkpointVersion must increase if the meaning of a field of state changes.
const checkpointVersion = 1

// A CheckpointError is the reason why a training cannot continue from a file.
type CheckpointError struct{ File, Reason string }

// Error implements error.
func (e *CheckpointError) Error() string {
	return fmt.Sprintf("the training cannot continue from %s: %s; delete the file to start again",
		e.File, e.Reason)
}

// save writes a checkpoint if the last one is older than the given interval. A crash during the
// write leaves the previous checkpoint.
func (t *training) save(interval time.Duration) error {
	if t.Checkpoint == "" || time.Since(t.saved) < interval {
		return nil
	}
	s := t.state
	s.Version, s.Fingerprint, s.Content = checkpointVersion, t.Config.fingerprint(), t.Set.Content
	s.First, s.Second, s.Updates = t.adam.m, t.adam.v, t.adam.steps
	s.Parameters = nil
	for _, p := range t.net.Parameters {
		s.Parameters = append(s.Parameters, p.Values)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		return err
	}
	t.saved = time.Now()
	return atomicfile.Write(t.Checkpoint, b.Bytes())
}

// resume restores the state of the checkpoint, if the file exists.
//
// Errors: *CheckpointError for a file that cannot be read or belongs to another training.
func (t *training) resume() error {
	if t.Checkpoint == "" {
		return nil
	}
	data, err := readIfExists(t.Checkpoint)
	if data == nil || err != nil {
		return err
	}
	var s state
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return &CheckpointError{t.Checkpoint, "the file cannot be read: " + err.Error()}
	}
	if s.Version != checkpointVersion {
		return &CheckpointError{t.Checkpoint,
			fmt.Sprintf("the file has version %d, but this program needs version %d", s.Version,
				checkpointVersion)}
	}
	if s.Fingerprint != t.Config.fingerprint() || !t.hasContent(s.Content) {
		return &CheckpointError{t.Checkpoint,
			"the file belongs to a training with other data or settings"}
	}
	// A damaged file can decode without an error. Wrong lengths would cause a panic later.
	consistent := s.Step >= 0 && s.Step <= len(t.Split.Train) && s.Updates >= 0 &&
		s.BestEpoch >= 0 &&
		s.BestEpoch < max(len(s.History), 1)
	for _, list := range [][][]float32{s.Parameters, s.Best, s.First, s.Second} {
		consistent = consistent && slices.EqualFunc(list, t.net.Parameters,
			func(values []float32, p *network.Parameter) bool {
				return len(values) == len(p.Values)
			})
	}
	if !consistent {
		return &CheckpointError{t.Checkpoint, "its parts are inconsistent"}
	}
	for i, p := range t.net.Parameters {
		copy(p.Values, s.Parameters[i])
	}
	t.adam.m, t.adam.v, t.adam.steps = s.First, s.Second, s.Updates
	t.state = s
	return nil
}
