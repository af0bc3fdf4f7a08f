package signature

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Whether a model takes raw pixels as they are shows at its first layer with weights. Trained
// layers are balanced: what the picture adds to a channel is about as large as what the channel
// holds for a black one, its bias and the centring of the graph. RATIONALE.md has the ratios of
// some models.
const (
	mostBalanced    = 4  // ratio up to which raw pixels are what the layer takes
	leastUnbalanced = 12 // ratio from which on they are not
)

// frontWork bounds the work of a run of the first layer on one picture.
const frontWork = 1 << 30

// A pixelFit says whether raw pixels 0 to 255 fit a model.
type pixelFit int

const (
	fitUnknown pixelFit = iota
	fitRaw              // the model takes them as they are
	fitUnit             // the first layer takes smaller numbers
	fitCentred          // the graph centres pixels 0 to 1
)

// PixelNotes says what happens to raw pixels 0 to 255 of pictures of a shape, (channels, height,
// width) or (height, width), if the card states no preprocessing. There is no note if the model
// takes them as they are.
func (s *Signature) PixelNotes(shape []int) []string {
	switch {
	case s.card.Preprocess != nil:
		return nil
	case s.card.Bands != nil || len(shape) == 3 && shape[0] > 3:
		return []string{"The bag holds the numbers of bands, and the model card states no " +
			"preprocessing: they go into the model as the file has them."}
	}
	switch s.fitOf(shape) {
	case fitRaw:
		return nil
	case fitUnit:
		return []string{"The bag holds raw pixels 0 to 255 and the model card states no " +
			"preprocessing, but the first layer takes much smaller numbers: results are probably " +
			`wrong; state "preprocess" in the model card, whose manual lists the usual ones.`}
	case fitCentred:
		return []string{"The bag holds raw pixels 0 to 255 and the model card states no " +
			"preprocessing, but the graph centres pixels 0 to 1: results are probably wrong; " +
			`state "preprocess": {"scale": 0.00392156862745098} in the model card.`}
	}
	return []string{"The bag holds raw pixels 0 to 255 and the model card states no " +
		"preprocessing: they go into the model as they are."}
}

// fitOf returns whether raw pixels fit the model, which the first call finds.
func (s *Signature) fitOf(shape []int) pixelFit {
	s.pixels.Do(func() { s.fit = s.findFit(shape) })
	return s.fit
}

// findFit compares what the first layer computes of pictures with what it computes of black.
func (s *Signature) findFit(shape []int) pixelFit {
	if _, _, whole := s.input.Type.Integer(); whole {
		return fitRaw
	}
	values, ok := tensor.Count(shape)
	if s.graph == nil || s.graph.Front == nil || len(shape) < 2 || !ok || values < 1 ||
		values > randomValues {
		return fitUnknown
	}
	front := s.graph.Front
	program, ok := plan.New(front.Graph, []int{s.input.ID}, []int{front.In, front.Out})
	if !ok {
		return fitUnknown
	}
	black, centred, ok := s.layerOf(program, picture(shape, 0, 0))
	if !ok {
		return fitUnknown
	}
	seen := make([][]float64, len(black)) // (channel, place of a picture)
	for seed := range uint64(3) {
		y, _, ok := s.layerOf(program, picture(shape, 1, seed))
		if !ok || len(y) != len(seen) {
			return fitUnknown
		}
		for c := range y {
			seen[c] = append(seen[c], y[c]...)
		}
	}
	switch ratio := imbalance(seen, black); {
	case ratio <= mostBalanced:
		return fitRaw
	case !(ratio >= leastUnbalanced): // or it is not a number
		return fitUnknown
	case centred:
		return fitCentred
	}
	return fitUnit
}

