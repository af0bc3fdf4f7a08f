package metric_test

import (
	"context"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
)

// Evaluate judges explanations by removing instances in their order, and by the true labels of the
// instances. It adds the rows of a random and of a perfect order.
func ExampleEvaluate() {
	ctx := context.Background()
	game, err := core.NewGame(coretest.Additive(0, 2, -1, 0, 1, 0), core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := game.Explain(ctx,
		core.Request{Methods: []core.Method{methods.OneRemoved{}}, Classes: []int{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	bag := &core.Bag{Shape: []int{1}, Values: make([]float32, 6), Labels: []int{3, 8, 9, 4, 8, 0}}
	truth := []core.Truth{{Support: []int{8}, Refute: []int{9}}, {}} // (class)
	rows, err := metric.Evaluate(ctx, game, bag, truth, report.Explanations,
		metric.Options{Seed: 3, Metrics: []string{metric.NameNDCG, metric.NameAOPCR}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range rows {
		fmt.Printf("%-11s", row.Method)
		for _, v := range row.Values {
			fmt.Printf(" %s %.2f", v.Metric, v.Score)
		}
		fmt.Println()
	}
	// Output:
	// one_removed ndcg 1.00 aopc-r 1.64
	// random      ndcg 0.39 aopc-r 0.44
	// oracle      ndcg 1.00 aopc-r 1.44
}

// ExplainWithTrust also measures how far the scores can be trusted: against random orders, and
// against those of another seed.
func ExampleExplainWithTrust() {
	g, err := core.NewGame(coretest.NoisyOr(.9, .1, .2, .6, .5, .01), core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, trust, err := metric.ExplainWithTrust(context.Background(), g,
		core.Request{Methods: []core.Method{methods.RandomSHAP{}}, Classes: []int{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("above %d of %d random orders, another seed %.2f\n", trust[0].Beaten[0],
		metric.TrustOrders, trust[0].Correlation[0])
	// Output:
	// above 10 of 10 random orders, another seed 1.00
}

// A sum is a model whose score is the sum of the values of a bag.
type sum struct{}

func (sum) Info() core.ModelInfo { return core.ModelInfo{Name: "sum", Negative: -1} }

func (sum) Bind(_ context.Context, bag *core.Bag) (core.Evaluator, error) {
	var worths []float64
	for _, v := range bag.Values {
		worths = append(worths, float64(v))
	}
	return coretest.Additive(worths...), nil
}

// CheckMap asks whether a map follows the model: noise in the bag must not change it, and a mark
// that the model does not know must not become important.
func ExampleCheckMap() {
	bag := &core.Bag{Shape: []int{1}, Values: []float32{5, -2, 1, 3, -4, 0}}
	checks, err := metric.CheckMap(context.Background(), sum{}, bag,
		metric.CheckQuestion{Method: methods.OneRemoved{}}, core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("another seed %.2f, layers checked: %t\n", checks.Seeds, checks.Layers != nil)
	// Output:
	// another seed 1.00, layers checked: false
}

// NDCG judges the first n instances of an order, where n is the number of those that support the
// class.
func ExampleNDCG() {
	rel := []metric.Relevance{metric.Neutral, metric.Supporting, metric.Refuting}
	for _, order := range [][]int{{1, 0, 2}, {0, 1, 2}, {2, 0, 1}} {
		value, ok := metric.NDCG(order, rel)
		fmt.Printf("%v %.2f %t\n", order, value, ok)
	}
	// Output:
	// [1 0 2] 1.00 true
	// [0 1 2] 0.00 true
	// [2 0 1] -1.00 true
}

func ExampleSpearman() {
	fmt.Printf("%.2f\n", metric.Spearman([]float64{1, 2, 3, 4}, []float64{10, 20, 40, 30}))
	// Output:
	// 0.80
}

// A Study pools the rows of many bags.
func ExampleStudy() {
	var study metric.Study
	for _, ndcg := range []float64{.8, 1, .9} {
		study.Add(0, []metric.Row{{Method: "single",
			Values: []metric.Value{{Metric: metric.NameNDCG, Score: ndcg}}}})
	}
	for _, s := range study.Summaries() {
		for _, v := range s.Stats {
			fmt.Printf("%s %s %.2f of %d values\n", s.Method, v.Metric.Title, v.Mean, v.N)
		}
	}
	// Output:
	// single NDCG@n 0.90 of 3 values
}
