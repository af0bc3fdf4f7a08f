// Package patches makes bags of whole-slide pictures: it finds the tissue, lays a grid of patches
// over it, and encodes the patches in a stream, so that their pixels are never in memory together.
//
// Places are those of [slide.Slide.Grid], pixels those of [slide.Grid.Patch]. The pictures beside
// the tissue, which may name a patient, are not read.
package patches
