package core

// Distance is how far a coalition is from the full bag, for LIME's kernel.
type Distance string

// Distances of METHODS: the number of missing instances, or one minus the cosine of the two masks.
const (
	DistanceL2     Distance = "l2" // the default
	DistanceCosine Distance = "cosine"
)

// Rank is what MILLI orders instances by before it draws.
type Rank string

const (
	RankNegative  Rank = "negative-class"  // 1 - F_neg({x_i}), one order for all classes: the default where there is a negative class
	RankExplained Rank = "explained-class" // F_c({x_i}), an order per class
)

// Preset says whose conventions hold where the paper's print and its code differ.
type Preset string

const (
	PresetDefault   Preset = ""          // ours: see the package documentation
	PresetPaper     Preset = "paper"     // as printed
	PresetReference Preset = "reference" // as in the published code, for its golden numbers
)

// Void names a value for the empty bag, which no MIL model takes.
type Void string

const (
	VoidNone    Void = ""        // no efficiency constraint
	VoidUniform Void = "uniform" // 1/C for each class
	VoidZero    Void = "zero"    // 0 for each class
	VoidGame    Void = "game"    // what the game itself says (see Voider)
)
