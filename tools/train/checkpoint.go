package train

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A state is where a training stands: all that its next step depends on beside its Config.
type state struct {
	Version     int
	Fingerprint string // of the Config: no other training goes on from it
	Content     string // of its Set
	Step        int    // of the epoch: how many bags it has seen
	Sum         Score  // over them
	History     []Epoch
	BestLoss    float64
	BestEpoch   int
	Best        [][]float32 // parameters of the best epoch
	Parameters  [][]float32
	First       [][]float32 // Adam's moments
	Second      [][]float32
	Updates     int // of the parameters
}

const checkpointVersion = 1

// A CheckpointError is the reason why a training cannot continue from a file.
type CheckpointError struct{ File, Reason string }

func (e *CheckpointError) Error() string {
	return fmt.Sprintf("the training cannot continue from %s: %s; delete the file to start again",
		e.File, e.Reason)
}

// saveNow puts the state down if the last time was at least a while ago. The file is whole at all
// times.
func (t *training) saveNow(every time.Duration) error {
	if t.Checkpoint == "" || time.Since(t.saved) < every {
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
	return WriteFile(t.Checkpoint, b.Bytes())
}

// resume takes up the state of the checkpoint, if there is one.
func (t *training) resume() error {
	if t.Checkpoint == "" {
		return nil
	}
	data, err := os.ReadFile(t.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
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
	if s.Fingerprint != t.Config.fingerprint() || !t.draws(s.Content) {
		return &CheckpointError{t.Checkpoint,
			"the file belongs to a training with other data or settings"}
	}
	whole := s.Step >= 0 && s.Step <= len(t.Split.Train) && s.Updates >= 0 && s.BestEpoch >= 0 &&
		s.BestEpoch < max(len(s.History), 1)
	for _, list := range [][][]float32{s.Parameters, s.Best, s.First, s.Second} {
		whole = whole && len(list) == len(t.net.Parameters)
		for i := 0; whole && i < len(list); i++ {
			whole = len(list[i]) == len(t.net.Parameters[i].Values)
		}
	}
	if !whole {
		return &CheckpointError{t.Checkpoint, "its parts are inconsistent"}
	}
	for i, p := range t.net.Parameters {
		copy(p.Values, s.Parameters[i])
	}
	t.adam.m, t.adam.v, t.adam.steps = s.First, s.Second, s.Updates
	t.state = s
	return nil
}

// WriteFile writes a file that is the old one or the new one at all times, never half of it.
func WriteFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
