package onnxbackend_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

func scoresOf(t *testing.T, b *Bound, helpers *Helpers, z *core.Coalitions) []float64 {
	t.Helper()
	dst := make([]float64, z.Len()*b.Task().Classes)
	must.Do(t, b.EvaluateWith(context.Background(), helpers, dst, z))
	return dst
}

// fit returns how a bag lies in the input of a model.
func fit(t *testing.T, m *Model, bag *core.Bag) signature.Fitted {
	t.Helper()
	return must.Get(enginetest.EncoderOf(m).Signature.Fit(bag))(t)
}

// equalBits compares numbers bit for bit.
func equalBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b)
	})
}

// larger repeats a bag's instances with small changes until there are k.
func larger(bag *core.Bag, k int) *core.Bag {
	out := &core.Bag{Name: bag.Name, Shape: bag.Shape, Raw: bag.Raw}
	for i := range k {
		for _, v := range bag.Instance(i % bag.Len()) {
			out.Values = append(out.Values, v*(1-float32(i/bag.Len())/64))
		}
	}
	return out
}

// eachShared calls f for every model of the zoo and each of its bags, of which transformers have
// values of members, and for a recurrent network, which gathers. open opens the model again.
func eachShared(
	t *testing.T, f func(t *testing.T, m *Model, open func() *Model, bag *core.Bag),
) {
	enginetest.EachZooBag(t, func(t *testing.T, m *Model, dir, _ string, bag *core.Bag) {
		f(t, m, func() *Model {
			return enginetest.OpenTestFile(t, Options{},
				"models/zoo/"+filepath.Base(dir)+"/model.onnx")
		}, bag)
	})
	t.Run("lstm", func(t *testing.T) {
		open := func() *Model {
			return enginetest.OpenRepositoryFile(t, Options{},
				"onnxbackend/testdata/zoo/lstm/dynamo-18.onnx")
		}
		f(t, open(), open, enginetest.SmallBag(7, 6))
	})
}

// TestHelpersGiveSameScores compares bags that helpers encode and evaluate with those of one place,
// bit for bit.
func TestHelpersGiveSameScores(t *testing.T) {
	shared := map[string]bool{}
	eachShared(t, func(t *testing.T, m *Model, _ func() *Model, bag *core.Bag) {
		bag = larger(bag, 37)
		enginetest.EncoderOf(m).Workers = 1
		sent := atomic.Int64{}
		helpers := enginetest.HelpersOf(m, m)
		send := helpers.Send
		helpers.Send = func(ctx context.Context, i int, task []byte) ([]byte, error) {
			sent.Add(1)
			return send(ctx, i, task)
		}
		alone, together := enginetest.Bind(t, m, bag, nil), enginetest.Bind(t, m, bag, helpers)
		if sent.Load() > 0 {
			shared["encoding"] = true
		}
		must.Equal(t, alone.Strategy(), together.Strategy())
		must.EqualSlices(t, alone.Notes(), together.Notes())
		z := enginetest.RandomCoalitions(37, 300)
		sent.Store(0)
		if !equalBits(scoresOf(t, alone, nil, z), scoresOf(t, together, helpers, z)) {
			t.Error("helpers changes scores")
		}
		if sent.Load() > 0 {
			shared[alone.Strategy()] = true
		}
		for c := range alone.Task().Classes {
			x, errX := alone.Attention(context.Background(), c)
			y, errY := together.Attention(context.Background(), c)
			if !equalBits(x, y) || (errX == nil) != (errY == nil) {
				t.Errorf("attention %v, %v alone and %v, %v with helpers", x, errX, y, errY)
			}
		}
	})
	for _, want := range []string{"encoding", StrategyGathered, StrategyMembers} {
		must.Equal(t, shared[want], true, want, shared)
	}
}

// encodeTask asks a helper for one encoded value of some instances.
func encodeTask(m *Model, id int, part signature.Fitted) []byte {
	b := part.Bag
	task := workshare.NewTask(workshare.Encode, enginetest.EncoderOf(m).Fingerprint,
		workshare.Bit(b.Raw),
		len(b.Values))
	task.Numbers(id)
	task.Numbers(b.Shape...)
	task.Data(workshare.BytesOf(b.Values))
	return *task
}

// alongAxis returns places lo up to hi of an axis.
func alongAxis(v *tensor.Tensor, axis, lo, hi int) *tensor.Tensor {
	shape, places := slices.Clone(v.Shape), []int{}
	shape[axis] = hi - lo
	for i := lo; i < hi; i++ {
		places = append(places, i)
	}
	out := tensor.New(v.Type, shape...)
	compute.GatherPlaces(out, v, axis, places)
	return out
}

