package kernel

//go:generate go -C ../../tools/gen/kernels/amd64 run . -kernel lanes -pkg kernel -out ../../../../onnxbackend/kernel/lanes_amd64.s -stubs ../../../../onnxbackend/kernel/lanes_stubs_amd64.go
//go:generate go -C ../../tools/gen/kernels/arm64 run . -kernel lanes -folder ../../../../onnxbackend/kernel

// In lanes, LaneWidth pictures lie side by side: the values of all of them at one channel and place
// are neighbours, (channel, place, lane). A convolution is then a product of matrices whose right
// factor lies in the picture as it is: nothing is copied together for it, windows of any stride are
// read in whole vectors, and a maximum over a window is one of whole vectors too. Places in the
// padding are places like others, with zeros in them.

// LaneWidth returns how many pictures lie side by side: 4 in plain Go and with NEON, 8 in the
// WebAssembly module and with AVX2, 16 with AVX-512. It is the same for the life of the process.
func LaneWidth() int { return current.laneWidth() }

// PackMaps lays the weights of a convolution out for ConvLanes: w is (map, k) and k counts
// (channel, tap). dst has maps*k floats: tiles of neighbouring maps, each (k, map of the tile).
func PackMaps(dst, w []float32, maps, k int) { packMaps(dst, w, maps, k, current.laneMaps()) }

func packMaps(dst, w []float32, maps, k, most int) {
	for m := 0; m < maps; {
		rows := tileMaps(maps-m, most)
		tile := dst[m*k : (m+rows)*k]
		for r := range rows {
			for p, v := range w[(m+r)*k : (m+r+1)*k] {
				tile[p*rows+r] = v
			}
		}
		m += rows
	}
}

// tileMaps is how many maps, at most most, the next tile takes of those that are left: the heights
// of tiles differ by one at most, since a low tile leaves registers idle.
func tileMaps(left, most int) int {
	tiles := (left + most - 1) / most
	return (left + tiles - 1) / tiles
}

// A ConvRow is a convolution over one row of output positions.
type ConvRow struct {
	// (k) where each (channel, tap) of the first position is read, in floats from the start of the
	// source
	From    []int32
	Step    int       // floats from there to the next position's: the stride times LaneWidth
	Weights []float32 // (maps*k), by PackMaps
	Bias    []float32 // (maps), or nil
	Maps    int
	Relu    bool
}

// ConvLanes computes n neighbouring positions of every map for all lanes: position x of map m is at
// dst[m*mapStride + x*LaneWidth()] and is the sum over p of weight (m, p) times what src holds at
// From[p] + x*Step, p ascending in one chain of additions, then the bias, then what is below zero
// cut off. dst and src may not overlap.
func ConvLanes(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	if n <= 0 || c.Maps <= 0 {
		return
	}
	width := LaneWidth()
	dst = dst[:(c.Maps-1)*mapStride+n*width]
	// What is read lies in its slice: checked here, since what follows checks nothing.
	_ = c.Weights[:c.Maps*len(c.From)]
	if c.Bias != nil {
		_ = c.Bias[:c.Maps]
	}
	for _, from := range c.From {
		_ = src[from : int(from)+(n-1)*c.Step+width]
	}
	convLanes(dst, mapStride, src, n, c)
}

// MaxLanes computes n neighbouring positions of a maximum over windows: position x is at
// dst[x*LaneWidth()] and is the largest of what src holds at from[t] + x*step over t, or a NaN
// where there is one. from is not empty. dst and src may not overlap.
func MaxLanes(dst, src []float32, from []int32, n, step int) {
	if n <= 0 {
		return
	}
	width := LaneWidth()
	dst = dst[:n*width]
	for _, f := range from {
		_ = src[f : int(f)+(n-1)*step+width]
	}
	maxLanes(dst, src, from, n, step)
}

// ToLanes spreads n neighbouring values of each picture over lanes: dst[i*LaneWidth()+l] =
// src[l*ld+i] for l below pictures, zero for the lanes that are left. pictures is at most
// LaneWidth.
func ToLanes(dst, src []float32, n, ld, pictures int) {
	if n <= 0 || pictures <= 0 {
		return
	}
	dst = dst[:n*LaneWidth()]
	if pictures < LaneWidth() {
		clear(dst)
	}
	toLanes(dst, src[:(pictures-1)*ld+n], n, ld, pictures)
}

// FromLanes is the way back: dst[l*ld+i] = src[i*LaneWidth()+l] for l below pictures.
func FromLanes(dst, src []float32, n, ld, pictures int) {
	if n <= 0 || pictures <= 0 {
		return
	}
	fromLanes(dst[:(pictures-1)*ld+n], src[:n*LaneWidth()], n, ld, pictures)
}

// LanesPay reports whether convolving so many pictures takes less time in lanes than one after the
// other on a copy of their windows, if a layer's result has at most so many places. It does from
// half the lanes on, since the others are computed in vain. Encoders of MNIST and CRC take as long
// both ways with 4 of 8 pictures in WebAssembly, 3 of 8 with AVX2, 6 of 16 with AVX-512; with all
// of them they are at least 1.9, 3.4 and 3.0 times as fast in lanes. One after the other, a picture
// takes a panel, two vectors, for each weight, however few its places are; in lanes each place
// takes a vector. Plain Go has no vectors, and lanes take it 1.25 times as long however many
// pictures there are.
func LanesPay(pictures, places int) bool {
	return current != portable && (2*pictures >= LaneWidth() || places <= 2*pictures)
}
