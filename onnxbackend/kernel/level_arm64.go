package kernel

// neon is Advanced SIMD, which every 64-bit ARM processor that Go supports has: 4 floats, 32
// registers.
const neon level = 1

var levelNames = [...]string{"portable", "neon"}

// panelWidth is PanelWidth at a level.
func (l level) panelWidth() int { return [...]int{portableWidth, 8}[l] }

// laneWidth is LaneWidth at a level, laneMaps the most maps of a tile.
func (l level) laneWidth() int { return portableLanes }
func (l level) laneMaps() int  { return [...]int{portableLaneMaps, laneMapsNEON}[l] }

// fused says whether products and their sums are rounded once.
func (l level) fused() bool { return l != portable }

func detect() level { return neon }
