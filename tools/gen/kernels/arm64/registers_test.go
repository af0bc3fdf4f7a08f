package main

import "testing"

// TestAssign checks that a value from before a loop keeps its register until the loop ends, and
// that a register is used again afterwards.
func TestAssign(t *testing.T) {
	f := begin("loop", "(n int)")
	n, before := f.param("n"), f.op(zero)
	f.label("again")
	first := f.op(fadd, before, before)
	second := f.op(fadd, first, first)
	f.repeat(n, "again")
	after := f.op(zero)
	registers, err := f.assign()
	if err != nil {
		t.Fatal(err)
	}
	if registers[first] == registers[before] || registers[second] == registers[before] {
		t.Errorf("the loop overwrites a value that it reads in its next round: %v", registers)
	}
	if registers[second] != registers[first] {
		t.Errorf("a source that is not needed any more keeps its register: %v", registers)
	}
	if registers[after] != registers[before] {
		t.Errorf("a register is not free after the loop: %v", registers)
	}
}

// TestAssignFails checks that more values than registers are an error.
func TestAssignFails(t *testing.T) {
	for _, n := range []int{vectorRegisters, vectorRegisters + 1} {
		f := begin("many", "(n int)")
		for _, v := range f.zeros(n) {
			f.into(fadd, v, v, v)
		}
		if _, err := f.assign(); (err != nil) != (n > vectorRegisters) {
			t.Errorf("%d values in %d registers: %v", n, vectorRegisters, err)
		}
	}
}
