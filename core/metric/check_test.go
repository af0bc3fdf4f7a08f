package metric

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// A linearModel scores a bag by the weighted sum of its instances' features, whose magnitudes count
// if it is blind to its weights.
type linearModel struct {
	weights []float64
	blind   bool
}

func (m linearModel) Info() core.ModelInfo { return core.ModelInfo{} }

func (m linearModel) Bind(_ context.Context, bag *core.Bag) (core.Evaluator, error) {
	worth := make([]float64, bag.Len())
	for i := range worth {
		for at, v := range bag.Instance(i) {
			if v := float64(v); m.blind {
				worth[i] += v * v
			} else {
				worth[i] += m.weights[at] * v
			}
		}
	}
	return worths(worth), nil
}

// worths is an evaluator whose score is the sum of its members' worths.
type worths []float64

func (a worths) Task() core.Task {
	return core.Task{Instances: len(a), Classes: 1, Scale: core.ScaleRaw, Negative: -1}
}

func (a worths) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range dst {
		dst[j] = 0
		for _, i := range z.Members(nil, j) {
			dst[j] += a[i]
		}
	}
	return nil
}

// checkedBag returns a bag of 20 random instances with 40 features, and a question whose models
// with random layers have random weights.
func checkedBag(blind bool) (*core.Bag, CheckQuestion) {
	rng := rand.New(rand.NewPCG(1, 2))
	bag := &core.Bag{Name: "bag", Shape: []int{40}}
	for range 800 {
		bag.Values = append(bag.Values, float32(rng.NormFloat64()))
	}
	return bag, CheckQuestion{Layers: 2, Randomised: func(
		_ context.Context, _ int, seed uint64,
	) (core.Model, error) {
		return randomLinear(seed+10, blind), nil
	}}
}

func randomLinear(seed uint64, blind bool) linearModel {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := linearModel{blind: blind}
	for range 40 {
		m.weights = append(m.weights, rng.NormFloat64())
	}
	return m
}

func checksOf(t *testing.T, m core.Model, bag *core.Bag, q CheckQuestion) *Checks {
	t.Helper()
	return must.Get(CheckMap(context.Background(), m, bag, q, core.GameOptions{}))(t)
}

// A countedModel counts what its bags evaluate. Its scores are not finite if so given.
type countedModel struct {
	linearModel
	evaluated *int
	broken    bool
}

func (m countedModel) Bind(ctx context.Context, bag *core.Bag) (core.Evaluator, error) {
	ev, err := m.linearModel.Bind(ctx, bag)
	return countedBag{ev, m}, err
}

type countedBag struct {
	core.Evaluator
	of countedModel
}

func (b countedBag) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	*b.of.evaluated += z.Len()
	err := b.Evaluator.Evaluate(ctx, dst, z)
	if b.of.broken && z.Len() > 1 {
		dst[0] = math.NaN()
	}
	return err
}

// No budget is exceeded, also if random weights give scores that are not finite.
func TestCheckRespectsBudget(t *testing.T) {
	bag, q := checkedBag(false)
	q.Method = methods.Single{}
	evaluated := 0
	whole := countedModel{linearModel: randomLinear(1, false), evaluated: &evaluated}
	for _, broken := range []bool{false, true} {
		q.Randomised = func(_ context.Context, _ int, seed uint64) (core.Model, error) {
			return countedModel{randomLinear(seed+10, false), &evaluated, broken}, nil
		}
		refused, answered := 0, 0
		for budget := 20; budget < 400; budget++ {
			evaluated = 0
			o := core.GameOptions{Budget: budget, Workers: 1}
			_, err := CheckMap(t.Context(), whole, bag, q, o)
			switch {
			case err == nil:
				answered++
			case errors.As(err, new(*core.BudgetError)):
				refused++
			default:
				t.Fatal(err)
			}
			if evaluated > budget {
				t.Fatalf("broken %t: %d evaluations with a budget of %d: %v", broken, evaluated,
					budget, err)
			}
		}
		must.Equal(t, refused != 0, true, answered, refused)
		must.Equal(t, answered != 0, true, answered, refused)
	}
}

