package main

import (
	"encoding/csv"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// mostTable bounds the bytes of a table of a cohort.
const mostTable = 1 << 26

// cohortScale returns the largest scale of the classes of a model and a method over all bags of a
// cohort, from tables/by_class.csv in the folder of its results. Models are those of files with the
// same name. Without such a row, it is an error of usage.
func cohortScale(folder, model, method string) (float64, error) {
	file := filepath.Join(folder, "tables", "by_class.csv")
	f, err := os.Open(file)
	if err != nil {
		return 0, cli.Usagef("--scale must be a number above 0, or the folder of results of "+
			"bagscope cohort: %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(io.LimitReader(f, mostTable)).ReadAll()
	if err != nil || len(rows) == 0 {
		return 0, cli.Usagef("--scale: %s cannot be read as CSV: %v", file, err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	models, methods, scales := column("model"), column("method"), column("scale")
	if min(models, methods, scales) < 0 {
		return 0, cli.Usagef("--scale: %s has no columns model, method and scale; run the cohort "+
			"again with this release", file)
	}
	largest := 0.
	for _, row := range rows[1:] {
		if path.Base(filepath.ToSlash(row[models])) != filepath.Base(model) ||
			row[methods] != method {
			continue
		}
		if x, err := strconv.ParseFloat(row[scales], 64); err == nil {
			largest = max(largest, x)
		}
	}
	if largest == 0 {
		return 0, cli.Usagef("--scale: %s has no scale of %s by the method %s; explain the cohort "+
			"by this model and method", file, filepath.Base(model), method)
	}
	return largest, nil
}
