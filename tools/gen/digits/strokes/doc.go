// Package strokes draws handwritten-looking digits. No digit is taken from a data set: each is a
// few strokes of a pen (glyphs.go), bent, slanted, stretched and inked at random (draw.go), in the
// frame of MNIST.
package strokes
