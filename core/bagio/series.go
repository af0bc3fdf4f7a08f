package bagio

import (
	"cmp"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/internal/msg"
)

// A seriesFile is a file that may belong to a series. open returns its content, and a function that
// closes it.
type seriesFile struct {
	name string
	open func() (*source, func(), error)
}

// A slice is a frame of a file: its place in the list of files, and in the file.
type slice struct {
	member, frame int
	at            core.Slice
	number        int // instance number of its file in the series
	counted       bool
	width, height int
}

// A series is what the headers of its files say.
type series struct {
	name          string // name of its first file, for messages
	modality      string
	number        int
	numbered      bool
	width, height int
	colour, bytes bool
	burned        int // files that state burned-in text
	frameBytes    int64
	thickness     float64
	slices        []slice
	distances     []float64 // mm of slices along their normal, ascending, or nil
	odd           string    // the first file of another size than the others, or ""
	origin        *core.Origin
	joined        int // series that it was made of, see joinSeries
}

// readSeries returns the bag of a series: each frame is an instance, in the order of positions in
// the patient. Members without pictures are left out, with a note. name is the file or the folder
// for messages. Files of several series are a *QuestionError, unless o.Series states one, or all.
func readSeries(members []seriesFile, name string, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	all, left, err := surveySeries(members, o.Step, l)
	if err != nil {
		return nil, err
	}
	s, err := chooseSeries(all, name, o.Series, l)
	if err != nil {
		return nil, err
	}
	sampler, err := o.takeSampler()
	if err != nil {
		return nil, err
	}
	if err := s.alike(sampler, o.InstanceShape); err != nil {
		return nil, err
	}
	var notes []string
	if s.joined == 0 {
		notes = s.sort()
	} else {
		notes = []string{msg.Sprintf("Instances are the pictures of %d series, one series after "+
			"another.", s.joined)}
	}
	var windows core.Windows
	if !s.colour && !s.bytes {
		if windows, err = o.takeWindows(); err != nil {
			return nil, err
		}
	}
	var places []core.Slice
	for _, one := range s.slices {
		places = append(places, one.at)
	}
	var array *Array
	if sampler.none() {
		array, err = s.read(members, name, windows, o, l)
	} else {
		var sampled []string
		array, places, sampled, err = s.sampled(members, name, sampler, windows, o, l)
		notes = append(notes, sampled...)
	}
	if err != nil {
		return nil, err
	}
	set, err := oneBag(name, array, o)
	if err != nil {
		return nil, err
	}
	set.notes = append(set.notes, s.notes(notes, left, windows)...)
	set.kind = msg.Sprintf("%s series", msg.Text(cmp.Or(s.modality, "DICOM")))
	if s.joined > 0 {
		set.noun = core.Noun{One: "picture", Several: "pictures"}
		return set, nil
	}
	set.noun, set.slices = sliceNoun, places
	if s.odd == "" { // a map over the slices has one size
		set.origin = s.origin
	}
	return set, nil
}

// sliceNoun is what an instance of a volume is called.
var sliceNoun = core.Noun{One: "slice", Several: "slices"}

// surveySeries reads the headers of all members, and returns their series in the order of their
// numbers, and how many members have no pictures. If none has, the error is that of the first one.
// step is Options.Step.
func surveySeries(
	members []seriesFile, step func(done, total int) error, l Limits,
) (all []*series, left int, err error) {
	by := map[string]*series{}
	var without error
	for i, m := range members {
		if step != nil {
			if err := step(i, len(members)); err != nil {
				return nil, 0, err
			}
		}
		s, done, err := m.open()
		if err != nil {
			return nil, 0, err
		}
		f, err := openDICOMFile(s, l)
		if err != nil {
			done()
			if withoutPictures(err) {
				without = cmp.Or(without, err)
				left++
				continue
			}
			return nil, 0, err
		}
		one := by[f.Series]
		if one == nil {
			one = &series{name: m.name, origin: f.Origin(), modality: f.Modality,
				number: f.SeriesNumber, numbered: f.Numbered, width: f.Width, height: f.Height,
				colour: f.Colour, bytes: true, thickness: f.Thickness}
			by[f.Series], all = one, append(all, one)
		}
		err = one.add(i, m.name, f, l)
		f.Close()
		done()
		if err != nil {
			return nil, 0, err
		}
	}
	if len(all) == 0 {
		return nil, 0, without
	}
	slices.SortStableFunc(all, func(a, b *series) int { return cmp.Compare(a.number, b.number) })
	return all, left, nil
}

// add adds the frames of a file to its series.
func (s *series) add(member int, name string, f *dicom.File, l Limits) error {
	if f.Colour != s.colour {
		return bad(name, "one of it and %s of the same series has colours; all slices of a bag "+
			"must be alike: put the others into a folder of their own", s.name)
	}
	if s.odd == "" && (f.Width != s.width || f.Height != s.height) {
		s.odd = name
	}
	if err := l.instances(name, int64(len(s.slices))+int64(f.Frames)); err != nil {
		return err
	}
	if len(s.slices) > 0 {
		s.origin.Images = append(s.origin.Images, f.Origin().Images...)
	}
	for i := range f.Frames {
		at := f.Slice(i)
		at.Image = len(s.origin.Images) - 1
		s.slices = append(s.slices, slice{member, i, at, f.Instance, f.Counted, f.Width,
			f.Height})
	}
	s.bytes = s.bytes && f.Bytes()
	s.frameBytes = max(s.frameBytes, f.FrameBytes())
	if f.BurnedIn {
		s.burned++
	}
	return nil
}

