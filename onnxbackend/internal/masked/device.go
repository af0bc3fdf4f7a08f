package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
)

// devicePlan is what a device holds of a plan.
type devicePlan struct {
	held   []any // *table and *extremes, in the order in which the device holds them
	pooler device.Pooler
}

// deviceRun is what a device pooled of a run.
type deviceRun struct {
	asks   bool
	answer [][]float32
}

// Pooled returns what the plan pools, for a device to hold.
func (p *Plan) Pooled() (what []device.Pooled) {
	p.held = nil
	for _, st := range p.steps {
		switch s := st.(type) {
		case *sums:
			p.held = append(p.held, s.table)
			what = append(what, device.Pooled{Columns: s.width + s.divisors, Values: s.rows})
		case *extremes:
			p.held = append(p.held, s)
			what = append(what, device.Pooled{Columns: s.columns, Values: s.values, Order: s.order,
				Take: s.take, Inner: s.inner})
		}
	}
	return what
}

// Hold says which device holds what Pooled has returned.
func (p *Plan) Hold(d device.Pooler) { p.pooler = d }

// Ask says whether the device pools the runs to come. It is asked for sets of coalitions alone:
// those of one instance each, and those that grow member by member, take the CPU an addition each.
func (r *Runner) Ask(device bool) { r.asks = device }

// fetch has the device pool the coalitions of the run.
func (r *Runner) fetch() (err error) {
	if r.answer = nil; !r.asks || r.p.pooler == nil || r.Z == nil || r.Len() == 0 {
		return nil
	}
	r.answer, err = r.p.pooler.Pool(r.m.Context(), r.Z.Words(), len(r.Z.Row(0)), r.Len())
	return err
}

// pooled returns the device's answer for a table or extremes, (coalition, number), nil where the
// CPU is to pool them.
func (r *Runner) pooled(what any) []float32 {
	if r.answer == nil {
		return nil
	}
	return r.answer[slices.Index(r.p.held, what)]
}

// met copies row j of a device's answer, and reports whether all of its members were met.
func met(row, answer []float32, j int) bool {
	return answer != nil && !slices.Contains(row[:copy(row, answer[j*len(row):])], device.NotMet)
}

// Grows reports whether some coalitions of a set come in chains, each of which has one member more
// or fewer than the one before.
func (r *Runner) Grows(z Set) bool {
	r.Set = z
	for lo := 0; lo < z.Len(); lo += portion {
		hi := min(lo+portion, z.Len())
		for j := lo; j < hi; {
			end, _ := r.chain(j, hi)
			if end-j > shortest {
				return true
			}
			j = end
		}
	}
	return false
}
