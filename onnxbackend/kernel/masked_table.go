package kernel

// maskedTable is how many float32 of room the module's masked sums need: four groups of instances, a
// table of 256 sums and two of 16 each, 16 columns wide.
const maskedTable = 4 * (256 + 16 + 16) * 16
