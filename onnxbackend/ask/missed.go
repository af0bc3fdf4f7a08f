package ask

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/msg"
)

// mostMissed is the number of instances that are stated for each method.
const mostMissed = 5

// Missed is an instance whose score stands out: what it does by itself, over many bags, and what
// this bag loses without it.
type Missed struct {
	Method   string `json:"method" ts:"MethodName"`
	Class    int    `json:"class"`    // the class of the largest prediction of the first head
	Instance int    `json:"instance"` // its index in the whole bag, from 0
	// Score of the instance, less the neutral point: above 0 it supports the class.
	ByItself Number `json:"by_itself"`
	// Value of the class in this bag, less that in the bag without the instance: above 0 the value
	// falls without it. It is in log-odds if the scores are, else in the unit of the prediction.
	MissedHere Number    `json:"missed_here"`
	Unit       core.Unit `json:"unit"` // unit of missed_here
	// Says that the two have different signs, if missed_here is at least a twentieth of by_itself;
	// else empty. The name of the class is in the quotation marks “ and ”.
	Sentence string `json:"sentence"`
}

// A MissedAnswer holds what a bag loses without one instance.
type MissedAnswer struct {
	Answered
	Instance   int       `json:"instance"`    // its index in the whole bag, from 0
	MissedHere Number    `json:"missed_here"` // see Missed; not a number without an answer
	Unit       core.Unit `json:"unit"`        // unit of missed_here
	// Whether missed_here has another sign than the score, and at least a twentieth of its size.
	Opposed bool `json:"opposed"`
}

// Missed returns what the bag loses without an instance, which has its index in the whole bag. The
// score is that of the instance for the class, less the neutral point; it is 0 if it does not stand
// out. The loss is in log-odds if the score is. Errors are those of whatif.MissedQuestion, of the
// binding, and a *core.SettingError for an instance that is not in the bag.
func (a *Ask) Missed(
	ctx context.Context, in *Input, instance int, score float64, logOdds bool,
) (*MissedAnswer, error) {
	at := instance
	if in.Instances != nil {
		at = slices.Index(in.Instances, instance)
	}
	if at < 0 || at >= in.Bag.Len() {
		return nil, wrong("instance", "index %d was removed or does not exist", instance)
	}
	of, err := a.ask(ctx, in, nil, nil)
	if err != nil {
		return nil, err
	}
	e := core.Explanation{Class: of.class, Unit: of.Units()[of.class],
		Scores: make([]float64, in.Bag.Len())}
	if logOdds {
		e.Unit = core.UnitLogOdds
	}
	e.Scores[at] = score
	missed, err := whatif.MissedQuestion{Explanation: &e, Of: []int{at}}.Answer(ctx, of.Game)
	if err != nil {
		return nil, err
	}
	answer := &MissedAnswer{of.end(), instance, Number(math.NaN()), e.Unit, false}
	for _, m := range missed {
		answer.MissedHere, answer.Opposed = Number(m.Loss), m.Opposed
	}
	return answer, nil
}

// miss sets Missed: for each method that explains the class of the sentences, the instances that
// stand out most.
func (s *summary) miss(ctx context.Context, g *core.Game) error {
	s.Missed = nil
	for n := range s.Report.Explanations {
		e := &s.Report.Explanations[n]
		if e.Class != s.rests.Class {
			continue
		}
		of, err := whatif.MissedQuestion{Explanation: e, Most: mostMissed}.Answer(ctx, g)
		if err != nil {
			return err
		}
		unit := s.units[e.Class]
		if e.Unit == core.UnitLogOdds {
			unit = e.Unit
		}
		for _, m := range of {
			s.Missed = append(s.Missed, Missed{e.Method, e.Class, s.Position(m.Instance),
				Number(m.Score), Number(m.Loss), unit, s.opposed(m)})
		}
	}
	return nil
}

// opposed says that the score and the loss of an instance have different signs, or nothing.
func (s *summary) opposed(m whatif.Missed) string {
	if !m.Opposed {
		return ""
	}
	does, value := "refutes", "lower"
	if m.Score > 0 {
		does, value = "supports", "higher"
	}
	what := s.name(s.rests.Class)
	if !s.rests.Decides {
		does = "lowers"
		if m.Score > 0 {
			does = "raises"
		}
		if s.nameless() {
			what = "the value"
		}
	}
	return msg.Sprintf("By itself %s %d %s %s, but this bag without it has a %s value.",
		s.thing(), core.Number(s.Position(m.Instance)), does, what, value)
}
