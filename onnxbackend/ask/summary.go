package ask

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/msg"
)

// A summary is an explanation in at most three sentences: the prediction, what it rests on, and
// what turns it. They are about the class with the largest value of the first head, and claim
// nothing that was not evaluated. Each class is named in the quotation marks “ and ”.
type summary struct {
	*Explained
	rests   *whatif.Grounds
	head    core.Head
	others  []otherHead
	units   []core.Unit // unit of the values of each class
	counted bool        // the evidence for the class was counted
}

// An otherHead is a head that the sentences are not about, with its class of the largest value.
type otherHead struct {
	core.Head
	class int
}

// othersOf returns the heads behind the first, which ends before a class.
func othersOf(g *core.Game, end int, prediction []float64) (out []otherHead) {
	for class := end; class < len(prediction); {
		h := g.Head(class)
		values := prediction[class : class+h.Classes]
		out = append(out, otherHead{h, class + slices.Index(values, slices.Max(values))})
		class += h.Classes
	}
	return out
}

// summarise sets the Summary. Sentences that need more evaluations than the budget of the game are
// left out. Errors are those of whatif.GroundsQuestion.
func (x *Explained) summarise(ctx context.Context, g *core.Game) error {
	_, end := g.Range(0)
	values := x.Report.Prediction[:end]
	class := slices.Index(values, slices.Max(values))
	q := whatif.GroundsQuestion{Class: class}
	s := &summary{Explained: x, head: g.Head(class), units: g.Units(),
		others: othersOf(g, end, x.Report.Prediction)}
	of := func(e core.Explanation) bool { return e.Class == class }
	if n := slices.IndexFunc(x.Report.Explanations, of); n >= 0 {
		q.Explanation = &x.Report.Explanations[n]
		s.counted = !q.Explanation.ErrorsUnknown()
	}
	var err error
	if s.rests, err = q.Answer(ctx, g); err != nil {
		return err
	}
	x.Summary = []string{s.prediction()}
	for _, sentence := range []string{s.evidence(), s.turn()} {
		if sentence != "" {
			x.Summary = append(x.Summary, sentence)
		}
	}
	return s.miss(ctx, g)
}

// prediction returns the first sentence, with the values of other heads.
func (s *summary) prediction() string { return s.says() + s.agree() + s.besides() + "." }

// says returns the prediction of the first head.
func (s *summary) says() string {
	subject := "the model"
	if n := len(s.Report.Folds); n > 0 {
		subject = msg.Sprintf("the mean of %d models", n)
	}
	if s.Instances != nil {
		subject = msg.Sprintf("without %d of %s, %s", s.Whole.Len()-s.Bag.Len(),
			s.things(s.Whole.Len()), msg.Text(subject))
	}
	subject = capital(subject)
	class, value := s.name(s.rests.Class), s.value(s.Report.Prediction)
	if s.head.Name != "" {
		value += msg.Sprintf(" for “%s”", s.head.Name)
	}
	switch r := s.rests; {
	case !r.Decides && s.head.Kind == core.KindLikeness && s.Instances == nil:
		return msg.Sprintf("The likeness to %s is %s", class, value)
	case !r.Decides && s.nameless():
		return msg.Sprintf("%s gives the value %s", subject, value)
	case !r.Decides:
		return msg.Sprintf("%s gives %s the value %s", subject, class, value)
	case r.Reached && s.reached() > 0:
		return msg.Sprintf("%s says %s (%s) and %s", subject, class, value,
			counted(s.reached(), "other class", "other classes"))
	case r.Reached:
		return msg.Sprintf("%s says %s (%s)", subject, class, value)
	case s.head.Classes > 1:
		return msg.Sprintf("%s says none of its %d classes; %s comes closest (%s)", subject,
			s.head.Classes, class, value)
	}
	return msg.Sprintf("%s does not say %s (%s)", subject, class, value)
}

// nameless reports whether the head is one number to which nobody gave a name.
func (s *summary) nameless() bool {
	return s.head.Classes == 1 && s.Classes[s.rests.Class] == strconv.Itoa(s.rests.Class)
}

// mostHeads is the number of other heads whose values the first sentence states.
const mostHeads = 2

