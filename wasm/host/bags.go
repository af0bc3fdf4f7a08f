package host

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A heldBag is an open bag with the picture that it was cut from and the memory that its values are
// mapped from; both may be nil.
type heldBag struct {
	bag     *core.Bag
	picture image.Image
	block   *block
	notes   []string // notes on its file
	// covariates are those that its file states of each bag, see ask.Input.
	covariates [][]core.Covariate
}

// bag returns the open bag with a handle, whose values are read if they were not.
func (h *Host) bag(handle int) (*heldBag, error) {
	return h.wholeBag(context.Background(), handle, nil)
}

// wholeBag is bag with progress, which may be nil, until ctx ends.
func (h *Host) wholeBag(
	ctx context.Context, handle int, progress func(done, total int),
) (*heldBag, error) {
	b, err := find[openBag](&h.handles, handle, "bag")
	if err != nil {
		return nil, err
	}
	return b.whole(h, ctx, progress)
}

// An openBag is a bag with a handle. whole reads its values if they are not in memory.
type openBag interface {
	whole(h *Host, ctx context.Context, progress func(done, total int)) (*heldBag, error)
}

func (b *heldBag) whole(*Host, context.Context, func(done, total int)) (*heldBag, error) {
	return b, nil
}

// A heldSet is an open set of bags with the memory that it maps, or nil.
type heldSet struct {
	*bagio.Set
	block *block
}

// readBags reads a set of bags. The files' bytes become the values of the bags without a copy,
// because nothing else uses a message after it was received. Files that JavaScript keeps are read
// into the values.
func (h *Host) readBags(ctx context.Context, id uint32, r wire.ReadBags) (any, error) {
	o, err := h.bagOptions(r.Read, r.Model, r.InstanceShape, r.Limits)
	if err != nil {
		return nil, err
	}
	h.bounded(&o)
	o.Step = h.steps(ctx, h.progress(id, r.Watch))
	for _, f := range r.Files {
		o.Deferred = o.Deferred || f.Part > 0 && f.Width == 0
	}
	// Several files are the pictures of one bag.
	set, err := bagio.ReadFiles(ask.ListOf(r.Files, h.bagFile), o)
	if err != nil {
		return nil, h.withoutRoom(err)
	}
	out := h.bagsRead(set, nil)
	if r.Open == nil || *r.Open < 0 || *r.Open >= set.Len() {
		return out, nil
	}
	bag, err := h.openBag(wire.OpenBag{Set: out.Handle, Index: *r.Open})
	if err != nil {
		h.handles.release(out.Handle)
		return nil, err
	}
	opened := bag.(wire.BagOpened)
	out.Opened = &opened
	return out, nil
}

// survey measures the patches of a picture.
func (h *Host) survey(ctx context.Context, id uint32, r wire.Survey) (any, error) {
	o, err := h.bagOptions(r.Read, r.Model, r.InstanceShape, r.Limits)
	if err != nil {
		return nil, err
	}
	h.bounded(&o)
	o.Step = h.steps(ctx, h.progress(id, r.Watch))
	c, err := bagio.Survey(h.bagFile(r.File), o)
	if err != nil {
		return nil, h.withoutRoom(err)
	}
	return wire.Surveyed{Cut: *cutOf(c)}, nil
}

// viewTable returns how a table begins.
func (h *Host) viewTable(r wire.ViewTable) (any, error) {
	o, err := h.bagOptions(r.Read, r.Model, r.InstanceShape, r.Limits)
	if err != nil {
		return nil, err
	}
	h.bounded(&o)
	view, err := bagio.ViewTable(h.bagFile(r.File), o)
	if err != nil {
		return nil, h.withoutRoom(err)
	}
	out := wire.TableViewed{More: view.More,
		Columns: ask.ListOf(view.Columns, func(c bagio.ColumnView) wire.TableColumn {
			return wire.TableColumn{Name: c.Name, Label: c.Label, Role: string(c.Role),
				Cells: c.Cells}
		})}
	var question *bagio.QuestionError
	switch {
	case errors.As(view.Problem, &question): // its answers are choices of a column
		out.Problem = msg.Sprintf("%s: %s", question.File, msg.Text(question.Seen))
	case view.Problem != nil:
		out.Problem = ask.ErrorText(view.Problem, h.config.Program)
	}
	return out, nil
}

// bagFile returns a file of a request.
func (h *Host) bagFile(f wire.BagFile) bagio.File {
	file := bagio.File{Name: f.Name, Data: f.Bytes, Width: f.Width, Height: f.Height}
	if f.Part > 0 && h.config.Part != nil {
		whole := f.Width == 0
		file.Reader, file.Size = h.config.Part(f.Part, int64(f.Size), whole), int64(f.Size)
		if len(f.Bytes) > 0 {
			file.Reader, file.Data = begun{file.Reader, f.Bytes}, nil
		}
	}
	return file
}

