package export

import (
	"strings"

	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// Names of the outputs of written models.
const (
	Logits      = "logits"          // (classes)
	Attention   = "attention"       // (instances): mi-attn's attention
	Clustering  = "clustering"      // (instances): mi-gnn's
	Predictions = "instance_logits" // (instances, classes): mi-net-instance's
)

// firstAxis names the constant that says the axis of the instances, where an operator takes axes as
// an input.
const firstAxis = "first"

// Model writes a network as an ONNX file of opset 17: input "bag" (instances, shape...), output
// "logits" (classes) and, where the network says something of its instances, a second output, which
// the card names. The card takes names, truth and patches from the set. Pictures are preprocessed
// by whoever reads the card, features by the graph itself.
func Model(
	net *network.Network, set *dataset.Set, p dataset.Preprocess, version string,
) ([]byte, error) {
	b := &nodes{net: net}
	if len(net.Shape) == 1 {
		b.standard = p
	}
	b.integers(firstAxis, 0)
	told := network.Assemble(net.Architecture, b)
	b.names[Logits]++
	b.node("Squeeze", Logits, []string{told.Logits, firstAxis}, []string{Logits})
	b.outputs = append(b.outputs, value(Logits, net.Classes))
	inherent := ""
	switch {
	case told.Attention != nil:
		inherent = Attention
		if net.Kind == network.MIGNN {
			inherent = Clustering
		}
		b.node("Squeeze", inherent, []string{*told.Attention, firstAxis}, []string{inherent})
		b.outputs = append(b.outputs, value(inherent, "instances"))
	case told.Predictions != nil:
		inherent = Predictions
		b.node("Identity", inherent, []string{*told.Predictions}, []string{inherent})
		b.outputs = append(b.outputs, value(inherent, "instances", net.Classes))
	}
	card, err := card(net, set, p, inherent)
	if err != nil {
		return nil, err
	}
	return b.bytes(strings.ReplaceAll(set.Name+"_"+string(net.Kind), "-", "_"), version, card), nil
}
