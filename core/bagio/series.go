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
	origin        *core.Origin
}

// readSeries returns the bag of a series: each frame is an instance, in the order of positions in
// the patient. Members without pictures are left out, with a note. name is the file or the folder
// for messages. Files of several series are a *QuestionError, unless o.Series states one.
func readSeries(members []seriesFile, name string, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	all, left, err := surveySeries(members, l)
	if err != nil {
		return nil, err
	}
	s, err := chooseSeries(all, name, o.Series)
	if err != nil {
		return nil, err
	}
	notes := s.sort()
	var windows core.Windows
	if !s.colour && !s.bytes {
		if windows, err = o.takeWindows(); err != nil {
			return nil, err
		}
	}
	array, err := s.read(members, name, windows, o, l)
	if err != nil {
		return nil, err
	}
	set, err := oneBag(name, array, o)
	if err != nil {
		return nil, err
	}
	set.noun = sliceNoun
	set.notes = append(set.notes, s.notes(notes, left, windows)...)
	set.origin = s.origin
	for _, one := range s.slices {
		set.slices = append(set.slices, one.at)
	}
	return set, nil
}

// sliceNoun is what an instance of a volume is called.
var sliceNoun = core.Noun{One: "slice", Several: "slices"}

// surveySeries reads the headers of all members, and returns their series in the order of their
// numbers, and how many members have no pictures.
func surveySeries(members []seriesFile, l Limits) (all []*series, left int, err error) {
	by := map[string]*series{}
	for i, m := range members {
		s, done, err := m.open()
		if err != nil {
			return nil, 0, err
		}
		f, err := openDICOMFile(s, l)
		if err != nil {
			done()
			if withoutPictures(err) && len(members) > 1 {
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
	slices.SortStableFunc(all, func(a, b *series) int { return cmp.Compare(a.number, b.number) })
	return all, left, nil
}

// add adds the frames of a file to its series.
func (s *series) add(member int, name string, f *dicom.File, l Limits) error {
	if f.Width != s.width || f.Height != s.height || f.Colour != s.colour {
		return bad(name, "it has %d x %d pixels and %s of the same series has %d x %d, or one has "+
			"colours; all slices of a bag must be alike: put the others into a folder of their own",
			f.Width, f.Height, s.name, s.width, s.height)
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
		s.slices = append(s.slices, slice{member, i, at, f.Instance, f.Counted})
	}
	s.bytes = s.bytes && f.Bytes()
	s.frameBytes = max(s.frameBytes, f.FrameBytes())
	if f.BurnedIn {
		s.burned++
	}
	return nil
}

// chooseSeries returns the only series, or the one that the caller states.
func chooseSeries(all []*series, name, stated string) (*series, error) {
	switch {
	case len(all) == 0:
		return nil, bad(name, "its DICOM files hold no pictures")
	case len(all) == 1 && stated == "":
		return all[0], nil
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
	return nil, &QuestionError{File: name, Seen: seen, Option: "series",
		Answers: answers[:min(len(answers), most)]}
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
	if err := l.reserve(name, each*int64(n)); err != nil {
		return nil, err
	}
	working := (s.frameBytes + 8) * int64(s.width) * int64(s.height)
	if err := l.reserve(name, working); err != nil {
		return nil, err
	}
	defer l.Memory.Release(working)
	r := &seriesReader{members: members, limits: l, open: -1, out: newValues(n, bytes),
		windows: windows, one: make([]float32, s.width*s.height)}
	defer r.close()
	for i, at := range s.slices {
		if o.Step != nil {
			if err := o.Step(i, len(s.slices)); err != nil {
				return nil, err
			}
		}
		if err := r.read(at, s, channels); err != nil {
			return nil, err
		}
	}
	return r.out.array(name, shape), nil
}

// A seriesReader decodes frames. It holds the file of the last one.
type seriesReader struct {
	members []seriesFile
	limits  Limits
	open    int // member that file is of, -1 for none
	file    *dicom.File
	done    func()
	out     *values
	windows core.Windows
	one     []float32 // a frame without colours
}

// close closes the file.
func (r *seriesReader) close() {
	if r.open >= 0 {
		r.file.Close()
		r.done()
		r.open = -1
	}
}

// read appends the values of a slice.
func (r *seriesReader) read(at slice, s *series, channels int) error {
	m := r.members[at.member]
	if r.open != at.member {
		r.close()
		source, done, err := m.open()
		if err != nil {
			return err
		}
		if r.file, err = openDICOMFile(source, r.limits); err != nil {
			done()
			return err
		}
		r.open, r.done = at.member, done
	}
	f := r.file
	// The file may have changed since its header was read.
	if f.Width != s.width || f.Height != s.height || f.Colour != s.colour || at.frame >= f.Frames ||
		s.bytes && !f.Bytes() {
		return bad(m.name, "it has changed while it was read; open it again")
	}
	frame, err := f.Frame(at.frame)
	if err != nil {
		return dicomError(m.name, err)
	}
	if s.colour {
		shown := onWhite(frame.Shown())
		r.out.bytes = appendPlanes(r.out.bytes, shown, shown.Rect, channels)
		return nil
	}
	frame.Values(r.one)
	for c := range channels {
		if len(r.windows) > 0 {
			r.out.addPixels(r.one, r.windows.Of(c))
		} else {
			r.out.add(r.one)
		}
	}
	return nil
}
