package core

import "context"

// Pictures are what the instances of a bag of features were encoded from, such as the patches of a
// slide: they are read and encoded again to find which of their parts matter.
type Pictures interface {
	// Shape returns the shape of a picture, (channel, row, column).
	Shape() []int
	// Read returns the pictures of some instances as a bag of raw pixels.
	Read(ctx context.Context, instances []int) (*Bag, error)
	// Encode returns what the values of an instance are with each of other pictures, as a bag.
	Encode(ctx context.Context, instance int, pictures *Bag) (*Bag, error)
}

// somePictures are those of instances that [Bag.Select] has selected.
type somePictures struct {
	Pictures
	of []int // instances of the whole bag
}

func (p somePictures) Read(ctx context.Context, instances []int) (*Bag, error) {
	whole := make([]int, len(instances))
	for n, i := range instances {
		whole[n] = p.of[i]
	}
	return p.Pictures.Read(ctx, whole)
}

func (p somePictures) Encode(ctx context.Context, instance int, pictures *Bag) (*Bag, error) {
	return p.Pictures.Encode(ctx, p.of[instance], pictures)
}