// besides returns what the model says of other heads.
func (s *summary) besides() string {
	var text strings.Builder
	for _, h := range s.others[:min(mostHeads, len(s.others))] {
		value := valueText(s.Report.Prediction[h.class], s.units[h.class])
		switch {
		case h.Classes > 1:
			text.WriteString(msg.Sprintf("; the largest of “%s” is %s (%s)", h.Name,
				s.name(h.class), value))
		case s.Classes[h.class] == h.Name:
			text.WriteString(msg.Sprintf("; “%s” is %s", h.Name, value))
		default:
			text.WriteString(msg.Sprintf("; “%s” gives %s the value %s", h.Name, s.name(h.class),
				value))
		}
	}
	if n := len(s.others) - mostHeads; n > 0 {
		text.WriteString("; it has " + counted(n, "more head", "more heads"))
	}
	return text.String()
}

// reached returns the number of other classes of the head that reach one half as well.
func (s *summary) reached() (n int) {
	if s.rests.Largest || s.Report.Output != core.OutputProbability {
		return 0
	}
	for c, v := range s.Report.Prediction[:s.head.Classes] {
		if c != s.rests.Class && v >= .5 {
			n++
		}
	}
	return n
}

// evidence returns the sentence on what the answer rests on.
func (s *summary) evidence() string {
	r, k := s.rests, s.Bag.Len()
	if k == 1 {
		return "There is no other " + s.thing() + "."
	}
	if !r.Decides {
		return s.raises()
	}
	carry, enough := s.carry(), s.enough()
	switch {
	case carry == "" && enough == "":
		return ""
	case carry == "":
		return capital(enough) + "."
	case enough == "":
		return carry + "."
	}
	return carry + ", and " + enough + "."
}

// carry says how many instances support the answer, how many refute it, and whether more than half
// of the former look alike.
func (s *summary) carry() string {
	r := s.rests
	switch {
	case !s.counted:
		return ""
	case r.For == 0 && r.Against == 0:
		return "No " + s.thing() + " stands out" + s.alikeTogether()
	case r.For == 0:
		return msg.Sprintf("No %s stands out for it, %d against it%s", s.thing(), r.Against,
			msg.Text(s.alikeTogether()))
	}
	text := msg.Sprintf("%d of %s %s it", r.For, s.things(s.Bag.Len()),
		plural(r.For, "carries", "carry"))
	switch n := len(r.Alike); {
	case n == r.For:
		text = msg.Sprintf("%s that look alike carry it", s.things(n))
		if r.AlikeTurn && len(r.Together.Instances) == 0 {
			text += " together"
		}
	case 2*n > r.For:
		text += msg.Sprintf(", %d of which look alike", n)
	}
	if r.Against > 0 {
		text += msg.Sprintf(" (%d %s against it)", r.Against,
			plural(r.Against, "speaks", "speak"))
	}
	return text
}

// alikeTogether names look-alikes none of which stands out and without which the answer turns.
func (s *summary) alikeTogether() string {
	n := len(s.rests.Alike)
	if n == 0 {
		return ""
	}
	return msg.Sprintf(", but %s that look alike carry it together", s.things(n))
}

// enough says which instances give the answer by themselves.
func (s *summary) enough() string {
	r, k := s.rests, s.Bag.Len()
	themselves := r.Alone == r.For && r.ForAlone == r.For
	switch {
	case r.Alone == k:
		return "any single one gives the same answer"
	case r.Alone == 1 && themselves && s.counted:
		return "it alone is enough"
	case r.Alone == 2 && themselves && s.counted:
		return "either of them alone is enough"
	case r.Alone > 0 && themselves && s.counted:
		return "any one of them alone is enough"
	case r.Alone == 1:
		return "one alone is enough"
	case r.Alone > 0 && r.Tried < k:
		return msg.Sprintf("any one of at least %d alone is enough", r.Alone)
	case r.Alone > 0:
		return msg.Sprintf("any one of %d alone is enough", r.Alone)
	case len(r.Together.Instances) == 0:
		return ""
	case r.Needed:
		return s.company(r.Together) + " are enough, and each is needed"
	}
	return s.company(r.Together) + " are enough"
}

// company names several instances that do something together.
func (s *summary) company(c whatif.Company) string {
	n := len(c.Instances)
	switch {
	case !s.counted || c.For < n:
		return s.things(n) + " together"
	case n == s.rests.For:
		return "together they"
	case c.Highest:
		return msg.Sprintf("the %d strongest together", n)
	}
	return msg.Sprintf("%d of them together", n)
}