// A map passes if random weights change it, and fails if it shows the instances alone.
func TestCheckOfLayers(t *testing.T) {
	for _, blind := range []bool{false, true} {
		bag, q := checkedBag(blind)
		c := checksOf(t, randomLinear(1, blind), bag, q)
		must.Equal(t, c.Layers.Passed != blind, true, blind, c.Layers)
		must.Equal(t, len(c.Layers.Steps), 2, blind, c.Layers)
	}
	bag, q := checkedBag(false)
	// One layer, half of them rounded up, and all.
	for layers, want := range map[int][]int{1: {1}, 2: {1, 2}, 3: {1, 2, 3}, 8: {1, 4, 8}} {
		q.Layers = layers
		var steps []int
		for _, s := range checksOf(t, randomLinear(1, false), bag, q).Layers.Steps {
			steps = append(steps, s.Layers)
		}
		must.EqualSlices(t, steps, want, layers)
	}
	q.Randomised = nil
	c := checksOf(t, randomLinear(1, false), bag, q)
	must.Equal(t, c.Layers == nil, true, c.Layers, c.Notes)
	must.Equal(t, len(c.Notes), 1, c.Layers, c.Notes)
	must.Contain(t, c.Notes[0], "cannot be opened again")
	q.Layers = 0
	c = checksOf(t, randomLinear(1, false), bag, q)
	must.Contain(t, c.Notes[0], "no weights")
}

// An additive map is stable under small noise, and not under large noise that leaves the
// prediction.
func TestCheckOfNoise(t *testing.T) {
	bag, q := checkedBag(false)
	must.Equal(t, checksOf(t, randomLinear(1, false), bag, q).Noise.Passed, true)
	q.Noise = 9
	must.Equal(t, checksOf(t, randomLinear(1, false), bag, q).Noise.Passed, false)
}

// The map is compared with that of another seed: equal for a method that does not sample, and not
// correlated for scores that are drawn at random.
func TestCheckComparesSeeds(t *testing.T) {
	bag, q := checkedBag(false)
	q.Method = methods.Single{}
	must.Equal(t, checksOf(t, randomLinear(1, false), bag, q).Seeds, 1,
		"another seed of a method that does not sample")
	q.Method = dice{}
	must.Equal(t, math.Abs(checksOf(t, randomLinear(1, false), bag, q).Seeds) <= .9, true)
}

// A change of the prediction counts by the size of scores that are no probabilities.
func TestCheckScalesChanges(t *testing.T) {
	bag, q := checkedBag(false)
	q.Noise = 9
	small := randomLinear(1, false)
	for at := range small.weights {
		small.weights[at] *= 1e-5
	}
	for name, m := range map[string]linearModel{"usual": randomLinear(1, false), "small": small} {
		c := checksOf(t, m, bag, q)
		must.Equal(t, strings.Contains(c.Noise.Sentence, "because the prediction does"), true, name,
			c.Noise.Sentence)
	}
}

// The noise of each feature is relative to its own standard deviation, wherever its mean is. Half
// of the values of the features are 3 and 5, -100 and -98, and 7: deviations of 1, 1 and 0.
func TestCheckNoiseFollowsDeviations(t *testing.T) {
	bag := &core.Bag{Name: "bag", Shape: []int{3}}
	for range 1000 {
		bag.Values = append(bag.Values, 3, -100, 7, 5, -98, 7)
	}
	m := &recordedModel{linearModel: linearModel{weights: []float64{1, 1, 1}}}
	checksOf(t, m, bag, CheckQuestion{Method: methods.Single{}, Noise: .5})
	var squares [3]float64
	noisy := m.bags[2 : 2+checkDraws] // after the map and that of another seed
	for _, b := range noisy {
		for at, v := range b.Values {
			d := float64(v - bag.Values[at])
			squares[at%3] += d * d
		}
	}
	for at, want := range []float64{.5, .5, 0} {
		got := math.Sqrt(squares[at] / float64(2000*len(noisy)))
		if !(math.Abs(got-want) <= .05*want) { // 6,000 draws: a relative error of 0.9 %
			t.Errorf("the noise of feature %d deviates by %.3f, want %v", at, got, want)
		}
	}
}

