package export

import (
	"strings"

	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// The names of a model's outputs.
const (
	Logits      = "logits"          // (classes)
	Attention   = "attention"       // (instances), of mi-attn
	Clustering  = "clustering"      // (instances), of mi-gnn
	Predictions = "instance_logits" // (instances, classes), of mi-net-instance
)

// firstAxis names the constant that holds the axis of the instances, for operators that read axes
// from an input.
const firstAxis = "first"

// Model returns a network as an ONNX file of opset 17. Its input is "bag" (instances, shape...),
// and its output is "logits" (classes). Networks with attention, clustering or predictions of
// instances have a second output, which the model card names. The card states the names of classes,
// truth and patches of the set. It also states the preprocessing of pictures; for features, the
// graph contains the preprocessing.
func Model(
	net *network.Network, set *dataset.Set, p dataset.Preprocess, version string,
) ([]byte, error) {
	b := &nodes{net: net}
	if len(net.Shape) == 1 {
		b.standard = p
	}
	b.integers(firstAxis, 0)
	outputs := network.Assemble(net.Architecture, b)
	b.names[Logits]++
	b.node("Squeeze", Logits, []string{outputs.Logits, firstAxis}, []string{Logits})
	b.outputs = append(b.outputs, value(Logits, net.Classes))
	inherent := ""
	switch {
	case outputs.Attention != nil:
		inherent = Attention
		if net.Kind == network.MIGNN {
			inherent = Clustering
		}
		b.node("Squeeze", inherent, []string{*outputs.Attention, firstAxis}, []string{inherent})
		b.outputs = append(b.outputs, value(inherent, "instances"))
	case outputs.Predictions != nil:
		inherent = Predictions
		b.node("Identity", inherent, []string{*outputs.Predictions}, []string{inherent})
		b.outputs = append(b.outputs, value(inherent, "instances", net.Classes))
	}
	card, err := card(net, set, p, inherent)
	if err != nil {
		return nil, err
	}
	return b.bytes(strings.ReplaceAll(set.Name+"_"+string(net.Kind), "-", "_"), version, card), nil
}
