package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/slidetable"
)

// jobFolder is a job folder of CLAM or TRIDENT, with the annotations of its slides or without. It
// is the list of bags of evaluate, and collects what methods detect.
type jobFolder struct {
	files       []string // files of features, one for each slide
	names       []string
	annotations *ask.DrawnFile    // a folder, or nil for none
	labels      slidetable.Labels // what --slide-labels states, or nil
	classes     []string          // classes of lesions, nil for all but those of notLesions
	read        func(ctx context.Context, path string) (*bagio.Set, error)
	class       int // class that lesions support

	mu      sync.Mutex
	lesions map[string]*annotation.Lesions          // keys are names of slides
	found   map[string]map[string]metric.Detections // keys are methods and slides
}

// notLesions are the groups that CAMELYON16 and CAMELYON17 cut out of lesions.
var notLesions = []string{"_2", "Exclusion", "normal"}

// placedEndings are the endings of files of features that have places; those of plainEndings have
// none.
var placedEndings, plainEndings = []string{".h5", ".hdf5"}, []string{".pt", ".pth"}

// featureFolders returns the folders of files of features: h5_files of CLAM, or else pt_files if
// places are not needed; COORDS/features_ENCODER of TRIDENT; or the folder itself.
func featureFolders(folder string, placed bool) (holding []string) {
	candidates := []string{filepath.Join(folder, "h5_files")}
	if found, err := filepath.Glob(filepath.Join(folder, "*", "features_*")); err == nil {
		candidates = append(candidates, found...)
	}
	for _, candidate := range append(candidates, folder) {
		if len(featureFiles(candidate, placedEndings)) > 0 {
			holding = append(holding, candidate)
		}
	}
	if plain := filepath.Join(folder, "pt_files"); !placed && len(holding) == 0 &&
		len(featureFiles(plain, plainEndings)) > 0 {
		holding = append(holding, plain)
	}
	return holding
}

// isJobFolder reports whether a path is that of a folder with features of slides.
func isJobFolder(path string) bool { return len(featureFolders(path, false)) > 0 }

// openJobFolder finds the features in a folder, those with places if they are needed.
func openJobFolder(folder string, placed bool) (*jobFolder, error) {
	holding := featureFolders(folder, placed)
	if len(holding) == 0 {
		return nil, cli.Usagef("--bags %s has no file of features that ends in .h5; name the job "+
			"folder of CLAM or TRIDENT, or its folder of features", folder)
	}
	if len(holding) > 1 {
		return nil, cli.Usagef("--bags %s has several folders of features: %s; name one of them",
			folder, msg.List(holding))
	}
	j := &jobFolder{files: featureFiles(holding[0], placedEndings),
		lesions: map[string]*annotation.Lesions{},
		found:   map[string]map[string]metric.Detections{}}
	if len(j.files) == 0 {
		j.files = featureFiles(holding[0], plainEndings)
	}
	for _, file := range j.files {
		base := filepath.Base(file)
		j.names = append(j.names, strings.TrimSuffix(base, filepath.Ext(base)))
	}
	return j, nil
}