// TestHelpersReturnSameBits compares the values and scores that a helper returns for a part of a
// bag with those of one place.
func TestHelpersReturnSameBits(t *testing.T) {
	encoded, scored := 0, 0
	ctx := context.Background()
	eachShared(t, func(t *testing.T, m *Model, open func() *Model, bag *core.Bag) {
		bag = larger(bag, 21)
		enginetest.EncoderOf(m).Workers = 1
		helper := open()
		answer := func(task []byte) []byte { return must.Get(helper.RunTask(ctx, task))(t) }
		b := enginetest.Bind(t, m, bag, nil)
		fitted := fit(t, m, bag)
		for _, h := range enginetest.EvaluatorOf(b).Suffix.Boundary {
			if enginetest.EvaluatorOf(b).Suffix.Boundary[0].ID == enginetest.EncoderOf(
				m).Signature.Input().ID || h.Fixed || h.Sizes {
				continue
			}
			encoded++
			for _, part := range [][2]int{{0, 1}, {14, 21}, {1, 14}} {
				u := workshare.NewUnpacker(answer(encodeTask(m, h.ID,
					fitted.Part(part[0], part[1]))))
				of, shape, data := u.Tensor()
				want := alongAxis(h.Value, h.Axis, part[0], part[1])
				must.Equal(t, of, want.Type, h.ID, part)
				must.EqualSlices(t, shape, want.Shape, h.ID, part)
				must.EqualSlices(t, data, want.Bytes(), h.ID, part)
			}
		}
		if !enginetest.EvaluatorOf(b).Pooled.Neighbours() {
			scored++
			z := enginetest.RandomCoalitions(21, 50)
			answer(enginetest.EvaluatorOf(b).HoldTask())
			must.EqualSlices(t, answer(enginetest.EvaluatorOf(b).ScoreTask(z)),
				workshare.BytesOf(scoresOf(t, b, nil, z)), "a helper has other scores")
		}
	})
	must.Equal(t, encoded >= 10, true, encoded, scored)
	must.Equal(t, scored >= 4, true, encoded, scored)
}

// TestWorkersGiveSameScores encodes the picture model's bag by several goroutines and by one.
func TestWorkersGiveSameScores(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(o Options) *Model
	}{
		{"tissue attention", func(o Options) *Model {
			return enginetest.OpenTissue(t, o, enginetest.TissueAttention)
		}},
		{"tissue instances", func(o Options) *Model {
			return enginetest.OpenTissue(t, o, enginetest.TissueInstances)
		}},
		{"mnist attention", func(o Options) *Model {
			return enginetest.OpenTestFile(t, o, "models/mnist/mi_attn.onnx")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, four := c.open(Options{Workers: 1}), c.open(Options{Workers: 4})
			random := rand.New(rand.NewPCG(2, 3))
			bag := &core.Bag{Shape: append([]int{}, one.Info().Inputs[0].Shape[1:]...)}
			for range 203 * bag.Stride() {
				bag.Values = append(bag.Values, float32(random.NormFloat64()))
			}
			x, y := enginetest.Bind(t, one, bag, nil), enginetest.Bind(t, four, bag, nil)
			if enginetest.EvaluatorOf(x).InBlocks || !enginetest.EvaluatorOf(y).InBlocks {
				t.Fatal("one goroutine encoded in blocks, or four did not")
			}
			z := enginetest.RandomCoalitions(203, 50)
			must.Equal(t, equalBits(scoresOf(t, x, nil, z), scoresOf(t, y, nil, z)), true,
				"goroutines change scores")
		})
	}
}