// alike returns an error unless all slices have a size, or get one as they are sampled.
func (s *series) alike(to sampler, shape []int) error {
	if s.odd == "" || to.Fit || to.Pixels > 0 {
		return nil
	}
	way := "put the others into a folder of their own, or state a spacing, such as 0.8 mm"
	if len(shape) >= 2 && min(to.height, to.width) > 0 {
		way += "; with spacing fit each is scaled to the model's input"
	}
	return bad(s.odd, "it has not the %d x %d pixels of %s, and all slices of a bag must be "+
		"alike: %s", s.width, s.height, s.name, msg.Text(way))
}

// allSeries is what callers state to take the pictures of all series.
const allSeries = "all"

// joinSeries returns one list of the pictures of several series, each in its own order.
func joinSeries(all []*series, name string, l Limits) (*series, error) {
	out := *all[0]
	out.slices, out.origin, out.joined = nil, nil, len(all)
	for _, s := range all {
		if s.colour != out.colour {
			return nil, bad(name, "some of its series have colours; state one series, or put them "+
				"into folders of their own")
		}
		if err := l.instances(name, int64(len(out.slices))+int64(len(s.slices))); err != nil {
			return nil, err
		}
		s.sort()
		out.slices = append(out.slices, s.slices...)
		if s != all[0] {
			out.bytes, out.burned = out.bytes && s.bytes, out.burned+s.burned
			out.frameBytes = max(out.frameBytes, s.frameBytes)
		}
		if out.odd == "" && (s.odd != "" || s.width != out.width || s.height != out.height) {
			out.odd = cmp.Or(s.odd, s.name)
		}
	}
	return &out, nil
}

// chooseSeries returns the only series, or the one that the caller states, or all of them.
func chooseSeries(all []*series, name, stated string, l Limits) (*series, error) {
	switch {
	case len(all) == 1 && (stated == "" || stated == allSeries):
		return all[0], nil
	case stated == allSeries:
		return joinSeries(all, name, l)
	}
	var answers []Answer
	for i, s := range all {
		key := s.key(i, all)
		if key == stated {
			return s, nil
		}
		answers = append(answers, Answer{key, s.summary()})
	}
	const most = 20
	seen := msg.Sprintf("it holds %d series", len(all))
	if stated != "" {
		seen = msg.Sprintf("it holds no series %s", stated)
	}
	answers = append(answers[:min(len(answers), most)], Answer{allSeries, "the bag is the " +
		"pictures of all series, as of an exam with several views"})
	return nil, &QuestionError{File: name, Seen: seen, Option: "series", Answers: answers}
}

// key returns how users state series i: by its number in the files if all have different ones, else
// by its place in the list, from 1.
func (s *series) key(i int, all []*series) string {
	seen := map[int]bool{}
	for _, other := range all {
		if !other.numbered || seen[other.number] {
			return msg.Sprintf("%d", i+1)
		}
		seen[other.number] = true
	}
	return msg.Sprintf("%d", s.number)
}

// summary describes a series for a choice, as a clause.
func (s *series) summary() string {
	what := "the bag"
	if s.modality != "" {
		what += " is the " + s.modality + " series"
	} else {
		what += " is the series"
	}
	slices := "slices"
	if len(s.slices) == 1 {
		slices = "slice"
	}
	return msg.Sprintf("%s of %d %s of %d x %d pixels", msg.Text(what), len(s.slices), slices,
		s.width, s.height)
}

// read decodes the slices, one after another, into an array (slice, channel, row, column).
func (s *series) read(
	members []seriesFile, name string, windows core.Windows, o Options, l Limits,
) (*Array, error) {
	usual := 1
	if s.colour {
		usual = 3
	}
	channels, err := channelsUnder(name, o.InstanceShape, windows, usual)
	if err != nil {
		return nil, err
	}
	shape := []int{len(s.slices), channels, s.height, s.width}
	n, err := l.elements(name, shape)
	if err != nil {
		return nil, err
	}
	each, bytes := int64(4), s.bytes || len(windows) > 0
	if bytes {
		each = 1
	}
	working := (s.frameBytes + 8) * int64(s.width) * int64(s.height)
	if err := l.reserve(name, working); err != nil {
		return nil, err
	}
	if o.defers(s.width) {
		return s.deferred(members, name, shape, bytes, windows, l), nil
	}
	defer l.Memory.Release(working)
	if err := l.reserve(name, each*int64(n)); err != nil {
		return nil, err
	}
	out, one := newValues(n, bytes), make([]float32, s.width*s.height)
	err = s.each(members, o, l, func(frame *dicom.Frame, _ slice) error {
		s.decoded(out, frame, one, channels, windows)
		return nil
	})
	return out.array(name, shape), err
}

