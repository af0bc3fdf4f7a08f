// Package draw draws pictures of bags and their explanations.
//
//	Strip    a bag of small pictures: rows of thumbnails, under each a signed cell for every class
//	Overlay  a picture cut into patches: patches tinted by sign, or all dimmed except the top n
//	Map      patches without the picture: a signed cell at the coordinates of each
//	Bars     feature vectors: a row for each instance, a signed bar for every class
//	Auto     selects one of the four by the bag
//
// Blue supports a class and orange refutes it; with Options.Colours, green and red as in the paper.
// The strength of a colour is the difference of the score from its neutral point, relative to the
// largest difference of all explained classes (with Options.PerClass: of its own class). Grey
// without a sign means that a score is not evidence (core.Explanation.Evident); an overlay leaves
// the picture of such a patch as it is. Readers do not depend on hue: the two colours differ in
// lightness, and each cell has a plus or a minus or, if it is too small for these, a stripe if it
// refutes.
//
// Every picture with scores has a legend: the values of the strongest colours, the unit, the
// neutral point if it is not 0, the number of grey scores, and the number of removed instances.
//
// A Scene is a drawing as a list of marks, with the rectangles of its cells, so that a page can
// react to pointers and clicks. Scene.Picture paints it; the npm package paints it on canvases.
// Equal input gives equal pixels.
package draw
