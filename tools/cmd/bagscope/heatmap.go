package main

import (
	"context"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// writeMap writes the map of the report's first method to a file.
func writeMap(ctx context.Context, file slidefiles.Map, x explained) error {
	m, err := heatmap.New(x.Bag, x.Report, heatmap.Options{
		Options: x.look.options(draw.Options{ClassNames: x.Classes})})
	if err != nil {
		return err
	}
	return file.Write(ctx, m, cli.WriteFile)
}
