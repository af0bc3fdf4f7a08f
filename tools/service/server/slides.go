package server

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// An openEncoder opens the encoder of a registered model's folder in the Memory of a request.
type openEncoder func(m *quota.Memory) (*onnxbackend.Encoder, error)

// encoderOf returns how the encoder that a model's card names is opened, nil if it names none. A
// model that comes with a request has no file beside it: only encoders that the cards of registered
// models name can be opened.
func (s *Server) encoderOf(m ask.Engine) openEncoder {
	if s.Models == nil {
		return nil
	}
	return s.Models.encoders[m.Card().Encoder]
}

// slideFiles has what reading a slide needs beside its bytes.
type slideFiles struct {
	beside   fs.FS                 // see ask.Slides
	progress func(done, total int) // may be nil
	// keep is ask.Slides.Keep.
	keep func(description []byte) ask.Keeper
}

// slideReader returns bagio.Options.Slide for a model: the patches of a slide are encoded in the
// Memory of ctx, by the encoder that the model's card names or by its own layers. It is nil if
// neither encodes patches, and slides are pictures.
func (s *Server) slideReader(ctx context.Context, m ask.Engine, from source, files slideFiles,
) func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
	open, lay := s.encoderOf(m), from.Tiling.Lay(from.ReadOptions)
	if open == nil && !lay.Streams(m) {
		return nil
	}
	return func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
		if err := from.ForSlides(); err != nil {
			return nil, err
		}
		slides := ask.Slides{Lay: lay, Beside: files.beside, Progress: files.progress,
			Keep: files.keep}
		if open != nil {
			var err error
			if slides.Encoder, err = open(quota.MemoryOf(ctx)); err != nil {
				return nil, err
			}
		}
		set, err := slides.Reader(ctx, m)(name, r, size)
		var option *slide.OptionError
		if errors.As(err, &option) {
			err = &core.SettingError{Setting: option.Option, Reason: option.Reason}
		}
		return set, err
	}
}

// beside returns the files beside a file below the folder of bags, or nil for nil.
func (s *Server) beside(f *belowFile) fs.FS {
	if f == nil {
		return nil
	}
	files, err := fs.Sub(s.Bags.FS(), path.Dir(f.name))
	if err != nil {
		return nil
	}
	return files
}

// countSlide is bagio.Options.Slide of a job that is created: a slide is one bag, which is encoded
// when its turn comes. The file is opened, so that the set tells whether it is a slide.
func countSlide(m *quota.Memory) func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
	return func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
		if _, err := slide.OpenShown(name, r, size, slide.Options{Memory: m}); err != nil {
			return nil, err
		}
		return bagio.SetOf(&core.Bag{Name: ask.SlideName(name), Shape: []int{1},
			Values: []float32{0}}, nil), nil
	}
}

// slide returns bagio.Options.Slide of a job in work. Its slides are encoded while their bag has
// its turn, so that a job that is continued after a restart encodes only those that have no result,
// and of these only the patches whose features are not kept.
func (o *opened) slide(ctx context.Context, m ask.Engine, progress func(done, total int),
) func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
	read := o.server.slideReader(quota.WithMemory(ctx, o.setMemory), m, o.request.source,
		slideFiles{progress: progress, keep: func(description []byte) ask.Keeper {
			return o.keeper(o, description)
		}})
	if read == nil {
		return nil
	}
	if o.count {
		read = countSlide(o.setMemory)
	}
	return func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
		if slide.InSeveralFiles(name, r, size) {
			return nil, problem("bag", "%s is one of the files of a slide; jobs recognise a bag "+
				"by the bytes of its file, but its pixels are in others: explain it by /v1/explain",
				name)
		}
		return read(name, r, size)
	}
}

// addEncoder remembers the encoder that the card of a registered model names. It is opened for each
// request that needs it, because it takes memory that other requests do not need.
func (m *Models) addEncoder(files fs.FS, folder, name string, l Limits, on Processor) error {
	if name == "" || m.encoders[name] != nil {
		return nil
	}
	info, err := fs.Stat(files, name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return msg.Errorf("its card names the encoder %s, which cannot be read: %w", name, err)
	}
	l = l.withDefaults()
	m.encoders[name] = func(memory *quota.Memory) (*onnxbackend.Encoder, error) {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		data, err := readRegular(memory, root.FS(), name)
		if err != nil {
			return nil, err
		}
		card, err := readRegular(memory, root.FS(),
			strings.TrimSuffix(name, ".onnx")+".bagscope.json")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		published, err := publishedBeside(memory, root.FS(), name, card)
		if err != nil {
			return nil, err
		}
		limits := l.models(memory)
		limits.ModelBytes = 0
		return onnxbackend.OpenEncoder(data, onnxbackend.Options{Name: name, Card: card,
			Published: published,
			External:  onnxbackend.ExternalFS(root.FS()), Limits: limits, Workers: l.Workers,
			Device: on.Device, DeviceAlways: on.Always})
	}
	return nil
}