// layerOf returns the values of the first layer, (channel, place), and whether the graph adds
// something to black pixels before it. It reports false if the layer cannot be computed.
func (s *Signature) layerOf(
	program *plan.Program, bag *core.Bag,
) (values [][]float64, centred, ok bool) {
	at, err := s.input.layout(bag)
	if err != nil {
		return nil, false, false
	}
	l, front := s.limits, s.graph.Front
	l.Work, l.Bytes = min(l.Work, frontWork), min(l.Bytes, randomBytes)
	r := plan.NewRunner(program, l)
	defer r.Close()
	r.Begin(context.Background())
	fitted := Fitted{Layout: at, Bag: bag, s: s}
	if fitted.Load(r.Machine(), r.Slot(s.input.ID)) != nil || r.Run(nil) != nil {
		return nil, false, false
	}
	in, err1 := r.Value(front.In).Float64s()
	out, err2 := r.Value(front.Out).Float64s()
	shape := r.Value(front.Out).Shape
	axis := front.Axis
	if axis < 0 {
		axis += len(shape)
	}
	if err1 != nil || err2 != nil || axis < 0 || axis >= len(shape) {
		return nil, false, false
	}
	outer, channels, inner := tensor.Split(shape, axis)
	values = make([][]float64, channels)
	for o := range outer {
		for c := range channels {
			values[c] = append(values[c], out[(o*channels+c)*inner:][:inner]...)
		}
	}
	return values, slices.ContainsFunc(in, func(v float64) bool { return v != 0 }), true
}

// imbalance returns the median, over the channels that pictures change, of the deviation over
// pictures divided by the mean for black. It is not a number or infinite if most channels are 0 for
// black.
func imbalance(pictures, black [][]float64) float64 {
	deviations := make([]float64, len(pictures))
	for c, y := range pictures {
		_, deviations[c] = moments(y)
	}
	most := 0.0
	if len(deviations) > 0 {
		most = slices.Max(deviations)
	}
	var ratios []float64
	for c, d := range deviations {
		if mean, _ := moments(black[c]); d > most/20 {
			ratios = append(ratios, d/math.Abs(mean))
		}
	}
	if len(ratios) == 0 {
		return math.NaN()
	}
	slices.Sort(ratios)
	if middle := ratios[len(ratios)/2]; !math.IsInf(middle, 1) {
		return middle
	}
	return math.NaN()
}

// moments returns the mean and the standard deviation of values.
func moments(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / float64(len(values))
	}
	return mean, math.Sqrt(deviation)
}

// Colours of the pictures, red, green and blue: of the ground and of nuclei, as haematoxylin and
// eosin stain them.
var stained = [3][2]float64{{225, 110}, {190, 60}, {215, 140}}

// picture returns a bag of one picture of raw pixels, (channels, height, width) or (height, width):
// waves of 5 to 90 pixels between two colours, with noise. Strength 0 is black.
func picture(shape []int, strength float64, seed uint64) *core.Bag {
	random := rand.New(rand.NewPCG(seed, randomStream))
	type wave struct{ across, down, phase float64 }
	var waves []wave
	for _, length := range []float64{5, 8, 13, 21, 34, 55, 90} {
		sin, cos := math.Sincos(2 * math.Pi * random.Float64())
		waves = append(waves, wave{cos / length, sin / length, random.Float64()})
	}
	high, wide := shape[len(shape)-2], shape[len(shape)-1]
	channels := 1
	if len(shape) > 2 {
		channels = shape[len(shape)-3]
	}
	stain := make([]float64, high*wide) // strength of the stain in each pixel, 0..1
	for i := range stain {
		sum := .5
		for _, w := range waves {
			turn := w.across*float64(i%wide) + w.down*float64(i/wide) + w.phase
			sum += .2 * math.Sin(2*math.Pi*turn)
		}
		stain[i] = max(0, min(sum, 1))
	}
	bag := &core.Bag{Shape: slices.Clone(shape), Raw: true}
	for c := range channels {
		colours := stained[c%len(stained)]
		for _, part := range stain {
			v := colours[0] + (colours[1]-colours[0])*part + 6*random.NormFloat64()
			bag.Values = append(bag.Values, float32(math.Round(strength*max(0, min(v, 255)))))
		}
	}
	return bag
}
