// The networks that see the bundled bags. The page opens one by itself; each of these pools in a way of its own, and is fetched
// in its place by a page whose address names it: look/?example=mi-gnn.
import miAttn from '../../../../examples/digits/networks/mi-attn.onnx?url';
import miGNN from '../../../../examples/digits/networks/mi-gnn.onnx?url';
import miNetInstance from '../../../../examples/digits/networks/mi-net-instance.onnx?url';
import miNet from '../../../../examples/digits/networks/mi-net.onnx?url';

export interface Network {
  /** In addresses and file names, and in the strings, which say how it pools. */
  key: 'mi-net' | 'mi-net-instance' | 'mi-attn' | 'mi-gnn';
  /** Where its file lies. The name says what is in it, so that it may be kept for ever. */
  url: string;
}

export const networks: readonly Network[] = [
  { key: 'mi-net', url: miNet },
  { key: 'mi-net-instance', url: miNetInstance },
  { key: 'mi-attn', url: miAttn },
  { key: 'mi-gnn', url: miGNN },
];

/** The network that an address names by its query, such as "?example=mi-gnn"; null without one, and for a name that nobody knows. */
export function networkOf(query: string): Network | null {
  const key = new URLSearchParams(query).get('example');
  return networks.find((network) => network.key === key) ?? null;
}