// A begun file has its first bytes in memory: those of headers, each of which would be a call of
// JavaScript.
type begun struct {
	io.ReaderAt
	head []byte
}

// ReadAt implements io.ReaderAt.
func (b begun) ReadAt(p []byte, at int64) (int, error) {
	if at >= 0 && at <= int64(len(b.head)-len(p)) {
		return copy(p, b.head[at:]), nil
	}
	return b.ReaderAt.ReadAt(p, at)
}

// bounded bounds what reading takes by the room that the platform has. Pictures are then as large
// as it holds, unless the request limits them: those read part by part are never held.
func (h *Host) bounded(o *bagio.Options) {
	if h.config.Room == nil {
		return
	}
	// An allocation without room would end the program with everything that is open.
	m := quota.NewMemory(h.config.Room())
	o.Limits.Memory = m
	if o.Limits.Pixels == 0 {
		o.Limits.Pixels = bagio.LimitsIn(m).Pixels
	}
}

// steps returns a function that ends reading when the request is cancelled, and calls send, which
// may be nil.
func (h *Host) steps(ctx context.Context, send func(done, total int)) func(done, total int) error {
	return func(done, total int) error {
		if send != nil {
			send(done, total)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
}

// cutOf returns how a picture was cut, nil for nil.
func cutOf(c *bagio.Cut) *wire.Cut {
	if c == nil {
		return nil
	}
	return &wire.Cut{Size: c.Size, Stride: c.Stride, Background: c.Background,
		Channels: c.Channels, Width: c.Width, Height: c.Height, Across: c.Across, Down: c.Down,
		Means: c.Means}
}

// withoutRoom adds to an error about the memory of a browser's program that no option raises it.
func (h *Host) withoutRoom(err error) error {
	var full *quota.MemoryError
	if errors.As(err, &full) && h.config.Room != nil {
		full.Fixed = true
		full.Advice = "a program in a browser has at most 4 GB: close other bags, or use the " +
			"command line"
	}
	return err
}

// readBagFile reads a set of bags by the path of its file.
func (h *Host) readBagFile(ctx context.Context, id uint32, r wire.ReadBagFile) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"a bag by its path"}
	}
	o, err := h.bagOptions(r.Read, r.Model, r.InstanceShape, r.Limits)
	if err != nil {
		return nil, err
	}
	var set *bagio.Set
	if r.Encoding == nil {
		set, err = h.config.System.ReadBags(ctx, r.Path, o)
	} else if m, wrong := h.files(r.Model); wrong != nil {
		err = wrong
	} else {
		set, err = h.config.System.ReadSlide(ctx, r, m, o, h.encoding(id, r.Watch))
	}
	if err != nil {
		return nil, err
	}
	return h.bagsRead(set, nil), nil
}

// bagsRead stores a set under a new handle and returns its description.
func (h *Host) bagsRead(set *bagio.Set, b *block) wire.BagsRead {
	return wire.BagsRead{Handle: h.handles.add(&heldSet{set, b}), Names: set.Names(),
		Notes: set.Notes(), Cut: cutOf(set.Cut()), Deferred: set.Deferred()}
}

// bagOptions returns the options of a request that reads bags. The shape of an instance
// overrides that of the model; the handle of the model is 0 for none.
func (h *Host) bagOptions(
	read ask.ReadOptions, model int, shape []int, limits *wire.BagLimits,
) (bagio.Options, error) {
	var m ask.Described
	if model != 0 {
		var err error
		if m, err = find[servedModel](&h.handles, model, "model"); err != nil {
			return bagio.Options{}, err
		}
	}
	o := read.Options(m)
	if shape != nil {
		o.InstanceShape, o.Layout, o.Axis, o.Batch = shape, nil, 0, false
	}
	if l := limits; l != nil {
		o.Limits = bagio.Limits{Bytes: int64(l.Bytes), Elements: int64(l.Elements),
			Pixels: int64(l.Pixels), Instances: int64(l.Instances), Bags: int64(l.Bags),
			Columns: int64(l.Columns)}
	}
	return o, nil
}

// openBag opens one bag of a set.
func (h *Host) openBag(r wire.OpenBag) (any, error) {
	set, err := find[*heldSet](&h.handles, r.Set, "set of bags")
	if err != nil {
		return nil, err
	}
	if set.Deferred() && r.Labels == nil {
		return h.openLater(set.Set, r.Index)
	}
	if err := h.share(set.block); err != nil {
		return nil, err
	}
	b, err := set.Bag(r.Index)
	if err == nil && r.Labels != nil {
		// Not nil: without any label the number of labels is wrong too.
		b.Labels = append([]int{}, *r.Labels...)
		err = b.Validate()
	}
	if err != nil {
		h.drop(set.block)
		return nil, err
	}
	// The picture belongs to the bag, so that it can be drawn after the set is closed.
	held := &heldBag{b, set.Picture(r.Index), set.block, set.Notes(), set.Covariates()}
	return h.opened(held), nil
}

