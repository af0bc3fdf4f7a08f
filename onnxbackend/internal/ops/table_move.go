package ops

import "github.com/bagscope/bagscope/onnxbackend/internal/compute"

// moveTable holds operators that move elements, control flow, sizes and constants.
var moveTable = []Row{
	// Operators that move elements. Each element of the result of kinds Copy and Layout is one of
	// the first input, which Row.Moves reports.
	{
		Name: "Concat", Since: []int{4, 11, 13}, Arity: Arity{1, -1, 1}, Kind: Assemble,
		Axes: concatRule, Batch: batchConcat, Fact: concatFact, Device: "concat",
		New: compute.NewConcat,
	},
	{
		Name: "Split", Since: []int{2, 11, 13, 18}, Arity: Arity{1, 2, -1}, Kind: Copy,
		Axes: alongRule(attributeAxis(0)), Batch: batchAxis(0), Device: "split",
		New: compute.NewSplit,
	},
	{
		Name: "Slice", Since: []int{1, 10, 11, 13}, Arity: Arity{1, 5, 1}, Kind: Copy,
		Axes: sliceRule, Batch: batchSlice, Fact: sliceFact, Device: "slice", New: compute.NewSlice,
	},
	{
		Name: "Gather", Since: []int{1, 11, 13}, Arity: twoInputs, Kind: Copy, Axes: gatherRule,
		Batch: batchAxis(0), Fact: gatherFact, Device: "gather", New: compute.NewGather,
	},
	// GatherElements selects within each instance if the indices have an instance axis too.
	{
		Name: "GatherElements", Since: []int{11, 13}, Arity: twoInputs, Kind: Copy,
		Axes: gatherElementsRule, Batch: batchGatherElements, New: compute.NewGatherElements,
	},
	// Indices into several dimensions are not followed.
	{
		Name: "GatherND", Since: []int{11, 12, 13}, Arity: twoInputs, Kind: Copy, Axes: wholeRule,
		New: compute.NewGatherND,
	},
	// The size of the result depends on the elements, which no batch allows.
	{
		Name: "Compress", Since: []int{9, 11}, Arity: twoInputs, Kind: Copy, Axes: wholeRule,
		New: compute.NewCompress,
	},
	{
		Name: "Unique", Since: []int{11}, Arity: Arity{1, 1, 4}, Kind: Copy, Axes: wholeRule,
		New: compute.NewUnique,
	},
	// Scatter is the former name of ScatterElements.
	{
		Name: "Scatter", Since: []int{9, 11}, Arity: Arity{3, 3, 1}, Kind: Assemble,
		Axes: wholeRule, New: compute.NewScatter,
	},
	{
		Name: "ScatterElements", Since: []int{11, 13, 16, 18}, Arity: Arity{3, 3, 1},
		Kind: Assemble, Axes: scatterRule, New: compute.NewScatter,
	},
	{
		Name: "ScatterND", Since: []int{11, 13, 16, 18}, Arity: Arity{3, 3, 1}, Kind: Assemble,
		Axes: scatterRule, New: compute.NewScatterND,
	},
	{
		Name: "OneHot", Since: []int{9, 11}, Arity: Arity{3, 3, 1}, Kind: Create, Axes: wholeRule,
		New: compute.NewOneHot,
	},
	{
		Name: "NonZero", Since: []int{9, 13}, Arity: oneInput, Kind: Create, Axes: wholeRule,
		New: compute.NewNonZero,
	},
	{
		Name: "Transpose", Since: []int{1, 13, 21, 23, 24, 25}, Arity: oneInput, Kind: Copy,
		Axes: transposeRule, Batch: batchTranspose, Fact: transposeFact, NoOp: transposeNoOp,
		Device: "transpose", New: compute.NewTranspose,
	},
	{
		Name: "Expand", Since: []int{8, 13}, Arity: twoInputs, Kind: Copy, Axes: expandRule,
		Device: "expand", New: compute.NewExpand,
	},
	{
		Name: "Tile", Since: []int{6, 13}, Arity: twoInputs, Kind: Copy, Axes: tileRule,
		Device: "tile", New: compute.NewTile,
	},
	{
		Name: "Pad", Since: []int{2, 11, 13, 18, 19, 21, 23, 24, 25}, Arity: Arity{1, 4, 1},
		Kind: Assemble, Axes: padRule, Device: "pad", New: compute.NewPad,
	},
	{
		Name: "DepthToSpace", Since: []int{1, 11, 13}, Arity: oneInput, Kind: Copy,
		Axes: channelRule, Batch: batchPictures, New: compute.NewDepthToSpace,
	},
	{
		Name: "SpaceToDepth", Since: []int{1, 13}, Arity: oneInput, Kind: Copy, Axes: channelRule,
		Batch: batchPictures, New: compute.NewSpaceToDepth,
	},
	{
		Name: "Trilu", Since: []int{14}, Arity: Arity{1, 2, 1}, Kind: Assemble, Axes: wholeRule,
		Fact: sameFact, New: compute.NewTrilu,
	},
	// Operators of kind Layout share the memory of their input, so the device needs a view
	// only.
	{
		Name: "Reshape", Since: []int{5, 13, 14, 19, 21, 23, 24, 25}, Arity: twoInputs,
		Kind: Layout,
		Axes: layoutRule(reshapedAxes), Fact: reshapeFact, NoOp: reshapeNoOp,
		Device: "view", New: compute.NewReshape,
	},
	{
		Name: "Flatten", Since: []int{1, 9, 11, 13, 21, 23, 24, 25}, Arity: oneInput, Kind: Layout,
		Axes: layoutRule(fixedAxes), Fact: flattenFact, NoOp: flattenNoOp,
		Device: "view", New: compute.NewFlatten,
	},
	{
		Name: "Squeeze", Since: []int{1, 11, 13, 21, 23, 24, 25}, Arity: Arity{1, 2, 1},
		Kind: Layout, Axes: layoutRule(squeezedAxes), Fact: squeezeFact,
		Device: "view", New: compute.NewSqueeze,
	},
	{
		Name: "Unsqueeze", Since: []int{1, 11, 13, 21, 23, 24, 25}, Arity: Arity{1, 2, 1},
		Kind: Layout, Axes: layoutRule(fixedAxes), Fact: unsqueezeFact,
		Device: "view", New: compute.NewUnsqueeze,
	},
	// Control flow. The bodies are graphs of their own, whose effect on instances is not followed.
	{
		Name: "If", Since: []int{1, 11, 13, 16, 19, 21, 23, 24, 25}, Arity: Arity{1, 1, -1},
		Kind: Control, Axes: wholeRule, New: compute.NewIf,
	},
	// The number of trips and the condition may be omitted, although they come before the
	// states.
	{
		Name: "Loop", Since: []int{1, 11, 13, 16, 19, 21, 23, 24, 25}, Arity: Arity{2, -1, -1},
		Kind: Control, Axes: wholeRule, Omit: 2, New: compute.NewLoop,
	},
	{
		Name: "Scan", Since: []int{8, 9, 11, 16, 19, 21, 23, 24, 25}, Arity: Arity{1, -1, -1},
		Kind: Control, Axes: wholeRule, Omit: 1, New: compute.NewScan,
	},
	// Sizes and constants. Their values are often known before a run, so that passes can fold them.
	{
		Name: "Shape", Since: []int{1, 13, 15, 19, 21, 23, 24, 25}, Arity: oneInput,
		Kind: ReadShape, Axes: shapeRule, Batch: batchShape, Fact: shapeFact, New: compute.NewShape,
	},
	{
		Name: "Size", Since: []int{1, 13, 19, 21, 23, 24, 25}, Arity: oneInput, Kind: ReadShape,
		Axes: sizeRule, Batch: batchShape, Fact: sizeFact, New: compute.NewSize,
	},
	{
		Name: "Range", Since: []int{11, 27}, Arity: Arity{3, 3, 1}, Kind: Create, Axes: wholeRule,
		New: compute.NewRange,
	},
	{
		Name: "ConstantOfShape", Since: []int{9, 20, 21, 23, 24, 25}, Arity: oneInput,
		Kind: Create, Axes: constantOfShapeRule, New: compute.NewConstantOfShape,
	},
	{
		Name: "Constant", Since: []int{1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, Arity: Arity{0, 0, 1},
		Kind: Create, Axes: wholeRule, Half: constantHalf, New: compute.NewConstant,
	},
	{
		Name: "HannWindow", Since: []int{17}, Arity: oneInput, Kind: Create, Axes: wholeRule,
		New: compute.NewWindow(.5, .5, 0),
	},
	{
		Name: "HammingWindow", Since: []int{17}, Arity: oneInput, Kind: Create, Axes: wholeRule,
		New: compute.NewWindow(25./46, 21./46, 0),
	},
	{
		Name: "BlackmanWindow", Since: []int{17}, Arity: oneInput, Kind: Create, Axes: wholeRule,
		New: compute.NewWindow(.42, .5, .08),
	},
	{
		Name: "EyeLike", Since: []int{9, 22}, Arity: oneInput, Kind: Create, Axes: wholeRule,
		New: compute.NewEyeLike,
	},
}
