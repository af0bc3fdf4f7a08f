package ask

import (
	"strings"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/msg"
)

// longWait is the expected time from which on an explanation is announced, and firstLook the time
// of work after which it is estimated: earlier, the first evaluation prepares what others use.
const (
	longWait  = 10 * time.Second
	firstLook = time.Second
)

// quickerMethods are the methods that an announcement may name, the nearest to Consensus first.
var quickerMethods = []string{"random_shap", "one_removed", "single"}

// A wait estimates how long an explanation takes, from the time of its first evaluations.
type wait struct {
	plan    *Plan
	task    core.Task
	classes int // explained classes
	// neighbours says that the evaluations of Consensus cost less than those of other methods.
	neighbours bool
}

// announced returns a function that calls progress, and p.Slow at most once if the work is expected
// to take longWait or more.
func (w wait) announced(progress func(done, total int)) func(done, total int) {
	if w.plan.Slow == nil {
		return progress
	}
	now := w.plan.now
	start, said := now(), false
	return func(done, total int) {
		if progress != nil {
			progress(done, total)
		}
		spent := now().Sub(start)
		if said || spent < firstLook || done < 1 {
			return
		}
		each := spent / time.Duration(done)
		if said = each*time.Duration(total-done) >= longWait; said {
			w.plan.Slow(w.sentence(each, total))
		}
	}
}

// sentence says how long evaluations of a mean time take, and what takes at most half as long.
func (w wait) sentence(each time.Duration, total int) string {
	text := msg.Sprintf("This takes up to about %s: up to %d evaluations of the model, %s each.",
		roughly(each*time.Duration(total)), total, roughly(each))
	var quicker []string
	for _, name := range quickerMethods {
		row, _ := methods.Find(name)
		n := row.New(methods.Options{}).Evaluations(w.task.Instances, w.classes) + 1
		if 2*n > total || w.task.LeastBag() >= w.task.Instances ||
			name == "single" && w.task.LeastBag() > 1 {
			continue
		}
		quicker = append(quicker, "the method "+name+" "+w.cost(each, n))
	}
	if one := w.ofOneClass(total); w.classes > 1 && 2*one <= total {
		quicker = append(quicker, msg.Sprintf("one class instead of %d %s", w.classes,
			w.cost(each, one)))
	}
	if w.plan.takes("samples") {
		quicker = append(quicker, "fewer samples")
	}
	if len(quicker) == 0 {
		return text
	}
	return text + " Quicker: " + strings.Join(quicker, ", ") + "."
}

// cost describes n evaluations.
func (w wait) cost(each time.Duration, n int) string {
	if w.neighbours {
		return msg.Sprintf("(up to %d evaluations)", n)
	}
	return msg.Sprintf("(up to %d evaluations, about %s)", n, roughly(each*time.Duration(n)))
}

// ofOneClass returns the part of a total that the explanation of one class needs.
func (w wait) ofOneClass(total int) int {
	all, one := 1, 1
	for _, m := range w.plan.Methods {
		all += m.Evaluations(w.task.Instances, w.classes)
		one += m.Evaluations(w.task.Instances, 1)
	}
	return int(float64(total) * float64(one) / float64(all))
}

// roughly returns a time in words.
func roughly(d time.Duration) string {
	n, unit := d.Hours(), "h"
	switch {
	case d < time.Millisecond:
		n, unit = float64(d)/1e3, "µs"
	case d < time.Second:
		n, unit = float64(d)/1e6, "ms"
	case d < 100*time.Second:
		n, unit = d.Seconds(), "s"
	case d < 100*time.Minute:
		n, unit = d.Minutes(), "min"
	}
	if n < 9.95 {
		return msg.Sprintf("%.1f %s", n, unit)
	}
	return msg.Sprintf("%.0f %s", n, unit)
}
