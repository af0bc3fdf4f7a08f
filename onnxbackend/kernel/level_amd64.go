package kernel

import "golang.org/x/sys/cpu"

// detect asks the processor and the operating system: a register that the system does not save on a
// switch of threads does not count.
func detect() level {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasOSXSAVE:
		return portable
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		return avx512
	}
	return avx2
}
