// The networks that the bundled bags can be seen under, and how each comes from instances to a bag.
export const networks = {
  title: 'The bundled bags under another network, in the page opened anew:',
  slide: 'A drawn slide of tissue, from the label of whole slides alone:',
  missing: 'The example could not be opened',
  reload: 'Reload the page to try again, or open the first example, which is kept for use without a network.',
  first: { name: 'The first', how: 'attention, from MNIST' },
  'mi-net': { name: 'MI-Net', how: 'the mean of features' },
  'mi-net-instance': { name: 'mi-Net', how: 'the mean of answers' },
  'mi-attn': { name: 'MI-Attn', how: 'attention' },
  'mi-gnn': { name: 'MI-GNN', how: 'a graph of instances' },
  tissue: { name: 'MI-Attn', how: 'attention' },
  'tissue-mi-net': { name: 'MI-Net', how: 'the maximum of features' },
  'tissue-mi-net-instance': { name: 'mi-Net', how: 'the maximum of answers' },
  'tissue-mi-gnn': { name: 'MI-GNN', how: 'a graph of instances' },
};
