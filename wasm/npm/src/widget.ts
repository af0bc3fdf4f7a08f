/**
 * The front end of the widget for notebooks. It contains the element and its worker. The engine, the
 * model and the bag come as messages of the notebook's kernel, so that it sends no request.
 */

import { BagExplainer } from "./element/bag-explainer.js";
import { attributes } from "./element/settings.js";
import { EngineCache } from "./element/cache.js";
import { load } from "./embedded.js";
import type { Prediction } from "./types.js";

/** A widget's model in the notebook, as anywidget passes it. */
interface State {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: (...args: never[]) => void): void;
  off(event: string, callback: (...args: never[]) => void): void;
  send(content: unknown): void;
}

/** What the kernel sends for a request: the names of files, and their bytes. Proxies may lose parts. */
type Answer = { answer?: string; names?: string[] } | null;

/** Attributes that a notebook may set: neither scripts, nor addresses that the page would fetch. */
const settings = ["loading", ...attributes].filter((a) => !["model", "card", "bag"].includes(a));

/** The class in the registry. The modules of several widgets share the one that came first. */
interface Registered {
  new (): BagExplainer;
  cache: EngineCache;
  /** Returns the compressed engine; the last widget whose kernel answered sets it. */
  program?: () => Promise<Blob>;
}

function registered(): Registered {
  const found = customElements.get("bag-explainer") as Registered | undefined;
  if (found) return found;
  const own: Registered = BagExplainer;
  own.cache = new EngineCache(() => load({ wasm: unpacked(own.program!()), codecURL: null }));
  customElements.define("bag-explainer", BagExplainer);
  return own;
}

async function unpacked(packed: Promise<Blob>): Promise<ArrayBuffer> {
  const stream = (await packed).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Asks the kernel for files. A kernel that has ended never answers. */
function ask(state: State, wanted: string): Promise<File[]> {
  return new Promise((resolve) => {
    const read = (content: Answer, buffers: DataView<ArrayBuffer>[] = []) => {
      if (content?.answer !== wanted) return;
      state.off("msg:custom", read);
      resolve(buffers.map((bytes, i) => new File([bytes], content.names?.[i] ?? "")));
    };
    state.on("msg:custom", read);
    state.send({ ask: wanted });
  });
}

/** Draws a view of a widget and returns what removes it. */
function render({ model: state, el }: { model: State; el: HTMLElement }): () => void {
  const Element = registered();
  const element = new Element();
  const given = Object(state.get("attributes")) as Record<string, string>;
  for (const name of settings)
    if (Object.hasOwn(given, name)) element.setAttribute(name, given[name]!);
  const picture = document.createElement("img");
  picture.alt = state.get("alt") as string;
  picture.src = URL.createObjectURL(new Blob([state.get("picture") as DataView<ArrayBuffer>]));
  picture.style.maxWidth = "100%";
  element.append(picture);
  const unbind = bind(state, element);
  el.append(element);
  void ask(state, "files").then(([model, bag, card]) => {
    Element.program = async () => (await ask(state, "engine"))[0] ?? new Blob();
    if (card) element.card = card;
    // The engine says what is wrong with a file that is missing.
    element.model = model ?? new Blob();
    element.bag = bag ?? new Blob();
  });
  return () => {
    unbind();
    element.remove();
    URL.revokeObjectURL(picture.src);
  };
}

/** Keeps the selected and the removed instances equal in the kernel and in the element. */
function bind(state: State, element: BagExplainer): () => void {
  const store = (name: string, value: unknown) => {
    if (JSON.stringify(state.get(name)) === JSON.stringify(value)) return;
    state.set(name, value);
    state.save_changes();
  };
  const select = () => {
    const wanted = state.get("selected") as number | null;
    if (wanted !== element.selected) element.selected = wanted;
  };
  const remove = () => {
    const wanted = state.get("removed") as number[];
    if (JSON.stringify(wanted) !== JSON.stringify(element.out)) element.out = wanted;
  };
  state.on("change:selected", select);
  state.on("change:removed", remove);
  element.addEventListener("bag-explained", () => {
    select();
    remove();
  });
  element.addEventListener("bag-instance", (event) =>
    store("selected", (event as CustomEvent<{ instance: number }>).detail.instance),
  );
  element.addEventListener("bag-predicted", (event) => {
    const detail = (event as CustomEvent<{ prediction: Prediction; out: readonly number[] }>)
      .detail;
    store("prediction", [...detail.prediction.prediction]);
    // The prediction of the whole bag comes before the kernel's removed instances are applied.
    if (JSON.stringify(element.out) === JSON.stringify(detail.out)) store("removed", detail.out);
  });
  return () => {
    state.off("change:selected", select);
    state.off("change:removed", remove);
  };
}

export default { render };
