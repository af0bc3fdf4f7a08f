package kernel

import "golang.org/x/sys/cpu"

const (
	avx2   level = 1 + iota // AVX2 with FMA and BMI2: 8 floats, 16 registers
	avx512                  // AVX-512 F and DQ: 16 floats, 32 registers
)

var levelNames = [...]string{"portable", "avx2", "avx512"}

// panelWidth is PanelWidth at a level.
func (l level) panelWidth() int { return [...]int{portableWidth, 16, 32}[l] }

// laneWidth is LaneWidth at a level, laneMaps the most maps of a tile.
func (l level) laneWidth() int { return [...]int{portableLanes, 8, 16}[l] }
func (l level) laneMaps() int {
	return [...]int{portableLaneMaps, laneMapsAVX2,
		laneMapsAVX512}[l]
}

// fused says whether products and their sums are rounded once.
func (l level) fused() bool { return l != portable }

// detect asks the processor and the operating system: a register that the system does not save on a
// switch of threads does not count.
func detect() level {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2 || !x.HasOSXSAVE:
		return portable
	case x.HasAVX512F && x.HasAVX512DQ:
		return avx512
	}
	return avx2
}