// A recordedModel keeps the bags that it is bound to, and fails at one of them if fails is above 0.
type recordedModel struct {
	linearModel
	bags  []*core.Bag
	fails int // number of the bag, from 1
}

var errBound = errors.New("the model takes no more bags")

func (m *recordedModel) Bind(ctx context.Context, bag *core.Bag) (core.Evaluator, error) {
	m.bags = append(m.bags, bag)
	if len(m.bags) == m.fails {
		return nil, errBound
	}
	return m.linearModel.Bind(ctx, bag)
}

// The error of a model is returned, whichever of the explanations it ends.
func TestCheckReturnsErrors(t *testing.T) {
	bag, q := checkedBag(false)
	q.Method = methods.Single{}
	sound := &recordedModel{linearModel: randomLinear(1, false)}
	shared := func(m *recordedModel) CheckQuestion {
		q := q
		q.Randomised = func(context.Context, int, uint64) (core.Model, error) { return m, nil }
		return q
	}
	checksOf(t, sound, bag, shared(sound))
	must.Equal(t, len(sound.bags) >= 10, true, len(sound.bags))
	for n := range sound.bags {
		m := &recordedModel{linearModel: sound.linearModel, fails: n + 1}
		_, err := CheckMap(t.Context(), m, bag, shared(m), core.GameOptions{})
		must.Is(t, err, errBound, n+1, len(sound.bags))
	}
	q.Randomised = func(context.Context, int, uint64) (core.Model, error) { return nil, errBound }
	must.Is(t, must.Err(CheckMap(t.Context(), sound, bag, q, core.GameOptions{})), errBound,
		"random layers fail")
}

// The prediction and the map follow a mark of features that the model reads, and neither follows
// one of features that it does not read.
func TestCheckOfMarks(t *testing.T) {
	bag, q := checkedBag(false)
	for _, reads := range []bool{true, false} {
		m := randomLinear(1, false)
		for at := range 8 { // the mark takes a fifth of the features
			m.weights[at] = 0
			if reads {
				m.weights[at] = 4
			}
		}
		c := checksOf(t, m, bag, q)
		if c.Mark.Prediction != reads || c.Mark.Map != reads || !c.Mark.Passed ||
			len(c.Mark.Instances) != 2 {
			t.Errorf("a model that reads marks (%t): %+v", reads, c.Mark)
		}
	}
}

// A mark lies in the corner of all channels, whichever axis they are.
func TestPaste(t *testing.T) {
	for _, shape := range [][]int{{3, 10, 10}, {10, 10, 3}, {10, 10}, {10}} {
		bag := &core.Bag{Shape: shape}
		bag.Values = make([]float32, bag.Stride())
		ones := make([]float32, bag.Stride())
		for at := range ones {
			ones[at] = 1
		}
		paste(bag, 0, ones)
		sum := float32(0)
		for _, v := range bag.Values {
			sum += v
		}
		want := map[int]float32{3: 12, 2: 4, 1: 2}[len(shape)]
		must.Equal(t, sum, want, shape)
		must.Equal(t, bag.Values[0], 1, shape, sum, want)
	}
}

// Every sentence is one sentence, and wrong questions are typed errors.
func TestCheckWords(t *testing.T) {
	bag, q := checkedBag(false)
	c := checksOf(t, randomLinear(1, false), bag, q)
	for _, s := range []string{c.Layers.Sentence, c.Noise.Sentence, c.Mark.Sentence} {
		must.Equal(t, strings.HasSuffix(s, "."), true, s)
		must.Equal(t, strings.Count(s, ". ") <= 0, true, s)
	}
	for setting, q := range map[string]CheckQuestion{"noise": {Noise: -1}, "marked": {Marked: 2}} {
		_, err := CheckMap(context.Background(), randomLinear(1, false), bag, q, core.GameOptions{})
		var wrong *core.SettingError
		must.As(t, err, &wrong)
		must.Equal(t, wrong.Setting, setting)
	}
	one := bag.Select([]int{0})
	_, err := CheckMap(context.Background(), randomLinear(1, false), one, CheckQuestion{},
		core.GameOptions{})
	must.As(t, err, new(*core.UnavailableError))
}