// decoded appends the channels of a slice to values; one has room for its pixels.
func (s *series) decoded(
	out *values, frame *dicom.Frame, one []float32, channels int, windows core.Windows,
) {
	if s.colour {
		shown := onWhite(frame.Shown())
		out.bytes = appendPlanes(out.bytes, shown, shown.Rect, channels)
		return
	}
	frame.Values(one)
	for c := range channels {
		if len(windows) > 0 {
			out.addPixels(one, windows.Of(c))
		} else {
			out.add(one)
		}
	}
}

// sampled decodes the slices like read, and samples them. It also returns the places of the
// instances, and notes.
func (s *series) sampled(
	members []seriesFile, name string, to sampler, windows core.Windows, o Options, l Limits,
) (*Array, []core.Slice, []string, error) {
	usual := 1
	if s.colour {
		usual = 3
	}
	channels, err := to.channels(name, o.InstanceShape, windows, usual)
	if err != nil {
		return nil, nil, nil, err
	}
	v := &volume{name: name, planes: 1, bytes: s.bytes || s.colour}
	if s.colour {
		v.planes = channels
	}
	var places []core.Slice
	for _, one := range s.slices {
		places = append(places, one.at)
	}
	var between []taps
	if to.Slices > 0 {
		if s.distances == nil {
			return nil, nil, nil, bad(name, "its files do not state where slices lie, or they "+
				"have several orientations, so that none can be interpolated between them; omit "+
				"the distance of slices from spacing")
		}
		if between, places, err = to.places(name, s.distances, places, l); err != nil {
			return nil, nil, nil, err
		}
	}
	working := (s.frameBytes + 16) * s.largest()
	if err := l.reserve(name, working); err != nil {
		return nil, nil, nil, err
	}
	defer l.Memory.Release(working)
	var planes []float32
	err = s.each(members, o, l, func(frame *dicom.Frame, at slice) error {
		rows, columns, err := to.plane(members[at.member].name, at.height, at.width, at.at.Spacing)
		if err != nil {
			return err
		}
		if v.slices == 0 {
			if err := v.hold(len(s.slices), len(rows), len(columns), l); err != nil {
				return err
			}
		}
		if len(rows) != v.height || len(columns) != v.width {
			return bad(members[at.member].name, "its slice has %d x %d pixels at this "+
				"spacing, and the first one %d x %d; all slices of a bag must be alike: put the "+
				"others into a folder of their own", len(columns), len(rows), v.width, v.height)
		}
		planes = planes[:0]
		if s.colour {
			shown := onWhite(frame.Shown())
			for _, x := range appendPlanes(nil, shown, shown.Rect, v.planes) {
				planes = append(planes, float32(x))
			}
		} else {
			planes = slices.Grow(planes, frame.Len())[:frame.Len()]
			frame.Values(planes)
		}
		v.add(planes, at.width, rows, columns)
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	array, err := v.instances(to, between, windows, channels, l)
	return array, places, to.notes([2]int{s.height, s.width}, [2]int{v.height, v.width}), err
}

// largest returns the pixels of the largest slice.
func (s *series) largest() (n int64) {
	for _, one := range s.slices {
		n = max(n, int64(one.width)*int64(one.height))
	}
	return n
}

// each decodes the slices, one after another, and calls a function for each.
func (s *series) each(
	members []seriesFile, o Options, l Limits, do func(*dicom.Frame, slice) error,
) error {
	r := &seriesReader{members: members, limits: l, open: -1}
	defer r.close()
	for i, at := range s.slices {
		if o.Step != nil {
			if err := o.Step(i, len(s.slices)); err != nil {
				return err
			}
		}
		frame, err := r.frame(at, s)
		if err == nil {
			err = do(frame, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A seriesReader decodes frames. It holds the file of the last one.
type seriesReader struct {
	members []seriesFile
	limits  Limits
	open    int // member that file is of, -1 for none
	file    *dicom.File
	done    func()
}

// close closes the file.
func (r *seriesReader) close() {
	if r.open >= 0 {
		r.file.Close()
		r.done()
		r.open = -1
	}
}

// frame decodes a slice.
func (r *seriesReader) frame(at slice, s *series) (*dicom.Frame, error) {
	m := r.members[at.member]
	if r.open != at.member {
		r.close()
		source, done, err := m.open()
		if err != nil {
			return nil, err
		}
		if r.file, err = openDICOMFile(source, r.limits); err != nil {
			done()
			return nil, err
		}
		r.open, r.done = at.member, done
	}
	f := r.file
	// The file may have changed since its header was read.
	if f.Width != at.width || f.Height != at.height || f.Colour != s.colour ||
		at.frame >= f.Frames || s.bytes && !f.Bytes() {
		return nil, bad(m.name, "it has changed while it was read; open it again")
	}
	frame, err := f.Frame(at.frame)
	return frame, dicomError(m.name, err)
}
