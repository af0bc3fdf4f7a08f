package cohort

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/bagscope/bagscope/onnxbackend"
)

// A model is an open model, with a hash of all its files in print.
type model struct {
	engine *onnxbackend.Model
	print  string
	again  func() (*onnxbackend.Model, error)
}

// models caches the models that this process used last, for all its workers. Four are enough,
// because a manifest is read in order. More could keep models of gigabytes that no further line
// needs.
var models = lru[*model]{capacity: 4}

// opened counts the models that this process has opened.
var opened atomic.Int64

// openModel returns a model with its card and external tensors, as the command line reads them.
func openModel(name string) (*model, error) {
	return models.get(name, func() (*model, error) {
		opened.Add(1)
		ctx := context.Background() // not the context of one line: other lines wait for the model
		data, err := readFile(ctx, name)
		if err != nil {
			return nil, err
		}
		stem := strings.TrimSuffix(name, path.Ext(name))
		card, err := readFile(ctx, stem+".bagscope.json")
		if err != nil && !notThere(err) {
			return nil, err
		}
		hash := sha256.New()
		fmt.Fprintf(hash, "%d %d\n", len(data), len(card))
		hash.Write(data)
		hash.Write(card)
		open := func(look func(location string, offset int64, data []byte)) (*onnxbackend.Model,
			error) {
			external, done, err := tensorsBeside(name, look)
			if err != nil {
				return nil, err
			}
			defer done()
			// Several bags are explained concurrently, each by one goroutine.
			return onnxbackend.Open(data, onnxbackend.Options{Name: base(name), Card: card,
				External: external, Workers: 1})
		}
		m := &model{}
		m.engine, err = open(func(location string, offset int64, data []byte) {
			fmt.Fprintf(hash, "%q %d %d\n", location, offset, len(data))
			hash.Write(data)
		})
		if err != nil {
			return nil, err
		}
		m.print = hex.EncodeToString(hash.Sum(nil))
		if m.engine.Info().Output == "" {
			m.again = func() (*onnxbackend.Model,
				error) {
				return open(func(string, int64, []byte) {})
			}
		}
		return m, nil
	})
}

// open returns the engine. If the first bag determines which output has the class scores, open
// returns a new copy for every bag, so that no bag has an influence on another one.
func (m *model) open() (*onnxbackend.Model, error) {
	if m.again != nil {
		return m.again()
	}
	return m.engine, nil
}

// tensorsBeside returns a reader of external tensors that also passes them to look.
func tensorsBeside(
	name string, look func(location string, offset int64, data []byte),
) (_ onnxbackend.ExternalData, done func(), err error) {
	var find onnxbackend.ExternalData
	if inBucket(name) {
		find, done = tensorsInBucket(name), func() {}
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
			look(location, offset, data)
		}
		return data, err
	}, done, nil
}

// tensorsInBucket reads whole objects and holds them until the model is open.
func tensorsInBucket(name string) onnxbackend.ExternalData {
	objects := map[string][]byte{}
	return func(location string, offset, length int64) ([]byte, error) {
		if _, ok := objects[location]; !ok {
			data, err := readFile(context.Background(), beside(name, location))
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
