package host

import (
	"cmp"
	"context"
	"errors"
	"path"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/onnxbackend/signature"
	"github.com/bagscope/bagscope/wasm/wire"
)

// heldPatches are the patches of a slide, some of them encoded.
type heldPatches struct {
	*patches.Run
	slide int // handle
	by    int // handle of the encoder, or of the model that may contain one; 0 keeps the pixels
	view  *patches.Overview

	mu      sync.Mutex
	encoder *onnxbackend.Encoder // nil keeps the pixels
	model   *onnxbackend.Model   // nil if it is known whether the model contains an encoder
}

// bagName returns the name of a slide's bag: its file's without folders and ending.
func bagName(file string) string {
	base := path.Base(strings.ReplaceAll(file, "\\", "/"))
	if name := strings.TrimSuffix(base, path.Ext(base)); name != "" {
		return name
	}
	return base
}

// inRoom returns a context whose Memory is what the platform can still allocate.
func (h *Host) inRoom(ctx context.Context) context.Context {
	if h.config.Room == nil {
		return ctx
	}
	return quota.WithMemory(ctx, quota.NewMemory(h.config.Room()))
}

// tooLarge adds the way out to an error about the memory of a browser.
func (h *Host) tooLarge(err error, advice string) error {
	var full *quota.MemoryError
	if errors.As(err, &full) && h.config.Room != nil {
		full.Fixed = true
		full.Advice = "a program in a browser has at most 4 GB: " + advice
	}
	return err
}

// patches returns the patches with a handle.
func (h *Host) patches(handle int) (*heldPatches, error) {
	return find[*heldPatches](&h.handles, handle, "grid of patches")
}

// layPatches lays patches on a slide.
func (h *Host) layPatches(ctx context.Context, r wire.LayPatches) (any, error) {
	ctx = h.inRoom(ctx)
	s, err := h.slide(r.Grid.Slide)
	if err != nil {
		return nil, err
	}
	o := patches.Options{GridOptions: gridOptions(r.Grid), WholeSlide: r.Grid.Tissue == nil}
	if t := r.Grid.Tissue; t != nil {
		o.TissueOptions = slide.TissueOptions{Threshold: t.Threshold, Smallest: t.Smallest}
	}
	if err := readLaid(ctx, s, r, &o); err != nil {
		return nil, h.tooLarge(err, "use smaller files, or the command line")
	}
	p := &heldPatches{slide: r.Grid.Slide, by: cmp.Or(r.Encoder, r.Model)}
	var shape []int
	if r.Encoder != 0 {
		p.encoder, err = find[*onnxbackend.Encoder](&h.handles, r.Encoder, "encoder")
		if err == nil {
			shape = p.encoder.Shape()
		}
	} else if r.Model != 0 {
		if p.model, err = h.model(r.Model); err == nil {
			shape = p.model.Info().InstanceShape()
		}
	}
	if err != nil {
		return nil, err
	}
	if len(shape) == 2 {
		o.Channels = 1
	} else if len(shape) == 3 && shape[0] > 0 {
		o.Channels = shape[0]
	}
	pixels, view, err := p.pixelsOf(ctx, s, &o)
	if err != nil {
		return nil, err
	}
	p.view = view
	laid, err := patches.Lay(s.name, pixels, p.view, o)
	if err != nil {
		return nil, err
	}
	p.Run = patches.NewRun(laid)
	if err := h.adopt(ctx, p, r.From); err != nil {
		return nil, err
	}
	out := wire.PatchesLaid{Handle: h.handles.add(p), Grid: gridOf(laid.Grid), Stages: p.Stages,
		Order: p.Order(), Encoded: p.Encoded(), Method: laid.Method(), Share: 1,
		Notes: encoded(p).Notes}
	if laid.Mask != nil {
		out.Threshold, out.Share = laid.Mask.Threshold, laid.Mask.Share()
	}
	return out, nil
}

// pixelsOf returns the slide that patches are cut of, with its overview: of a slide of bands those
// that the encoder or the model takes.
func (p *heldPatches) pixelsOf(ctx context.Context, s *heldSlide, o *patches.Options) (
	*slide.Slide, *patches.Overview, error,
) {
	var m ask.Engine
	if p.model != nil {
		m = p.model
	}
	if err := ask.SetBands(o, p.encoder, m); err != nil {
		return nil, nil, err
	}
	if o.Bands == nil && s.Bands() == nil {
		view, err := s.small(ctx, 0)
		return s.Slide, view, err
	}
	banded, err := s.bands(o.Bands) // it refuses those of the slide if none are asked for
	if err != nil {
		return nil, nil, err
	}
	view, err := patches.ReadOverview(ctx, s.name, banded)
	return banded, view, err
}

