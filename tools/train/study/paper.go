package study

import "github.com/bagscope/bagscope/core/metric"

// paper holds the Overall column of the paper's tables, by data set, metric and method: the mean
// over the four networks. Two kinds of values have fewer networks. MI-Net has no Inherent. The
// paper's code did not measure AOPC-R on 4-MNIST-Bags for MI-GNN, so those means are over three
// networks, and over two for Inherent (github.com/JAEarly/MILLI,
// results/mnist/MNIST_Interpretability_AOPC.txt).
var paper = map[string]map[string]map[string]float64{
	"sival": {
		metric.NameNDCG:  column(.705, .793, .782, .805, .789, .800, .798, .782, .808),
		metric.NameAOPCR: column(.098, .261, .272, .282, .289, .282, .299, .274, .284),
	},
	"mnist": {
		metric.NameNDCG:  column(.630, .746, .804, .792, .819, .792, .833, .769, .942),
		metric.NameAOPCR: column(.069, .146, .172, .184, .183, .186, .186, .174, .186),
	},
	"crc":      {metric.NameNDCG: column(.740, .823, .724, .827, .701, .827, .731, .726, .786)},
	"musk1":    {metric.NameAOPCR: column(.036, .108, .095, .109, .102, .107, .102, .101, .104)},
	"tiger":    {metric.NameAOPCR: column(.042, .115, .111, .116, .112, .115, .113, .115, .114)},
	"elephant": {metric.NameAOPCR: column(.043, .122, .114, .122, .118, .122, .119, .119, .119)},
	"fox":      {metric.NameAOPCR: column(.017, .039, .038, .039, .039, .040, .039, .039, .039)},
}

// paperMethods lists the methods in the order of the values of column.
var paperMethods = []string{"inherent", "single", "one_removed", "combined", "random_shap",
	"guided_shap", "random_lime", "guided_lime", "milli"}

// column returns the values of a table's column by method.
func column(values ...float64) map[string]float64 {
	c := map[string]float64{}
	for i, v := range values {
		c[paperMethods[i]] = v
	}
	return c
}

// Paper returns the paper's value of a method on a data set, the mean over networks, and whether
// the paper has one.
func Paper(set, metric, method string) (value float64, ok bool) {
	value, ok = paper[set][metric][method]
	return value, ok
}
