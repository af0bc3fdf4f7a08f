package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
)

// devicePlan is the part of a plan that a device pools.
type devicePlan struct {
	uploaded []any // *table and *extremes, in the order of Pooled
	pooler   device.Pooler
}

// deviceRun holds the device's results for one run.
type deviceRun struct {
	useDevice bool
	results   [][]float32 // (uploaded, coalition and number); nil if the CPU pools
}

// Pooled returns the tables and orders that the plan pools from, for a device to upload. A plan
// with members has none: its blocks have too few coalitions for a device.
func (p *Plan) Pooled() (what []device.Pooled) {
	p.uploaded = nil
	if p.Members() {
		return nil
	}
	for _, st := range p.steps {
		switch s := st.(type) {
		case *sums:
			p.uploaded = append(p.uploaded, s.table)
			what = append(what, device.Pooled{Columns: s.width + s.divisors, Values: s.rows})
		case *extremes:
			p.uploaded = append(p.uploaded, s)
			what = append(what, device.Pooled{Columns: s.columns, Values: s.values, Order: s.order,
				Take: s.top, Inner: s.inner})
		}
	}
	return what
}

// SetPooler sets the device that has uploaded what Pooled returned.
func (p *Plan) SetPooler(d device.Pooler) { p.pooler = d }

// UseDevice sets whether the device pools the next runs. It pools only sets of coalitions as masks,
// but no neighbours: the CPU needs one addition for each of these.
func (r *Runner) UseDevice(on bool) { r.useDevice = on }

// poolOnDevice pools the coalitions of the run on the device, if it is used.
func (r *Runner) poolOnDevice() (err error) {
	r.results = nil
	if !r.useDevice || r.p.pooler == nil || r.Z == nil || r.Len() == 0 {
		return nil
	}
	r.results, err = r.p.pooler.Pool(r.m.Context(), r.Z.Words(), len(r.Z.Row(0)), r.Len())
	return err
}

// pooled returns the device's results for a table or extremes, (coalition, number), or nil if the
// CPU must pool them.
func (r *Runner) pooled(what any) []float32 {
	if r.results == nil {
		return nil
	}
	return r.results[slices.Index(r.p.uploaded, what)]
}

// copyMet copies row j of a device's results. It reports false if there are none, or the device did
// not find enough members: it searches only the beginning of an order.
func copyMet(row, results []float32, j int) bool {
	return results != nil && !slices.Contains(row[:copy(row, results[j*len(row):])], device.NotMet)
}

// Grows reports whether a set has chains of coalitions, in which each has one member more or fewer
// than the one before. The CPU needs one addition for each of these.
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