// TestFailingHelpersChangeNothing shares bags with helpers that die, return wrong replies or never
// answer.
func TestFailingHelpersChangeNothing(t *testing.T) {
	m := enginetest.OpenTestFile(t, Options{Workers: 1}, "models/zoo/transformer_cls/model.onnx")
	forgetful := enginetest.OpenTestFile(t, Options{Workers: 1},
		"models/zoo/transformer_cls/model.onnx")
	random := rand.New(rand.NewPCG(2, 3))
	shape := m.Info().Inputs[0].Shape
	bag := &core.Bag{Shape: shape[len(shape)-1:]}
	for range 40 * bag.Stride() {
		bag.Values = append(bag.Values, float32(random.NormFloat64()))
	}
	z := enginetest.RandomCoalitions(40, 100)
	want := scoresOf(t, enginetest.Bind(t, m, bag, nil), nil, z)
	var n atomic.Int64
	for name, ask := range map[string]func(ctx context.Context, task []byte) ([]byte, error){
		"dead": func(context.Context, []byte) ([]byte, error) { return nil, errors.New("gone") },
		"mute": func(ctx context.Context, _ []byte) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"confused": func(context.Context, []byte) ([]byte, error) { return []byte{1, 2, 3}, nil },
		"mortal": func(ctx context.Context, task []byte) ([]byte, error) {
			if n.Add(1)%3 == 0 {
				return nil, errors.New("gone")
			}
			return m.RunTask(ctx, task)
		},
		"forgetful": func(ctx context.Context, task []byte) ([]byte, error) {
			if kind, _, _, _ := workshare.OpenTask(task,
				enginetest.EncoderOf(m).Fingerprint); kind == workshare.Hold {
				return nil, nil
			}
			return forgetful.RunTask(ctx, task)
		},
	} {
		t.Run(name, func(t *testing.T) {
			helpers := &Helpers{Count: 2, Send: func(ctx context.Context, _ int,
				task []byte) ([]byte, error) {
				return ask(ctx, task)
			}}
			must.Equal(t,
				equalBits(scoresOf(t, enginetest.Bind(t, m, bag, helpers), helpers, z), want), true,
				name)
		})
	}
}

// TestRunTaskRejectsBrokenTasks tasks that end early, those of other models and those that are
// none.
func TestRunTaskRejectsBrokenTasks(t *testing.T) {
	m := enginetest.OpenTestFile(t, Options{Workers: 1}, "models/zoo/transformer_cls/model.onnx")
	shape := m.Info().Inputs[0].Shape
	bag := &core.Bag{Shape: shape[len(shape)-1:], Values: make([]float32, 20*shape[len(shape)-1])}
	b := enginetest.Bind(t, m, bag, nil)
	// Values of 20 instances are none of 21, and no reply has the scores of no coalition.
	e := enginetest.EvaluatorOf(b)
	e.Task.Instances++
	wrong := [][]byte{e.HoldTask()}
	e.Task.Instances--
	must.Get(m.RunTask(context.Background(), e.HoldTask()))(t)
	wrong = append(wrong, e.ScoreTask(core.NewCoalitions(20, 0)))
	for i, task := range wrong {
		must.Is(t, must.Err(m.RunTask(context.Background(), task)), workshare.ErrMessage, i)
	}
	for _, task := range [][]byte{encodeTask(m, enginetest.EvaluatorOf(b).Suffix.Boundary[0].ID,
		fit(t, m, bag)),
		enginetest.EvaluatorOf(b).HoldTask(),
		enginetest.EvaluatorOf(b).ScoreTask(enginetest.RandomCoalitions(20, 3))} {
		must.Get(m.RunTask(context.Background(), task))(t)
		for n := 0; n < len(task); n += 1 + n/50 {
			if _, err := m.RunTask(context.Background(), task[:n]); err == nil {
				t.Fatalf("the first %d of %d bytes are taken for a task", n, len(task))
			}
		}
		other := enginetest.OpenTestFile(t, Options{Plain: true},
			"models/zoo/deepsets_mean/model.onnx")
		must.Is(t, must.Err(other.RunTask(context.Background(), task)), workshare.ErrOther,
			"another model says")
		for at := range min(len(task), 200) { // whatever it answers, it must answer
			wrong := slices.Clone(task)
			wrong[at] ^= 0x81
			_, _ = m.RunTask(context.Background(), wrong)
		}
	}
}

// TestWorkersKeepRunningSums evaluates coalitions that grow member by member, which are summed as
// they grow: the number of goroutines must change no bit.
func TestWorkersKeepRunningSums(t *testing.T) {
	m := enginetest.OpenTestFile(t, Options{}, "models/zoo/deepsets_mean/model.onnx")
	random := rand.New(rand.NewPCG(4, 5))
	shape := m.Info().Inputs[0].Shape
	bag := &core.Bag{Shape: shape[len(shape)-1:]}
	for range 900 * bag.Stride() {
		bag.Values = append(bag.Values, float32(random.NormFloat64()))
	}
	z := core.NewCoalitions(900, 771) // a third of them is one more than are summed at a time
	order := random.Perm(900)[:771]
	for i := range order {
		z.AppendMembers(order[:i+1]...)
	}
	var want []float64
	for _, workers := range []int{1, 2, 3, 7} {
		g := must.Get(core.NewGame(enginetest.Bind(t, m, bag, nil),
			core.GameOptions{Workers: workers}))(t)
		got := must.Get(g.Values(context.Background(), z))(t)
		if want == nil {
			want = got
		}
		must.Equal(t, equalBits(got, want), true, workers)
	}
}