// readLaid reads the files that lay patches.
func readLaid(ctx context.Context, s *heldSlide, r wire.LayPatches, o *patches.Options) error {
	var err error
	if r.Tissue != nil {
		o.WholeSlide, o.Threshold = false, 0
		o.Drawn, err = annotation.ReadArea(ctx, r.Tissue.Name, r.Tissue.Bytes)
	}
	for _, file := range r.Exclude {
		if err != nil {
			return err
		}
		var area *annotation.Area
		area, err = annotation.ReadArea(ctx, file.Name, file.Bytes)
		o.Excluded = append(o.Excluded, area)
	}
	if err == nil && r.Places != nil {
		o.PlacesFile = r.Places.Name
		o.Places, err = bagio.ReadPlaces(r.Places.Name, r.Places.Bytes, bagio.Options{
			SlideMPP: s.MicronsX, Limits: bagio.LimitsIn(quota.MemoryOf(ctx))}, s.name,
			bagName(s.name))
	}
	return err
}

// adopt takes the features of other patches of the same slide, by the same encoder.
func (h *Host) adopt(ctx context.Context, p *heldPatches, from int) error {
	if from == 0 {
		return nil
	}
	old, err := h.patches(from)
	if err != nil {
		return err
	}
	if old.slide != p.slide || old.by != p.by {
		return nil
	}
	return p.Adopt(ctx, old.Run)
}

// patchesWithEncoder returns the patches with a handle and their encoder, nil if they stay
// pictures.
func (h *Host) patchesWithEncoder(ctx context.Context, handle int) (
	*heldPatches, *onnxbackend.Encoder, error,
) {
	p, err := h.patches(handle)
	if err != nil {
		return nil, nil, err
	}
	encoder, err := p.findEncoder(ctx)
	return p, encoder, err
}

// findEncoder returns the encoder of the patches, or nil if they stay pictures. A model that takes
// pictures is split when the first of them are needed.
func (p *heldPatches) findEncoder(ctx context.Context) (*onnxbackend.Encoder, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.model == nil {
		return p.encoder, nil
	}
	e, err := p.model.Split(ctx, p.PictureShape())
	var none *onnxbackend.UnsupportedError
	if errors.As(err, &none) {
		e, err = nil, nil // all pixels are in memory together
	}
	if err == nil {
		p.encoder, p.model = e, nil
	}
	return e, err
}

// encodePatches encodes patches until so many are done.
func (h *Host) encodePatches(ctx context.Context, id uint32, r wire.EncodePatches) (any, error) {
	p, encoder, err := h.patchesWithEncoder(ctx, r.Patches)
	if err != nil {
		return nil, err
	}
	helpers := h.helpers(id, r.Helpers, r.Eager)
	defer h.closePool(id)
	var e patches.Encoder = pixels{}
	if encoder != nil {
		e = batched{encoder, helpers}
	}
	if err := p.Encode(h.inRoom(ctx), e, r.Until, h.encoding(id, r.Watch)); err != nil {
		return nil, h.tooLarge(err, "use fewer patches, an encoder in a file of its own, or the "+
			"command line")
	}
	return encoded(p), nil
}

// encoded describes which patches are encoded.
func encoded(p *heldPatches) wire.PatchesEncoded {
	out := wire.PatchesEncoded{Encoded: p.Encoded(), Shape: p.Shape()}
	out.Notes = p.pixelNotes()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.encoder != nil {
		out.Notes = append(out.Notes, p.encoder.Notes()...)
	}
	return out
}

// pixelNotes says what is doubtful about the pixels of patches, and what happens to them before
// they are encoded.
func (p *heldPatches) pixelNotes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	notes := append(p.Notes(), p.Slide.ViewNotes()...)
	switch {
	case p.encoder != nil:
		notes = append(notes, p.encoder.PixelNotes(p.PictureShape())...)
	case p.model != nil:
		notes = append(notes, p.model.PixelNotes(p.PictureShape())...)
	}
	return notes
}

// mostTogether is the number of patches that a program encodes at a time. Fewer cost nothing, as
// most encoders take a tenth of a second or more for each, and a cancelled request loses fewer.
const mostTogether = 4

