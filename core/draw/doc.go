// Package draw turns a bag and its explanation into pixels.
//
//	Strip    a bag of small pictures: rows of thumbnails, under each a signed cell for every class
//	Overlay  a picture cut into patches: patches tinted by sign, or all dimmed but the top n
//	Bars     feature vectors: a row for each instance, a signed bar for every class
//	Auto     whichever of them suits the bag
//
// Green supports a class, red refutes it, grey is zero or not a number, and the stronger the colour the
// larger the score beside the largest of its class. Hue is not all: the two colours differ in
// lightness, and each cell that is large enough carries a plus or a minus.
//
// A Picture is RGBA in memory together with the place of every cell, so that a page can answer a
// hovering pointer and a click. Equal input gives equal pixels.
package draw