// turn returns the sentence on what turns the answer, and into what.
func (s *summary) turn() string {
	r := s.rests
	n := len(r.Turn.Instances)
	if n == 0 {
		return ""
	}
	if !r.Decides {
		return msg.Sprintf("Without the %s that raises it most it would be %s.", s.thing(),
			s.value(r.Without))
	}
	which := plural(n, "one", strconv.Itoa(n)) + " of them"
	switch {
	case !s.counted || r.Turn.For < n:
		which = s.things(n)
	case n == 1 && r.For == 1:
		which = "it"
	case n == 1 && r.Needed && s.alike():
		which = "any one of these"
	case n == 1 && r.Needed && slices.Contains(r.Together.Instances, r.Turn.Instances[0]):
		which = "one of these"
	case n == 1 && r.Turn.Highest:
		which = "the strongest"
	case n == r.For && n == 2:
		which = "both"
	case n == r.For:
		which = msg.Sprintf("all %d", n)
	case r.Turn.Highest:
		which = msg.Sprintf("the %d strongest", n)
	}
	return msg.Sprintf("Without %s the model would %s.", msg.Text(which),
		msg.Text(s.would(r.Without)))
}

// alike reports whether the bags without each of the instances that are needed together give the
// same answer as that without Turn, with the same value in words.
func (s *summary) alike() bool {
	for _, row := range s.rests.Each {
		if s.would(row) != s.would(s.rests.Without) {
			return false
		}
	}
	return true
}

// would returns what the model would say with values that do not give the answer.
func (s *summary) would(values []float64) string {
	r := s.rests
	if r.Largest {
		of := values[:s.head.Classes]
		class := slices.Index(of, slices.Max(of))
		return msg.Sprintf("say %s (%s)", s.name(class), valueText(of[class], s.units[class]))
	}
	says := msg.Sprintf("say %s (%s)", s.name(r.Class), s.value(values))
	if r.Reached {
		return "not " + says
	}
	return says
}

// raises says how many instances raise and lower a value.
func (s *summary) raises() string {
	r := s.rests
	switch {
	case !s.counted:
		return ""
	case r.For+r.Against == 0:
		return "No " + s.thing() + " stands out."
	case r.Against == 0:
		return msg.Sprintf("%d of %s %s it.", r.For, s.things(s.Bag.Len()),
			plural(r.For, "raises", "raise"))
	case r.For == 0:
		return msg.Sprintf("%d of %s %s it.", r.Against, s.things(s.Bag.Len()),
			plural(r.Against, "lowers", "lower"))
	}
	return msg.Sprintf("%d of %s %s it, and %d %s it.", r.For, s.things(s.Bag.Len()),
		plural(r.For, "raises", "raise"), r.Against, plural(r.Against, "lowers", "lower"))
}

// name returns the name of a class in quotation marks.
func (s *summary) name(class int) string { return msg.Sprintf("“%s”", s.Classes[class]) }

// value returns the class's value among those of all classes.
func (s *summary) value(values []float64) string {
	return valueText(values[s.rests.Class], s.units[s.rests.Class])
}

// Noun returns what an instance of the bag is called.
func (x *Explained) Noun() core.Noun { return core.NounOf(x.Model.Noun, x.Bag) }

// thing returns what an instance of the bag is called.
func (s *summary) thing() string { return s.Noun().One }

// things returns a number of instances in words.
func (s *summary) things(n int) string {
	return counted(n, s.Noun().One, s.Noun().Several)
}

// counted returns a number with its noun.
func counted(n int, one, several string) string {
	return strconv.Itoa(n) + " " + plural(n, one, several)
}

// plural returns the form of a word for a number.
func plural(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// capital returns a text with a capital first letter, which must be in ASCII.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// valueText returns a value with its unit: a probability in percent, as "> 99.9 %" where it is
// nearly certain.
func valueText(v float64, unit core.Unit) string {
	short := strconv.FormatFloat(v, 'g', 4, 64)
	switch {
	case unit == core.UnitLogit || unit == core.UnitScore:
		return short
	case unit != core.UnitProbability:
		return msg.Sprintf("%s %s", short, string(unit))
	case v > 0 && v < .001:
		return "< 0.1 %"
	case v < 1 && v > .999:
		return "> 99.9 %"
	}
	return strings.TrimSuffix(strconv.FormatFloat(100*v, 'f', 1, 64), ".0") + " %"
}