// A share of fewer patches is not worth a message to a helper.
const leastShare = 8

// batched is an encoder with small batches, which helpers share.
type batched struct {
	*onnxbackend.Encoder
	helpers *onnxbackend.Helpers
}

// BatchSize implements patches.Encoder.
func (b batched) BatchSize(shape []int, bytes int64) int {
	if b.helpers == nil {
		return min(b.Encoder.BatchSize(shape, bytes), mostTogether)
	}
	fitting := bytes / 4
	for _, n := range shape {
		fitting /= int64(max(n, 1))
	}
	return int(max(1, min(fitting, int64(leastShare*(1+b.helpers.Count)))))
}

// Encode implements patches.Encoder.
func (b batched) Encode(ctx context.Context, bag *core.Bag) (*core.Bag, error) {
	return b.EncodeWith(ctx, bag, b.helpers)
}

// pixels is the encoder of models of pictures that contain none: a patch is its own features.
type pixels struct{}

// BatchSize implements patches.Encoder.
func (pixels) BatchSize([]int, int64) int { return mostTogether }

// Encode implements patches.Encoder.
func (pixels) Encode(_ context.Context, bag *core.Bag) (*core.Bag, error) { return bag, nil }

// continuePatches takes the features of a file.
func (h *Host) continuePatches(ctx context.Context, r wire.ContinuePatches) (any, error) {
	p, encoder, err := h.patchesWithEncoder(ctx, r.Patches)
	if err != nil {
		return nil, err
	}
	if err := p.Continue(h.inRoom(ctx), r.Name, r.Bytes, settingsOf(encoder)...); err != nil {
		return nil, err
	}
	return encoded(p), nil
}

// openPatches opens the patches that are encoded as a bag.
func (h *Host) openPatches(ctx context.Context, r wire.OpenPatches) (any, error) {
	p, encoder, err := h.patchesWithEncoder(ctx, r.Patches)
	if err != nil {
		return nil, err
	}
	var again patches.Encoder
	if encoder != nil {
		again = encoder
	}
	bag, err := p.FeatureBag(again)
	if err != nil {
		return nil, err
	}
	return h.opened(&heldBag{bag: bag, picture: p.view.Picture}), nil
}

// labelBag opens a bag of the same instances, and the same memory, with the labels of annotations.
func (h *Host) labelBag(ctx context.Context, r wire.LabelBag) (any, error) {
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	regions, err := annotation.ReadIn(h.inRoom(ctx), "the annotations", r.Annotations)
	if err != nil {
		return nil, h.withoutRoom(err)
	}
	bag := *b.bag
	if bag.Labels, err = geojson.Labels(b.bag, regions, nil); err != nil {
		return nil, err
	}
	if err := h.share(b.block); err != nil {
		return nil, err
	}
	return h.opened(&heldBag{&bag, b.picture, b.block, b.notes, b.covariates}), nil
}

// configuration is the kind of a file that states the pixels which an encoder takes.
const configuration = "configuration"

// recogniseFile says what a file states of the patches of a slide.
func (h *Host) recogniseFile(ctx context.Context, r wire.RecogniseFile) (any, error) {
	var open *slide.Slide
	if r.Slide != 0 {
		s, err := h.slide(r.Slide)
		if err != nil {
			return nil, err
		}
		open = s.Slide
	}
	kind := patches.KindOf(h.inRoom(ctx), r.File.Name, r.File.Bytes, open)
	if kind == patches.OtherFile && signature.StatesPixels(r.File.Bytes) {
		kind = configuration
	}
	return wire.FileRecognised{Kind: string(kind)}, nil
}

// writeFeatures writes the file of the patches that are encoded.
func (h *Host) writeFeatures(ctx context.Context, r wire.WriteFeatures) (any, error) {
	p, encoder, err := h.patchesWithEncoder(ctx, r.Patches)
	if err != nil {
		return nil, err
	}
	data, err := p.WriteFile(h.inRoom(ctx), settingsOf(encoder)...)
	if err != nil {
		return nil, h.tooLarge(err, "close other bags, or use the command line")
	}
	return wire.FeatureFile{Bytes: data}, nil
}

// settingsOf returns the attributes of a file about its encoder, those of bagscope tiles.
func settingsOf(e *onnxbackend.Encoder) []core.Setting {
	if e == nil {
		return nil
	}
	info := e.Info()
	return []core.Setting{{Name: "encoder", Value: info.Name},
		{Name: "encoder_sha256", Value: info.SHA256}}
}
