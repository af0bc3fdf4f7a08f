package ops

import "github.com/bagscope/bagscope/onnxbackend/internal/compute"

// broadcastTable holds functions of elements that meet when inputs are broadcast.
var broadcastTable = []Row{
	// Arithmetic, comparison and selection, with broadcasting. The kind supplies all rules. A row
	// replaces the fact if the result has another type than the first input.
	{
		Name: "Add", Since: []int{7, 13, 14}, Arity: twoInputs, Kind: Broadcast, Device: "add",
		New: compute.NewArithmetic,
	},
	{
		Name: "Sub", Since: []int{7, 13, 14}, Arity: twoInputs, Kind: Broadcast, Device: "sub",
		New: compute.NewArithmetic,
	},
	// Sizes of tensors are multiplied in shapes that a graph computes, which mulRule follows.
	{
		Name: "Mul", Since: []int{7, 13, 14}, Arity: twoInputs, Kind: Broadcast, Axes: mulRule,
		Device: "mul", New: compute.NewArithmetic,
	},
	{
		Name: "Div", Since: []int{7, 13, 14}, Arity: twoInputs, Kind: Broadcast, Axes: divRule,
		Device: "div", New: compute.NewArithmetic,
	},
	{
		Name: "PRelu", Since: []int{7, 9, 16}, Arity: twoInputs, Kind: Broadcast, Device: "prelu",
		New: compute.NewArithmetic,
	},
	{Name: "Mod", Since: []int{10, 13}, Arity: twoInputs, Kind: Broadcast, New: compute.NewMod},
	{
		Name: "Pow", Since: []int{7, 12, 13, 15}, Arity: twoInputs, Kind: Broadcast, Device: "pow",
		New: compute.NewPow,
	},
	// Max, Min, Sum and Mean accept any number of inputs. Before version 8 all had one shape,
	// which broadcasting includes.
	{
		Name: "Max", Since: []int{6, 8, 12, 13}, Arity: Arity{1, -1, 1}, Kind: Broadcast,
		Device: "max", New: compute.Variadic("Max"),
	},
	{
		Name: "Min", Since: []int{6, 8, 12, 13}, Arity: Arity{1, -1, 1}, Kind: Broadcast,
		Device: "min", New: compute.Variadic("Min"),
	},
	{
		Name: "Sum", Since: []int{6, 8, 13}, Arity: Arity{1, -1, 1}, Kind: Broadcast,
		Device: "add", New: compute.Variadic("Add"),
	},
	{
		Name: "Mean", Since: []int{6, 8, 13}, Arity: Arity{1, -1, 1}, Kind: Broadcast,
		New: compute.NewMean,
	},
	// Comparisons return bools, which comparisonFact states.
	{
		Name: "Equal", Since: []int{7, 11, 13, 19}, Arity: twoInputs, Kind: Broadcast,
		Axes: equalRule, Fact: comparisonFact, New: compute.NewComparison,
	},
	{
		Name: "Greater", Since: []int{7, 9, 13}, Arity: twoInputs, Kind: Broadcast,
		Fact: comparisonFact, New: compute.NewComparison,
	},
	{
		Name: "Less", Since: []int{7, 9, 13}, Arity: twoInputs, Kind: Broadcast,
		Fact: comparisonFact, New: compute.NewComparison,
	},
	{
		Name: "GreaterOrEqual", Since: []int{12, 16}, Arity: twoInputs, Kind: Broadcast,
		Fact: comparisonFact, New: compute.NewComparison,
	},
	{
		Name: "LessOrEqual", Since: []int{12, 16}, Arity: twoInputs, Kind: Broadcast,
		Fact: comparisonFact, New: compute.NewComparison,
	},
	// Logical operators map bools to bools, so the facts of the kind hold.
	{
		Name: "And", Since: []int{7}, Arity: twoInputs, Kind: Broadcast,
		New: compute.Logic(func(a, b uint8) uint8 { return a & b }),
	},
	{
		Name: "Or", Since: []int{7}, Arity: twoInputs, Kind: Broadcast,
		New: compute.Logic(func(a, b uint8) uint8 { return a | b }),
	},
	{
		Name: "Xor", Since: []int{7}, Arity: twoInputs, Kind: Broadcast,
		New: compute.Logic(func(a, b uint8) uint8 { return a ^ b }),
	},
	// The type of the result is that of the second input.
	{
		Name: "Where", Since: []int{9, 16}, Arity: Arity{3, 3, 1}, Kind: Broadcast, Axes: whereRule,
		Fact: whereFact, Device: "where", New: compute.NewWhere,
	},
	{
		Name: "BitwiseAnd", Since: []int{18}, Arity: twoInputs, Kind: Broadcast,
		New: compute.Bitwise(func(a, b uint64) uint64 { return a & b }),
	},
	{
		Name: "BitwiseOr", Since: []int{18}, Arity: twoInputs, Kind: Broadcast,
		New: compute.Bitwise(func(a, b uint64) uint64 { return a | b }),
	},
	{
		Name: "BitwiseXor", Since: []int{18}, Arity: twoInputs, Kind: Broadcast,
		New: compute.Bitwise(func(a, b uint64) uint64 { return a ^ b }),
	},
	{
		Name: "BitShift", Since: []int{11}, Arity: twoInputs, Kind: Broadcast,
		New: compute.NewBitShift,
	},
	{
		Name: "BitwiseNot", Since: []int{18}, Arity: oneInput, Kind: Elementwise,
		New: compute.NewBitwiseNot,
	},
	{
		Name: "BitCast", Since: []int{26}, Arity: oneInput, Kind: Elementwise, Fact: castFact,
		New: compute.NewBitCast,
	},
}
