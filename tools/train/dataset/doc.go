// Package dataset reads the data sets of the paper, and a few more, in the files in which users download them,
// and splits them as the paper does.
//
//	folder of files ── Open ──► Set ── Split(repeat) ──► Train, Validation, Test []Example, Preprocess()
//	                                                     Example.Bag() ──► *core.Bag ── Augment, Preprocess.Apply
//
// A [Set] says what the bags mean: classes, the negative class, which instance labels support or refute a class,
// and the settings of the paper. A repeat is one of the paper's ten seeds: it splits the set, and draws the bags
// of those that are drawn. Equal repeats give equal splits on every machine. Bags that are divided go where the
// paper's code puts them, by the random numbers of NumPy; bags that are drawn are its in kind, not one by one.
//
// Bags come as the files have them: pictures as raw pixels, features as they are. [Preprocess] is what turns
// them into the numbers that a network is trained on, with statistics of the training bags alone. A network that
// is exported carries it, in its card for pictures and in its graph for features, so that it takes bags as users
// have them.
//
// None of the data comes with the project. A missing file is a [*MissingError], which says where to get it.
package dataset