// featureFiles returns the paths of files with some endings in a folder, in the order of names.
func featureFiles(folder string, endings []string) (files []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		// macOS writes a hidden file ._SLIDE.h5 beside each file of a shared folder.
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") &&
			slices.Contains(endings, strings.ToLower(filepath.Ext(e.Name()))) {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	return files
}

// Names implements bagList.
func (j *jobFolder) Names() []string { return j.names }

// BagIn returns the bag of slide i with the labels of its annotations: 1 in a lesion, 0 outside. A
// slide that cannot be judged is a *core.BagError; one without micrometres of its pixels is an
// error of usage.
func (j *jobFolder) BagIn(ctx context.Context, i int) (*core.Bag, error) {
	name := j.names[i]
	refuse := func(reason string, args ...any) error {
		return &core.BagError{Bag: name, Reason: msg.Sprintf(reason, args...)}
	}
	label, known := j.labels[name]
	if j.labels != nil && !known {
		return nil, refuse("--slide-labels has no row of this slide")
	}
	set, err := j.read(ctx, j.files[i])
	if err != nil {
		return nil, err
	}
	bag, err := set.BagIn(ctx, 0)
	if err != nil {
		return nil, err
	}
	bag.Name = name
	if j.annotations == nil {
		return bag, nil
	}
	if err := geojson.NeedPlaces(bag); err != nil {
		return nil, err
	}
	if m := quota.MemoryOf(ctx); m != nil { // annotations become labels and lesions
		drawn := m.Part(m.Limit())
		defer drawn.Close()
		ctx = quota.WithMemory(ctx, drawn)
	}
	file, data, err := j.annotations.For(ctx, "annotations", name)
	if err != nil {
		return nil, err
	}
	switch {
	case data == nil && known && !label.Negative():
		return nil, refuse("--slide-labels says that it has lesions, but the folder of " +
			"annotations has no file of it")
	case data != nil && known && label.Negative():
		data = nil // nothing that is drawn in it is a lesion
	}
	var regions []geojson.Region
	if data != nil {
		all, err := annotation.ReadIn(ctx, file, data)
		if err != nil {
			return nil, err
		}
		for i := range all {
			all[i] = all[i].On(bag.Slide)
		}
		regions = j.lesionsOf(all)
	}
	bag.Labels = make([]int, bag.Len())
	for _, r := range regions {
		inside, err := geojson.Inside(bag, r)
		if err != nil {
			return nil, err
		}
		for i, in := range inside {
			if in {
				bag.Labels[i] = 1
			}
		}
	}
	if bag.Slide == nil || bag.Slide.MPP == 0 {
		return nil, cli.Usagef("nothing states the micrometres of the pixels of %s, by which "+
			"lesions are counted; state them by --slide-mpp", name)
	}
	found, err := annotation.FindLesions(file, regions, extent(bag), bag.Slide.MPP)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lesions[name] = found
	return bag, nil
}

// lesionsOf returns the annotations that are lesions. What CAMELYON cuts out of them is a hole in
// each.
func (j *jobFolder) lesionsOf(all []geojson.Region) (out []geojson.Region) {
	var holes []geojson.Ring
	for _, r := range all {
		if j.classes == nil && slices.Contains(notLesions, r.Class) {
			holes = append(holes, r.Rings...)
		}
	}
	for _, r := range all {
		if j.classes == nil && !slices.Contains(notLesions, r.Class) ||
			slices.Contains(j.classes, r.Class) {
			r.Holes = slices.Concat(r.Holes, holes)
			out = append(out, r)
		}
	}
	return out
}

// extent returns the size of a slide, as its file states it, else as far as its patches reach.
func extent(bag *core.Bag) image.Point {
	size := image.Pt(bag.Slide.Width, bag.Slide.Height)
	for _, b := range bag.Boxes {
		size = image.Pt(max(size.X, b.Max.X), max(size.Y, b.Max.Y))
	}
	return size
}

// truth returns the table of truth of a model: its card's, or for one or two classes the last one
// is supported by lesions.
func (j *jobFolder) truth(info core.ModelInfo) ([]core.Truth, error) {
	truth, n := info.Truth, len(info.Classes)
	if truth == nil && (n == 1 || n == 2) {
		truth = make([]core.Truth, n)
		truth[n-1].Support = []int{1}
	}
	j.class = slices.IndexFunc(truth, func(t core.Truth) bool {
		return slices.Contains(t.Support, 1)
	})
	if j.class < 0 {
		return nil, cli.Usagef("--annotations: the model has %d classes, and its card does not "+
			"state which one lesions support; state instance label 1 in the key truth", n)
	}
	return truth, nil
}

// detect collects the detections of a bag's explanations of the class of lesions.
func (j *jobFolder) detect(bag *core.Bag, list []core.Explanation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	lesions := j.lesions[bag.Name]
	for _, e := range list {
		if e.Class != j.class {
			continue
		}
		d := metric.Detections{Hits: make([]float64, lesions.Count)}
		for _, i := range metric.Peaks(bag.Boxes, e.Scores) {
			middle := bag.Boxes[i].Min.Add(bag.Boxes[i].Max).Div(2)
			switch n := lesions.At(middle.X, middle.Y); n {
			case annotation.Outside:
				d.False = append(d.False, e.Scores[i])
			case annotation.Isolated:
			default:
				d.Hits[n] = max(d.Hits[n], e.Scores[i])
			}
		}
		if j.found[e.Method] == nil {
			j.found[e.Method] = map[string]metric.Detections{}
		}
		j.found[e.Method][bag.Name] = d
	}
}

// frocJSON is FROC of a method over the slides.
type frocJSON struct {
	Method      string       `json:"method"`
	FROC        ask.Number   `json:"froc"`
	SEM         ask.Number   `json:"sem"`         // the jackknife's over slides
	Sensitivity []ask.Number `json:"sensitivity"` // one for each of metric.FalsePositives
	Slides      int          `json:"slides"`
	Lesions     int          `json:"lesions"`
}

// froc returns FROC of methods in an order.
func (j *jobFolder) froc(methods []string) (out []frocJSON) {
	for _, method := range methods {
		var slides []metric.Detections
		lesions := 0
		for _, name := range j.names { // the order of sums is that of the slides
			if d, ok := j.found[method][name]; ok {
				slides = append(slides, d)
				lesions += len(d.Hits)
			}
		}
		if len(slides) == 0 {
			continue // a reference order, or a method that does not explain the class
		}
		score, sensitivity, _ := metric.FROC(slides)
		out = append(out, frocJSON{method, ask.Number(score),
			ask.Number(metric.FROCError(slides)), ask.Numbers(sensitivity[:]), len(slides),
			lesions})
	}
	return out
}

// frocText appends a table of FROC.
func frocText(to *bytes.Buffer, list []frocJSON) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(to, "\nFROC of CAMELYON16, %d slides with %d lesions: the mean sensitivity at 1/4 "+
		"to 8 false positives of a slide\n\n", list[0].Slides, list[0].Lesions)
	t := cli.Table{}
	head := []string{"method", "FROC"}
	for _, at := range metric.FalsePositives {
		head = append(head, strconv.FormatFloat(at, 'g', -1, 64))
	}
	t.Add(head...)
	for _, f := range list {
		row := []string{f.Method, statJSON{Mean: f.FROC, SEM: f.SEM, N: f.Slides}.text()}
		for _, s := range f.Sensitivity {
			row = append(row, fmt.Sprintf("%.3f", float64(s)))
		}
		t.Add(row...)
	}
	t.Write(to)
}