// selectInstances opens a bag of some instances of another bag. It has the same picture.
func (h *Host) selectInstances(r wire.SelectInstances) (any, error) {
	if len(r.Instances) == 0 {
		return nil, &core.SettingError{Setting: "instances",
			Reason: "no instance is selected; a bag needs at least one"}
	}
	if later, err := find[*laterBag](&h.handles, r.Bag, "bag"); err == nil {
		return later.some(h, r.Instances)
	}
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	if err := inRange("instances", r.Instances, b.bag.Len()); err != nil {
		return nil, err
	}
	return h.opened(&heldBag{b.bag.Select(r.Instances), b.picture, nil, b.notes, b.covariates}), nil
}

// joinBags opens a bag of the instances of two bags. It has no picture, because the bags may have
// different ones.
func (h *Host) joinBags(r wire.JoinBags) (any, error) {
	a, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	b, err := h.bag(r.Other)
	if err != nil {
		return nil, err
	}
	if h.config.Room != nil {
		// With copies the first bag, and copies it again when it appends the second.
		need := 4 * int64(3*len(a.bag.Values)+2*len(b.bag.Values))
		if err := quota.NewMemory(h.config.Room()).Reserve(need, "the joined bag"); err != nil {
			return nil, h.withoutRoom(err)
		}
	}
	joined, err := a.bag.With(b.bag)
	if err != nil {
		return nil, err
	}
	return h.opened(&heldBag{joined, nil, nil, slices.Concat(a.notes, b.notes), a.covariates}), nil
}

// stateInputs opens a bag of the same instances, and the same memory, with other covariates.
func (h *Host) stateInputs(r wire.StateInputs) (any, error) {
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	list, err := core.ParseCovariates(r.Inputs)
	if err != nil {
		return nil, err
	}
	if err := h.share(b.block); err != nil {
		return nil, err
	}
	stated := b.bag.WithCovariates(list...)
	return h.opened(&heldBag{stated, b.picture, b.block, b.notes, b.covariates}), nil
}

// values returns the values of a bag.
func (h *Host) values(r wire.GetValues) (any, error) {
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	return wire.Values{Values: b.bag.Values}, nil
}

// opened stores a bag under a new handle and returns its description.
func (h *Host) opened(b *heldBag) wire.BagOpened {
	return wire.BagOpened{Handle: h.handles.add(b), Info: infoOf(b.bag, b.bag.Len())}
}

// infoOf describes a bag of so many instances.
func infoOf(b *core.Bag, instances int) wire.BagInfo {
	info := wire.BagInfo{Name: b.Name, Instances: instances, Shape: b.Shape, Raw: b.Raw,
		Slide: b.Slide, Covariates: b.Covariates, Noun: core.NounOf(core.Noun{}, b),
		InstanceNames: ask.List(b.InstanceNames), FeatureNames: ask.List(b.FeatureNames)}
	if b.Pictures != nil {
		shape := b.Pictures.Shape()
		info.Pictures = &shape
	}
	// Absent parts are null in JavaScript, so that a page can distinguish them from empty lists.
	if b.Boxes != nil {
		boxes := ask.ListOf(b.Boxes, func(r image.Rectangle) wire.Box {
			return wire.Box{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
		})
		info.Boxes = &boxes
	}
	info.Slices = slicesOf(b)
	if b.Labels != nil {
		info.Labels = &b.Labels
	}
	if b.Class != nil {
		info.Classes = &b.Class
	}
	return info
}

// without returns the bag without the removed instances, and the indices of the others. If none is
// removed, it returns the bag itself, whose encoding may exist.
func without(b *core.Bag, removed []int) (*core.Bag, []int, error) {
	k := b.Len()
	if err := inRange("without", removed, k); err != nil {
		return nil, nil, err
	}
	remaining := others(removed, k)
	switch len(remaining) {
	case 0:
		return nil, nil, &core.SettingError{Setting: "without",
			Reason: "every instance is removed; a bag needs at least one"}
	case k:
		return b, remaining, nil
	}
	return b.Select(remaining), remaining, nil
}

// inRange returns a *core.SettingError unless all instances are in a bag of k.
func inRange(setting string, instances []int, k int) error {
	for _, i := range instances {
		if i < 0 || i >= k {
			return &core.SettingError{Setting: setting,
				Reason: fmt.Sprintf("the bag has no instance %d, only 0 to %d", i, k-1)}
		}
	}
	return nil
}

// others returns the instances of a bag of k that a list does not have. The list may name an
// instance more than once.
func others(instances []int, k int) (out []int) {
	listed := make([]bool, k)
	for _, i := range instances {
		listed[i] = true
	}
	for i, is := range listed {
		if !is {
			out = append(out, i)
		}
	}
	return out
}
