// Package draw turns a bag and its explanation into pixels.
//
//	Strip    a bag of small pictures: rows of thumbnails, under each a signed cell for every class
//	Overlay  a picture cut into patches: patches tinted by sign, or all dimmed but the top n
//	Bars     feature vectors: a row for each instance, a signed bar for every class
//	Auto     whichever of them suits the bag
//
// Green supports a class and red refutes it. The stronger the colour, the larger the difference of the
// score from its neutral point beside the largest difference of all explained classes
// (Options.PerClass: of its own class). Grey, without a sign, is a score that chance or rounding
// explains (core.Explanation.Evident). Hue is not all: the two colours differ in lightness, and each
// cell that is large enough carries a plus or a minus.
//
// Every picture with scores has a legend in numbers: what the strongest colours stand for, the unit,
// the neutral point where it is not 0, how many scores are grey, and how many instances were removed.
//
// A Picture is RGBA in memory together with the place of every cell, so that a page can answer a
// hovering pointer and a click. Equal input gives equal pixels.
package draw
