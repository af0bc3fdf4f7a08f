package cli

import (
	"bytes"
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
)

// described returns a file of five patches of two features.
func described() bagio.FeatureFile {
	return bagio.FeatureFile{Name: "slide", Corners: make([]image.Point, 5), Features: 2,
		PatchSize: 8, Slide: core.Slide{PatchSize: 8}}
}

// counted passes the features of the patches from a number on, one by one, and ends with an error
// before patch `until`.
func counted(until int, end error) func(int, func(*core.Bag) error) error {
	return func(from int, sink func(*core.Bag) error) error {
		for i := from; i < 5; i++ {
			if i == until {
				return end
			}
			bag := &core.Bag{Shape: []int{2}, Values: []float32{float32(i), float32(-i)}}
			if err := sink(bag); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestWriteFeaturesContinues interrupts a file at each patch. The continued file has the bytes of
// one that was written at once, and nothing has the file's name before it is complete.
func TestWriteFeaturesContinues(t *testing.T) {
	folder := t.TempDir()
	whole := filepath.Join(folder, "whole.h5")
	must.Do(t, WriteFeatures(t.Context(), whole, described(), counted(-1, nil)))
	want := must.Get(os.ReadFile(whole))(t)
	for until := range 5 {
		path := filepath.Join(folder, "part.h5")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := WriteFeatures(ctx, path, described(), counted(until, ctx.Err()))
		must.Is(t, err, context.Canceled, until)
		must.Equal(t, errors.As(err, new(resumable)), until > 0, until)
		must.Fail(t, must.Err(os.Stat(path)))
		// A write that was cut off leaves half a patch.
		f := must.Get(os.OpenFile(path+partial, os.O_APPEND|os.O_WRONLY, 0))(t)
		f.Write([]byte{1, 2, 3})
		f.Close()
		must.Do(t, WriteFeatures(t.Context(), path, described(), func(from int,
			sink func(*core.Bag) error) error {
			if from != until {
				t.Errorf("it continues at patch %d, want %d", from, until)
			}
			return counted(-1, nil)(from, sink)
		}))
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("continued at patch %d: %d bytes, %v, want %d",
				until, len(got), err, len(want))
		}
		os.Remove(path)
	}
}

// TestWriteFeaturesOfOtherSettings leaves a file that was begun with other settings as it is.
func TestWriteFeaturesOfOtherSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	full := errors.New("the encoder failed")
	err := WriteFeatures(t.Context(), path, described(), counted(3, full))
	must.Is(t, err, full)
	before := must.Get(os.ReadFile(path + partial))(t)
	other := described()
	other.Overlap = 4
	err = WriteFeatures(t.Context(), path, other, counted(-1, nil))
	must.Fail(t, err, "overlap was 0 and is 4 now; remove")
	if after, _ := os.ReadFile(path + partial); !bytes.Equal(after, before) {
		t.Error("the file was changed")
	}
}

// TestWriteFeaturesKeepsCompleteFile encodes nothing again.
func TestWriteFeaturesKeepsCompleteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	for _, rows := range []func(int, func(*core.Bag) error) error{counted(-1, nil),
		counted(0, errors.New("it was encoded again"))} {
		must.Do(t, WriteFeatures(t.Context(), path, described(), rows))
	}
	places := described()
	places.Features = 0
	path = filepath.Join(t.TempDir(), "b.h5")
	for range 2 {
		must.Do(t, WriteFeatures(t.Context(), path, places, nil))
	}
	wrong := counted(-1, nil)
	more := described()
	more.Features = 3
	must.As(t, WriteFeatures(t.Context(), path, more, wrong), new(*core.BagError))
}
