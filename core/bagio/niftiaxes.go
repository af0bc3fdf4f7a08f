package bagio

import (
	"encoding/binary"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A niftiHeader is the beginning of a file.
type niftiHeader struct {
	data  []byte
	order binary.ByteOrder
}

// whole returns a signed whole number of 2, 4 or 8 bytes at a place.
func (h niftiHeader) whole(at, size int) int64 { return signed(h.data[at:], size, h.order) }

// float returns a number of 4 or 8 bytes at a place.
func (h niftiHeader) float(at, size int) float64 {
	if size == 4 {
		return float64(math.Float32frombits(h.order.Uint32(h.data[at:])))
	}
	return math.Float64frombits(h.order.Uint64(h.data[at:]))
}

// floats returns n numbers that follow each other.
func (h niftiHeader) floats(at, size, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = h.float(at+i*size, size)
	}
	return out
}

// clampedFloat returns a number that is safe to convert to a whole number, -1 if it is not one.
func clampedFloat(x float64) float64 {
	if !(x >= 0 && x <= mostExact) {
		return -1
	}
	return x
}

// axes returns the directions of the axes, a voxel long: x grows to the right of the patient, y to
// the front and z to the head. They are those of srow, which the file may state, else those of its
// quaternion. ok says that it states either.
func (h niftiHeader) axes(v niftiVersion) (axes [3][3]float64, ok bool) {
	switch {
	case h.whole(v.qform+v.formSize, v.formSize) > 0:
		rows := h.floats(v.rows, v.floatSize, 12)
		for axis := range axes {
			for i := range axes[axis] {
				axes[axis][i] = rows[4*i+axis]
			}
		}
	case h.whole(v.qform, v.formSize) > 0:
		sizes := h.floats(v.pixdim, v.floatSize, 4)
		q := h.floats(v.quaternion, v.floatSize, 3)
		axes = rotation(q[0], q[1], q[2])
		for axis := range axes {
			for i := range axes[axis] {
				axes[axis][i] *= sizes[axis+1]
			}
		}
		if sizes[0] < 0 { // qfac
			for i := range axes[2] {
				axes[2][i] = -axes[2][i]
			}
		}
	default:
		return axes, false
	}
	return axes, independent(axes)
}

// rotation returns the columns of the rotation of a unit quaternion (a, b, c, d) whose a is not
// negative.
func rotation(b, c, d float64) [3][3]float64 {
	a := math.Sqrt(max(0, 1-b*b-c*c-d*d))
	return [3][3]float64{
		{a*a + b*b - c*c - d*d, 2 * (b*c + a*d), 2 * (b*d - a*c)},
		{2 * (b*c - a*d), a*a + c*c - b*b - d*d, 2 * (c*d + a*b)},
		{2 * (b*d + a*c), 2 * (c*d - a*b), a*a + d*d - b*b - c*c},
	}
}

// independent reports whether axes are finite and span space.
func independent(axes [3][3]float64) bool {
	u := along(axes[0])
	v, w := along(axes[1]), along(axes[2])
	volume := w[0]*(u[1]*v[2]-u[2]*v[1]) + w[1]*(u[2]*v[0]-u[0]*v[2]) + w[2]*(u[0]*v[1]-u[1]*v[0])
	return math.Abs(volume) > 0.1 // also false for NaN
}

// length returns the length of a vector.
func length(v [3]float64) float64 { return math.Hypot(math.Hypot(v[0], v[1]), v[2]) }

// along returns the direction of a vector.
func along(v [3]float64) [3]float64 {
	n := length(v)
	return [3]float64{v[0] / n, v[1] / n, v[2] / n}
}

// A turn is how slices, rows and columns follow each other.
type turn [3]core.AxisWay

// walk returns the byte of the first voxel, and the bytes from each slice, row and column to the
// next.
func (t turn) walk(n *nifti) (first int, step [3]int) {
	voxel := n.samples() * n.dtype.size
	strides := [3]int{voxel, voxel * n.sides[0], voxel * n.sides[0] * n.sides[1]}
	for i, w := range t {
		step[i] = strides[w.Axis]
		if w.Back {
			first += step[i] * (n.sides[w.Axis] - 1)
			step[i] = -step[i]
		}
	}
	return first, step
}

