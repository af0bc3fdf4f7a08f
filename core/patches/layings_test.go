package patches_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

var update = flag.Bool("update", false, "write testdata/layings.txt")

// oneOf returns one of a list.
func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// drawnOptions returns settings of patches, valid or not.
func drawnOptions(r *rand.Rand) patches.Options {
	return patches.Options{
		GridOptions: slide.GridOptions{PatchSize: oneOf(r, 0, 4, 7, 8, 16, 16, 32),
			Microns: oneOf(r, 0, 0, 0, .5, 1, 2, .25, -1), Overlap: oneOf(r, 0, 0, 2, 4),
			MinTissue: oneOf(r, 0, 0, .3, .9, 2)},
		TissueOptions: slide.TissueOptions{Threshold: oneOf(r, 0, 0, 9, 100, 255, 300)},
		WholeSlide:    r.IntN(2) == 0, Channels: oneOf(r, 0, 3, 1),
		SlideMicrons: oneOf(r, 0, 0, 0, .25, math.Inf(1)), UsualMicrons: oneOf(r, 0, 0, .5, -2)}
}

// laying returns what the patches of a slide are, and a run of some of them that another one
// continues; or the type of an error.
func laying(t *testing.T, r *rand.Rand, name string, o patches.Options) string {
	m := quota.NewMemory(1 << 24)
	ctx := quota.WithMemory(t.Context(), m)
	p, err := patches.Open(ctx, name, opened(t, name), o)
	if err != nil {
		var option *slide.OptionError
		_ = errors.As(err, &option)
		return fmt.Sprintf("%T %+v %t %t", err, option,
			strings.Contains(err.Error(), "lower tissue-threshold"),
			strings.Contains(err.Error(), "lower min-tissue"))
	}
	about := p.About()
	out := fmt.Sprint(p.Len(), p.Grid.Boxes, about, p.PictureShape(), p.Microns(), p.Overlap(),
		p.Method(), len(p.Notes()), m.Peak())
	if p.Mask != nil {
		out += fmt.Sprint(p.Mask.Threshold, p.Mask.Tissue)
	}
	out += fmt.Sprint(crc32.ChecksumIEEE(p.MaskPicture().Pix))
	again, err := patches.Lay(name, p.Slide, must.Get(patches.ReadOverview(ctx, name, p.Slide))(t),
		drawnOptions(r))
	if out += fmt.Sprintf("%T", err); err == nil {
		out += fmt.Sprint(again.Len())
	}
	run, calls := patches.NewRun(p), 0
	out += fmt.Sprint(run.Stages, run.Order())
	until := r.IntN(p.Len() + 1)
	e := means{size: 1 + r.IntN(4), calls: &calls}
	must.Do(t, run.Encode(ctx, e, until, func(done, total int) { out += fmt.Sprint(done, total) }))
	out += fmt.Sprint(calls, run.Done(), run.Encoded(), run.Shape(), m.Held(), m.Peak())
	o.MinTissue = oneOf(r, 0, .5)
	p, err = patches.Open(ctx, name, opened(t, name), o)
	if err != nil {
		return out + fmt.Sprintf("%T", err)
	}
	next := patches.NewRun(p)
	must.Do(t, next.Adopt(ctx, run))
	if file, err := run.WriteFile(ctx); err == nil {
		out += fmt.Sprint("file ", crc32.ChecksumIEEE(file), m.Peak())
		for _, part := range []int{len(file), r.IntN(len(file)), len(file) - 1} {
			later := patches.NewRun(p)
			out += fmt.Sprintf("%T", later.Continue(ctx, "a.h5", file[:part]))
			out += fmt.Sprint(later.Done(), later.Encoded(), m.Held())
		}
	} else {
		out += fmt.Sprintf("no file %T", err)
	}
	out += fmt.Sprint(next.Done(), next.Encoded())
	must.Do(t, next.Encode(ctx, e, next.Len(), nil))
	bag := must.Get(next.FeatureBag(nil))(t)
	return out + fmt.Sprint(calls, bag.Shape, bag.Values, bag.Boxes, *bag.Slide)
}

// TestLayings lays and encodes the patches of slides by random settings.
func TestLayings(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	var names, results []string
	for n := range 160 {
		name := oneOf(r, "none_big_endian.tif", "lzw_predictor.tif", "grey.tif", "packbits.tif")
		names = append(names, fmt.Sprint(n, " ", name))
		results = append(results, laying(t, r, name, drawnOptions(r)))
	}
	testfile.Recorded(t, "testdata/layings.txt", *update, names, results)
}

// A spoiled reader fails from a number of calls on.
type spoiled struct {
	io.ReaderAt
	left int
}

var errSpoiled = errors.New("the disk is broken")

func (s *spoiled) ReadAt(p []byte, at int64) (int, error) {
	if s.left--; s.left < 0 {
		return 0, errSpoiled
	}
	return s.ReaderAt.ReadAt(p, at)
}

// TestReadErrors breaks the disk before each read of a slide: every use of it returns the error.
func TestReadErrors(t *testing.T) {
	data := must.Get(os.ReadFile("../slide/testdata/none_big_endian.tif"))(t)
	uses := func(left int) (reads int, err error) {
		disk := &spoiled{bytes.NewReader(data), left}
		err = func() error {
			s, err := slide.Open("a.tif", disk, int64(len(data)))
			if err != nil {
				return err
			}
			p, err := patches.Open(t.Context(), "a", s, patches.Options{
				GridOptions: slide.GridOptions{PatchSize: 64}, WholeSlide: true})
			if err != nil {
				return err
			}
			if _, err := p.Bag(t.Context(), 0, p.Len()); err != nil {
				return err
			}
			run := patches.NewRun(p)
			if err := run.Encode(t.Context(), means{size: 1, calls: new(int)}, p.Len(),
				nil); err != nil {
				return err
			}
			_, err = p.Features(t.Context(), means{size: 2, calls: new(int)}, nil)
			return err
		}()
		return left - disk.left, err
	}
	reads := must.Get(uses(math.MaxInt))(t)
	for left := range reads {
		must.Is(t, must.Err(uses(left)), errSpoiled, left, reads)
	}
}

// TestEndedRuns ends the context of a run after each batch: what is done stays, and the cause is
// returned.
func TestEndedRuns(t *testing.T) {
	p := laid(t)
	cause := errors.New("stopped")
	for at := range p.Len() {
		run := patches.NewRun(p)
		ctx, stop := context.WithCancelCause(t.Context())
		err := run.Encode(ctx, means{size: 1, calls: new(int)}, p.Len(), func(done, _ int) {
			if done > at {
				stop(cause)
			}
		})
		if !errors.Is(err, cause) || run.Done() <= at || len(run.Encoded()) != run.Done() {
			// A batch that was read already is encoded, and the last one may end the run.
			if run.Done() < p.Len() || err != nil && !errors.Is(err, cause) {
				t.Fatalf("ended at %d: %d are done, %v", at, run.Done(), err)
			}
		}
		stop(nil)
		must.Do(t, run.Encode(t.Context(), means{size: 3, calls: new(int)}, p.Len(), nil))
		must.Equal(t, run.Done(), p.Len())
	}
	var none *core.BagError
	must.As(t, must.Err(patches.NewRun(p).FeatureBag(nil)), &none)
}
