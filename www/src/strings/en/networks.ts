// The networks for the bundled bags, and how each pools instances.
export const networks = {
  title: 'Open the bundled bags with another network. The page reloads:',
  slide: 'A drawn slide of tissue; the networks were trained with labels of whole slides:',
  scan: 'A real slide (CMU-1-Small-Region, CC0). Its patches are encoded in this page; 2.7 MB:',
  chest: 'A drawn CT series of a chest in DICOM; the network was trained with labels of bags:',
  missing: 'The example could not be opened',
  reload:
    'Reload the page to try again, or open the first example, which also works without a ' +
    'network connection.',
  first: { name: 'The first', how: 'attention, as in MNIST-Bags' },
  'mi-net': { name: 'MI-Net', how: 'mean of features' },
  'mi-net-instance': { name: 'mi-Net', how: 'mean of instance predictions' },
  'mi-attn': { name: 'MI-Attn', how: 'attention' },
  embedding: { name: 'A vector', how: 'what makes two bags alike' },
  'mi-gnn': { name: 'MI-GNN', how: 'graph of instances' },
  folds: { name: 'Five models', how: 'one, trained five times; 197 kB' },
  tissue: { name: 'MI-Attn', how: 'attention' },
  'tissue-mi-net': { name: 'MI-Net', how: 'maximum of features' },
  'tissue-mi-net-instance': { name: 'mi-Net', how: 'maximum of instance predictions' },
  nuclei: { name: 'mi-Net', how: 'mean of instance predictions' },
  series: { name: 'MI-Attn', how: 'attention over slices' },
  'tissue-mi-gnn': { name: 'MI-GNN', how: 'graph of instances' },
};
