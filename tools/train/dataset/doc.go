// Package dataset reads the data sets of the paper, and a few more, in the files in which users
// download them, and splits them as the paper does.
//
//	folder of files ── Open ──► Set
//	Set ── Split(repeat) ──► Train, Validation, Test []Example, Preprocess()
//	Example.Bag() ──► *core.Bag ── Augment, Preprocess.Apply
//
// A [Set] describes the bags: classes, the negative class, the instance labels that support or
// refute a class, and the settings of the paper. A repeat is one of the paper's ten seeds. It
// splits the set, and generates the bags of generated sets. Equal repeats give equal splits on
// every machine. The splits of existing bags equal those of the paper's code, with the random
// numbers of NumPy. Generated bags follow the paper's recipe, but are not the same bags.
//
// Bags contain the values of the files: raw pixels, or features without changes. [Preprocess]
// converts them to the input of a network, with statistics of only the training bags. An exported
// network includes it, in its card for pictures and in its graph for features, so that users do not
// preprocess bags.
//
// The project does not include the data. A missing file is a [*MissingError], which names its
// source.
package dataset
