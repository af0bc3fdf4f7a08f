package cohort

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// A model is an open model.
type model struct {
	engine ask.Engine
	hash   string // hash of the file, the card, the external tensors and the encoder
	// encoder encodes the patches of slides, or is nil.
	encoder *onnxbackend.Encoder
	// reopen opens a new copy. It is nil if the engine does not depend on the first bag.
	reopen func() (ask.Engine, error)
}

// models caches the models that this process used last, for all its workers. Four are enough,
// because a manifest is read in order. More could keep models of gigabytes that no further line
// needs.
var models = lru[*model]{capacity: 4}

// opened counts the models that this process has opened.
var opened atomic.Int64

// openModel returns a model with its card and external tensors, as the command line reads them.
func openModel(ctx context.Context, name string) (*model, error) {
	if quota.MemoryOf(ctx) != nil {
		return loadModel(ctx, name) // the memory of a line ends with the line
	}
	return models.get(name, func() (*model, error) {
		// The context of one line must not end the read, because other lines wait for the model.
		return loadModel(context.Background(), name)
	})
}

// loadModel is openModel without the cache, in the memory of ctx. A folder is its models, as one.
func loadModel(ctx context.Context, name string) (*model, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() && !inBucket(name) {
		return loadFolds(ctx, name)
	}
	opened.Add(1)
	data, err := readFile(ctx, name, maxFile)
	if err != nil {
		return nil, err
	}
	// A card beside the model overrides the one inside it.
	stem := strings.TrimSuffix(name, path.Ext(name))
	card, err := readFile(ctx, stem+".bagscope.json", maxFile)
	if err != nil && !notThere(err) {
		return nil, err
	}
	published, err := publishedBeside(ctx, name, card)
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	// The lengths separate the two files in the hash.
	fmt.Fprintf(hash, "%d %d\n", len(data), len(card))
	hash.Write(data)
	hash.Write(card)
	hashPublished(hash, published)
	open := func(
		observe func(location string, offset int64, data []byte),
	) (ask.Engine, error) {
		external, done, err := tensorsBeside(ctx, name, observe)
		if err != nil {
			return nil, err
		}
		defer done()
		// Several bags are explained concurrently, each by one goroutine.
		return onnxbackend.Open(data, onnxbackend.Options{Name: base(name), Card: card,
			Published: published, External: external, Workers: 1,
			Limits: onnxbackend.LimitsIn(quota.MemoryOf(ctx))})
	}
	m := &model{}
	m.engine, err = open(func(location string, offset int64, data []byte) {
		fmt.Fprintf(hash, "%q %d %d\n", location, offset, len(data))
		hash.Write(data)
	})
	if err != nil {
		return nil, err
	}
	if err := m.addEncoder(ctx, name, hash); err != nil {
		return nil, err
	}
	m.hash = hex.EncodeToString(hash.Sum(nil))
	if m.engine.Info().Output == "" {
		m.reopen = func() (ask.Engine, error) {
			return open(func(string, int64, []byte) {})
		}
	}
	return m, nil
}

// loadFolds returns the models of a folder as one. Slides have the encoder of the first.
func loadFolds(ctx context.Context, folder string) (*model, error) {
	names, err := onnxbackend.Folds(os.DirFS(folder))
	if err == nil && len(names) == 0 {
		err = errors.New("it is a folder without .onnx files")
	}
	if err != nil {
		return nil, &FileError{Path: folder, Err: err}
	}
	var folds []*model
	m, hash := &model{}, sha256.New()
	for _, name := range names {
		fold, err := loadModel(ctx, filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		folds = append(folds, fold)
		fmt.Fprintln(hash, fold.hash)
		if fold.reopen != nil {
			m.reopen = func() (ask.Engine, error) { return joined(folds) }
		}
	}
	m.encoder, m.hash = folds[0].encoder, hex.EncodeToString(hash.Sum(nil))
	m.engine, err = joined(folds)
	return m, err
}

// joined opens models as one.
func joined(folds []*model) (ask.Engine, error) {
	var list []ask.Engine
	for _, fold := range folds {
		m, err := fold.open()
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return ask.NewEnsemble(list, "")
}

// open returns the engine. If the first bag determines which output has the class scores, open
// returns a new copy for every bag, so that no bag has an influence on another one.
func (m *model) open() (ask.Engine, error) {
	if m.reopen != nil {
		return m.reopen()
	}
	return m.engine, nil
}

// tensorsBeside returns a reader of external tensors that also passes them to observe. The caller
// must call done after the model is open.
func tensorsBeside(
	ctx context.Context, name string, observe func(location string, offset int64, data []byte),
) (_ onnxbackend.ExternalData, done func(), err error) {
	var find onnxbackend.ExternalData
	if inBucket(name) {
		find, done = tensorsInBucket(ctx, name), func() {}
	} else {
		folder, err := os.OpenRoot(filepath.Dir(name))
		if err != nil {
			return nil, nil, &FileError{Path: name, Err: err}
		}
		find, done = onnxbackend.ExternalFS(folder.FS()), func() { folder.Close() }
	}
	return func(location string, offset, length int64) ([]byte, error) {
		data, err := find(location, offset, length)
		if err == nil {
			observe(location, offset, data)
		}
		return data, err
	}, done, nil
}

// tensorsInBucket reads whole objects and holds them until the model is open.
func tensorsInBucket(ctx context.Context, name string) onnxbackend.ExternalData {
	objects := map[string][]byte{}
	return func(location string, offset, length int64) ([]byte, error) {
		// Beam's file systems cannot read a part of an object.
		if _, ok := objects[location]; !ok {
			data, err := readFile(ctx, beside(name, location), maxFile)
			if notThere(err) {
				return nil, fs.ErrNotExist
			}
			if err != nil {
				return nil, err
			}
			objects[location] = data
		}
		return onnxbackend.ExternalFiles(objects)(location, offset, length)
	}
}
