//go:build !amd64 && !arm64 && !(js && bagscope_simd)

package kernel

var levelNames = [...]string{"portable"}

func (l level) panelWidth() int { return portableWidth }

func (l level) laneWidth() int { return portableLanes }

func (l level) laneMaps() int { return portableLaneMaps }

func (l level) fused() bool { return false }

func detect() level { return portable }