// Directions in the patient: an axis of the patient, and whether it is followed backwards.
var (
	leftward  = core.AxisWay{Axis: 0, Back: true}
	rightward = core.AxisWay{Axis: 0}
	backward  = core.AxisWay{Axis: 1, Back: true}
	footward  = core.AxisWay{Axis: 2, Back: true}
	headward  = core.AxisWay{Axis: 2}
)

// usualTurns are the directions of slices, rows and columns by the axis of the patient that slices
// follow: those of DICOM files of sagittal, coronal and axial slices.
var usualTurns = [3]turn{
	{rightward, footward, backward},
	{backward, footward, leftward},
	{headward, backward, leftward},
}

// turn returns how slices follow each other and lie: as stated, or across the third axis so that
// they are those of the DICOM files of the volume. Without directions in the file these are as it
// holds them.
func (n *nifti) turn(stated core.SliceAxes) (turn, error) {
	switch {
	case stated.String() != "" && !stated.Patient:
		return stated.Ways, nil
	case stated.Patient && !n.placed:
		return turn{}, bad(n.name, "it does not state how slices lie in the patient; state axes "+
			"of the file as slice-axes, such as kji")
	case !n.placed:
		return turn{{Axis: 2}, {Axis: 1}, {Axis: 0}}, nil
	}
	nearest, back := n.nearest()
	directions := turn(stated.Ways)
	if !stated.Patient {
		directions = usualTurns[nearest[2]]
	}
	var out turn
	for i, direction := range directions {
		for axis, at := range nearest {
			if at == direction.Axis {
				out[i] = core.AxisWay{Axis: axis, Back: back[axis] != direction.Back}
			}
		}
	}
	return out, nil
}

// nearest returns the axis of the patient that each axis of the file is nearest to, each another
// one, and whether it runs backwards. The nearest pair of all is taken first.
func (n *nifti) nearest() (nearest [3]int, back [3]bool) {
	var done, taken [3]bool
	for range nearest {
		axis, patient, best := 0, 0, -1.0
		for a, v := range n.axes {
			for p, x := range along(v) {
				if !done[a] && !taken[p] && math.Abs(x) > best {
					axis, patient, best = a, p, math.Abs(x)
				}
			}
		}
		done[axis], taken[patient] = true, true
		nearest[axis], back[axis] = patient, n.axes[axis][patient] < 0
	}
	return nearest, back
}

// note says how slices follow each other and lie.
func (t turn) note(n *nifti) string {
	if !n.placed {
		return msg.Sprintf("The file does not state how slices lie in the patient: they are in "+
			"the order of its %s axis, and columns in that of its %s.", msg.Text(ordinal(t[0])),
			msg.Text(ordinal(t[2])))
	}
	d := t.directions(n)
	return msg.Sprintf("Slices are in the order of their positions in the patient, %s%s, rows "+
		"%s and columns %s.", msg.Text(directionText(d[0])),
		msg.Text(apartText(length(n.axes[t[0].Axis]))), msg.Text(directionText(d[1])),
		msg.Text(directionText(d[2])))
}

// directions returns the steps from a slice, a row and a column to the next one, in mm as DICOM
// states them: x grows to the left of the patient, y to the back and z to the head.
func (t turn) directions(n *nifti) (d [3][3]float64) {
	for i, w := range t {
		v := n.axes[w.Axis]
		if d[i] = [3]float64{-v[0], -v[1], v[2]}; w.Back {
			d[i] = [3]float64{v[0], v[1], -v[2]}
		}
	}
	return d
}

// places returns where the slices lie in the patient, the first one at the origin, nil if the file
// does not state it. A volume may be turned so that its slices follow each other against the normal
// that DICOM gives them.
func (t turn) places(n *nifti) []core.Slice {
	if !n.placed {
		return nil
	}
	d := t.directions(n)
	out := make([]core.Slice, n.sides[t[0].Axis])
	for i := range out {
		s := &out[i]
		s.Placed, s.Thickness = true, length(d[0])
		s.Spacing = core.Spacing{Rows: length(d[1]), Columns: length(d[2])}
		s.Window.Centre, s.Window.Width = n.window.Center, n.window.Width
		s.Place.Rows, s.Place.Across = along(d[2]), along(d[1])
		for axis := range d[0] {
			s.Place.Position[axis] = float64(i) * d[0][axis]
		}
	}
	return out
}

// ordinal names an axis of the file.
func ordinal(w core.AxisWay) string { return [3]string{"first", "second", "third"}[w.Axis] }
