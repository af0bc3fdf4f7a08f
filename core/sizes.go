package core

import "github.com/bagscope/bagscope/internal/msg"

// LeastBag returns the number of instances of the smallest coalition that the model takes, at least
// 1.
func (g *Game) LeastBag() int { return g.task.LeastBag() }

// Step returns the number of which all sizes that the model takes are multiples, usually 1.
func (g *Game) Step() int { return max(g.task.Step, 1) }

// Takes reports whether the model takes bags of n instances.
func (g *Game) Takes(n int) bool { return n >= g.LeastBag() && n%g.Step() == 0 }

// Sizes returns the numbers of instances that the model takes in words: "at least 4".
func (g *Game) Sizes() string {
	switch least := g.LeastBag(); {
	case g.Step() > 1:
		return msg.Sprintf("multiples of %d", g.Step())
	case g.task.Why != "":
		return msg.Sprintf("exactly %d", least)
	default:
		return msg.Sprintf("at least %d", least)
	}
}

// Reducible returns an *UnavailableError for a method if the model takes no smaller bag. It returns
// nil for a bag of one instance under a model that takes such bags, see [Game.Alone].
func (g *Game) Reducible(method string) error {
	k, least := g.task.Instances, g.task.LeastBag()
	if least == 1 || k > least {
		return nil
	}
	advice := "explain a larger bag, if the model takes one"
	if g.task.Step <= 1 && g.task.Why != "" {
		advice = "use inherent, which returns the model's own scores of instances, if it has " +
			"them; " + g.task.Why
	}
	return &UnavailableError{Method: method, Reason: msg.Sprintf("the model takes bags of %s "+
		"instances and this bag has no more, so no instance can be removed; %s", g.Sizes(),
		msg.Text(advice))}
}

// Removable is Reducible, and returns an *UnavailableError if no single instance can be removed
// because the sizes that the model takes are multiples of a number.
func (g *Game) Removable(method string) error {
	if err := g.Reducible(method); err != nil || g.Step() == 1 {
		return err
	}
	return &UnavailableError{Method: method, Reason: msg.Sprintf("the model takes bags of %s "+
		"instances, so no single instance can be removed; use random_shap or milli, which draw "+
		"coalitions of these sizes: %s", g.Sizes(), msg.Text(g.task.Why))}
}

// checkSizes returns an *UnavailableError for the first coalition of a size that the model does not
// take.
func (g *Game) checkSizes(z *Coalitions) error {
	if g.LeastBag() == 1 {
		return nil
	}
	for j := range z.Len() {
		if n := z.Size(j); !g.Takes(n) {
			return &UnavailableError{Reason: msg.Sprintf("it needs predictions for bags of %d "+
				"instances, but the model takes bags of %s", n, g.Sizes())}
		}
	}
	return nil
}
