package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/query"
)

// An openEncoder opens the encoder of a registered model's folder in the Memory of a request.
type openEncoder func(m *core.Memory) (*onnxbackend.Encoder, error)

// encoderOf returns how the encoder that a model's card names is opened, nil if it names none. A
// model that comes with a request has no file beside it: only encoders that the cards of registered
// models name can be opened.
func (s *Server) encoderOf(m query.Engine) openEncoder {
	if s.Models == nil {
		return nil
	}
	return s.Models.encoders[m.Card().Encoder]
}

// slideReader returns bagio.Options.Slide for a model: the patches of a slide are encoded in the
// memory of the request. Without an encoder it is nil, and slides are pictures.
func (s *Server) slideReader(ctx context.Context, memory *core.Memory, m query.Engine, cut query.Cut,
) func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
	open := s.encoderOf(m)
	if open == nil {
		return nil
	}
	return func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
		if err := cut.ForSlides(); err != nil {
			return nil, err
		}
		e, err := open(memory)
		if err != nil {
			return nil, err
		}
		lay := query.Lay{PatchSize: cut.PatchSize}
		set, err := query.Slides{Encoder: e, Lay: lay}.Reader(core.WithMemory(ctx, memory), m)(name,
			r, size)
		var option *slide.OptionError
		if errors.As(err, &option) {
			err = &core.SettingError{Setting: option.Option, Reason: option.Reason}
		}
		return set, err
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
		return fmt.Errorf("its card names the encoder %s, which cannot be read: %w", name, err)
	}
	l = l.withDefaults()
	m.encoders[name] = func(memory *core.Memory) (*onnxbackend.Encoder, error) {
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
		limits := l.models(memory)
		limits.ModelBytes = 0
		return onnxbackend.OpenEncoder(data, onnxbackend.Options{Name: name, Card: card,
			External: onnxbackend.ExternalFS(root.FS()), Limits: limits, Workers: l.Workers,
			Device: on.Device, DeviceAlways: on.Always})
	}
	return nil
}
