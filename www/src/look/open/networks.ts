// The bundled bags, and the networks that see them. The page opens the first by itself; each of
// these is fetched in its place by a page whose address names it: look/?example=mi-gnn,
// look/?example=tissue, look/?example=nuclei, look/?example=series.
import type { SettingsName } from 'bagscope';
import embedding from '../../../../examples/digits/networks/embedding.onnx?url';
import miAttn from '../../../../examples/digits/networks/mi-attn.onnx?url';
import miGNN from '../../../../examples/digits/networks/mi-gnn.onnx?url';
import miNetInstance from '../../../../examples/digits/networks/mi-net-instance.onnx?url';
import miNet from '../../../../examples/digits/networks/mi-net.onnx?url';
import tissueGNN from '../../../../examples/tissue/networks/mi-gnn.onnx?url';
import tissueNetInstance from '../../../../examples/tissue/networks/mi-net-instance.onnx?url';
import tissueNet from '../../../../examples/tissue/networks/mi-net.onnx?url';
import fold0 from '../../../../examples/digits/folds/fold0.onnx?url';
import fold1 from '../../../../examples/digits/folds/fold1.onnx?url';
import fold2 from '../../../../examples/digits/folds/fold2.onnx?url';
import fold3 from '../../../../examples/digits/folds/fold3.onnx?url';
import fold4 from '../../../../examples/digits/folds/fold4.onnx?url';
import nuclei from '../../../../examples/slide/model.onnx?url';
import scanned from '../../../../examples/slide/CMU-1-Small-Region.svs?url';
import annotations from '../../../../examples/slide/truth.geojson?url';
import chestNetwork from '../../../../examples/series/model.onnx?url';
import chestSeries from '../../../../examples/series/series.zip?url';
import slide from '../../../../examples/tissue/slide.png?url';

/** Bags that come with the page, and what suits them. */
export interface Bundle {
  name: string;
  url: string;
  /** Whether the engine reads the file as it is; a picture is cut first. */
  ready: boolean;
  settings: SettingsName;
  /** Coalitions, where they are not those of the settings. */
  samples?: string;
  /** Where the annotations of a slide lie, which are the truth of its patches. */
  annotations?: string;
}

/**
 * More coalitions than the paper's 150: with those, one seed in three ranks a neutral digit among
 * the four that matter.
 */
export const digits: Bundle = {
  name: 'digits.npz',
  url: '../example/bags.npz',
  ready: true,
  settings: 'mnist',
  samples: '1000',
};

export const tissue: Bundle = { name: 'slide.png', url: slide, ready: false, settings: 'crc' };

/** A slide of a scanner, whose patches are encoded in the page. */
export const scan: Bundle = {
  name: 'CMU-1-Small-Region.svs',
  url: scanned,
  ready: false,
  settings: 'crc',
  annotations,
};

/** A drawn CT series, whose slices are the instances. */
export const chest: Bundle = {
  name: 'series.zip',
  url: chestSeries,
  ready: true,
  settings: 'crc',
};

type Pools = 'mi-net' | 'mi-net-instance' | 'mi-attn' | 'mi-gnn';

export interface Network {
  /** In addresses and file names, and in the strings, which say how it pools. */
  key:
    | Pools
    | 'embedding'
    | 'folds'
    | 'nuclei'
    | 'series'
    | 'tissue'
    | `tissue-${Exclude<Pools, 'mi-attn'>}`;
  /** Where its file lies. */
  url: string;
  /** Where the files of further models lie, which are one with it. */
  folds?: readonly string[];
  bags: Bundle;
}

export const networks: readonly Network[] = [
  { key: 'mi-net', url: miNet, bags: digits },
  { key: 'mi-net-instance', url: miNetInstance, bags: digits },
  { key: 'mi-attn', url: miAttn, bags: digits },
  { key: 'mi-gnn', url: miGNN, bags: digits },
  { key: 'folds', url: fold0, folds: [fold1, fold2, fold3, fold4], bags: digits },
  { key: 'embedding', url: embedding, bags: digits },
  { key: 'tissue', url: '../example/tissue/model.onnx', bags: tissue },
  { key: 'tissue-mi-net', url: tissueNet, bags: tissue },
  { key: 'tissue-mi-net-instance', url: tissueNetInstance, bags: tissue },
  { key: 'tissue-mi-gnn', url: tissueGNN, bags: tissue },
  { key: 'nuclei', url: nuclei, bags: scan },
  { key: 'series', url: chestNetwork, bags: chest },
];

/** Whether an address asks for a page without an example: look/?example=none. */
export function startsEmpty(query: string): boolean {
  return new URLSearchParams(query).get('example') === 'none';
}

/**
 * The network that an address names by its query, such as "?example=mi-gnn"; null without one, and
 * for a name that nobody knows.
 */
export function networkOf(query: string): Network | null {
  const key = new URLSearchParams(query).get('example');
  return networks.find((network) => network.key === key) ?? null;
}
