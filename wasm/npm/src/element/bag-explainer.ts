/**
 * `<bag-explainer model="m.onnx" bag="b.npz" interactive>`: an explained bag in any page. Its
 * content is shown until the explanation is drawn, and if the explanation fails.
 */

import { type Covariates, covariatesText } from "../covariates.js";
import { BagscopeError } from "../error.js";
import type {
  Bag,
  Engine,
  Explanation,
  Loading,
  MethodName,
  Model,
  Prediction,
  Report,
  Trust,
} from "../types.js";
import { make } from "./dom.js";
import { completed, textsFor } from "./language.js";
import { predictionList, scoreTable } from "./numbers.js";
import { PictureView } from "./picture.js";
import { attributes, readSettings, type Settings, usedOptions } from "./settings.js";
import { classesOf, predicted, readBag } from "./selection.js";
import { EngineCache, type Source } from "./cache.js";
import { styles } from "./style.js";
import { english, type Texts } from "./texts.js";
import { visible } from "../visible.js";

/** The data on the screen, all from one set of attributes. */
interface Content {
  engine: Engine;
  model: Model;
  bag: Bag;
  settings: Settings;
  whole: Prediction;
  report: Report;
  /** What selects the bag: equal for the same instances. */
  from: readonly unknown[];
}

/** Properties that a page may set before the element is defined. */
const early = ["model", "bag", "card", "inputs", "out", "selected"] as const;

/**
 * Without a document, such as on a server that renders pages, the module can be imported and does
 * nothing.
 */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * Events, all of which bubble: `bag-explained` (detail: the Report), `bag-predicted` (detail: the
 * Prediction, and `out`, the removed instances), `bag-trusted` (detail: the Trust of the shown
 * method), `bag-instance` (detail: the index of the selected instance), `bag-progress` (detail:
 * done and total), `bag-problem` (detail: the error).
 */
export class BagExplainer extends Base {
  static readonly observedAttributes = attributes;
  /** All texts of the elements, in place of those in the language of each. */
  static texts: Partial<Texts> | null = null;
  /** Loads the engine; set by the module that defines the element. */
  static cache: EngineCache;

  private readonly status = make("p", { className: "status", part: "status", role: "status" });
  private readonly problem = make("p", {
    className: "problem",
    part: "problem",
    role: "alert",
    hidden: true,
  });
  private readonly numbers = make("div", { className: "scroll", tabIndex: 0 });
  private readonly trust = make("p", { className: "trust", part: "trust", hidden: true });
  private readonly details = make("details", { hidden: true });
  private readonly bars = make("div", { hidden: true });
  private readonly controls = make("div", {
    className: "controls",
    part: "controls",
    hidden: true,
  });
  private readonly methods = make("select", {});
  private readonly move = make("button", { type: "button", className: "move", hidden: true });
  private readonly put = make("button", { type: "button", className: "put", hidden: true });
  private readonly fallback = make("slot");
  private readonly help = make("p", { id: "help", className: "unseen" });
  private readonly view: PictureView;
  private readonly figure: HTMLElement;
  private readonly caption = make("figcaption", {}, make("slot", { name: "caption" }));
  private texts: Texts = english;

  private given: { model?: Source; bag?: Source; card?: Source } = {};
  private shown: Content | null = null;
  private seen = false;
  private asked: AbortController | null = null;
  private leaving: AbortController | null = null;
  private removed = new Set<number>();
  private chosen: number | null = null;
  private drawn = "";
  /** Whether the last drawing failed, as one does that has too little room. */
  private unfit = false;
  private readonly watch = new IntersectionObserver((entries) => this.see(entries), {
    rootMargin: "300px",
  });
  private readonly room = new ResizeObserver(() => this.redraw());
  private readonly scheme = make("span", { className: "scheme" });

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = styles(document);
    this.view = new PictureView(
      {
        onLook: (instance) => this.look(instance),
        onToggle: (instance) => this.toggle(instance),
        describe: (instance) => this.describe(instance),
      },
      "help",
    );
    this.details.append(make("summary"), this.numbers);
    this.details.addEventListener("toggle", () => this.fillTable());
    this.scheme.addEventListener("transitionrun", () => this.redraw());
    this.methods.addEventListener("change", () => this.setAttribute("method", this.methods.value));
    this.move.addEventListener("click", () => {
      if (this.chosen !== null) this.toggle(this.chosen);
    });
    this.put.addEventListener("click", () => (this.out = []));
    const { controls, bars, view, fallback, problem, status, trust, details, help, scheme } = this;
    controls.append(this.methods, this.move, this.put);
    this.figure = make(
      "figure",
      { part: "figure" },
      controls,
      bars,
      fallback,
      view.element,
      problem,
      status,
      trust,
      details,
      this.caption,
      help,
      scheme,
    );
    root.append(this.figure);
  }

  connectedCallback(): void {
    for (const name of early) {
      // A value of the page's own, which hides the property of the class.
      const value = Object.getOwnPropertyDescriptor(this, name)?.value as never;
      if (Reflect.deleteProperty(this, name) && value !== undefined) this[name] = value;
    }
    BagExplainer.cache.enter();
    if (this.getAttribute("loading") === "eager") this.seen = true;
    else this.watch.observe(this);
    void this.ask();
  }

  disconnectedCallback(): void {
    this.watch.disconnect();
    this.room.disconnect();
    this.asked?.abort();
    this.leaving?.abort();
    BagExplainer.cache.leave();
  }

  /** A sheet belongs to one document, and does not move to another. */
  adoptedCallback(): void {
    this.shadowRoot!.adoptedStyleSheets = styles(this.ownerDocument);
  }

  attributeChangedCallback(name: string): void {
    if (name === "model" || name === "bag" || name === "card") delete this.given[name];
    if (!this.isConnected) return;
    if (name === "theme") this.redraw();
    else void this.ask();
  }

  /** The model: a URL, the bytes of an ONNX file, or a chosen file. */
  get model(): Source | null {
    return this.given.model ?? this.getAttribute("model");
  }
  set model(source: Source | null) {
    this.give("model", source);
  }

  /** The bag, or a file of bags; `index` selects one. */
  get bag(): Source | null {
    return this.given.bag ?? this.getAttribute("bag");
  }
  set bag(source: Source | null) {
    this.give("bag", source);
  }

  /** The model card that replaces the model's own: a URL, or the bytes of its JSON. */
  get card(): Source | null {
    return this.given.card ?? this.getAttribute("card");
  }
  set card(source: Source | null) {
    this.give("card", source);
  }

  /**
   * What inputs of the model beside the bag take, as the attribute has it: age=63. An object, such
   * as { age: 63 }, can be set; values that are not finite numbers throw an error of kind "setting".
   */
  get inputs(): string | null {
    return this.getAttribute("inputs");
  }
  set inputs(covariates: string | Covariates | null) {
    if (covariates === null) this.removeAttribute("inputs");
    else this.setAttribute("inputs", covariatesText(covariates));
  }

  /** The removed instances, ascending. */
  get out(): readonly number[] {
    return [...this.removed].sort((a, b) => a - b);
  }
  set out(instances: readonly number[]) {
    this.removed = new Set(instances);
    void this.leave();
  }

  /** The selected instance, which is framed and described; null before one is selected. */
  get selected(): number | null {
    return this.chosen;
  }
  set selected(instance: number | null) {
    if (instance === null) {
      this.chosen = null;
      this.nameMove();
      this.status.textContent = this.hint();
      this.view.clear();
    } else this.view.look(instance);
  }

  /** The shown explanation, or null. */
  get report(): Report | null {
    return this.shown?.report ?? null;
  }

  /** The prediction of the whole bag, or null. */
  get prediction(): Prediction | null {
    return this.shown?.whole ?? null;
  }

  /** The picture as a PNG file, or null before there is one. */
  toPNG(): Promise<Blob | null> {
    return this.shown ? this.view.blob() : Promise.resolve(null);
  }

  private give(name: "model" | "bag" | "card", source: Source | null): void {
    if (typeof source === "string" || source === null) {
      delete this.given[name];
      if (source === null) this.removeAttribute(name);
      else this.setAttribute(name, source);
      return;
    }
    this.given[name] = source;
    if (this.isConnected) void this.ask();
  }

  private see(entries: IntersectionObserverEntry[]): void {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    this.watch.disconnect();
    this.seen = true;
    void this.ask();
  }

  /**
   * Opens, predicts, explains and draws according to the attributes. A later call cancels this one.
   */
  private async ask(): Promise<void> {
    this.asked?.abort();
    this.status.textContent = "";
    if (!this.seen || !this.isConnected || !this.model || !this.bag) return;
    const { signal } = (this.asked = new AbortController());
    await Promise.resolve(); // attributes that change together cause one update
    if (signal.aborted) return;
    const before = this.shown;
    this.trust.hidden = true;
    const given = BagExplainer.texts;
    const direction = getComputedStyle(this).direction as Texts["direction"];
    const texts = given ? completed(given, direction) : await textsFor(this);
    if (signal.aborted) return;
    this.speak(texts);
    this.status.textContent = before ? texts.working : texts.loading;
    try {
      const shown = await this.answer(signal);
      if (signal.aborted) return;
      this.shown = shown;
      if (before && shown.from.some((part, i) => part !== before.from[i])) {
        this.removed.clear();
        this.selected = null;
      }
      this.unfit = false;
      this.problem.hidden = true;
      this.status.textContent = this.hint();
      await this.show();
      if (signal.aborted) return;
      this.tell("bag-explained", shown.report);
      void this.leave();
      if (shown.settings.trust) await this.measure(shown, signal);
    } catch (cause) {
      if (!signal.aborted) this.fail(cause, this.shown === before ? this.earlier() : "");
    }
  }

  /** Uses the texts of a language; what the page put into the element keeps its direction. */
  private speak(texts: Texts): void {
    this.texts = texts;
    this.figure.lang = texts.tag;
    this.figure.dir = texts.direction;
    this.fallback.dir = this.caption.dir = getComputedStyle(this).direction;
  }

  /** Returns a sentence on what stays on the screen, or nothing before there is an answer. */
  private earlier(): string {
    if (!this.shown) return "";
    const { bag, report } = this.shown;
    return this.texts.earlier(visible(bag.name), this.titleOf(report.explanations[0]));
  }

  /** Measures the trust in the shown scores and writes it under the picture. */
  private async measure(shown: Content, signal: AbortSignal): Promise<void> {
    const { model, bag, settings, whole } = shown;
    this.trust.textContent = this.texts.measuring;
    this.trust.hidden = false;
    const asked = { ...settings.explain, classes: classesOf(settings, whole), signal, trust: true };
    const { trust } = await model.explain(bag, asked);
    if (signal.aborted) return;
    const [measured] = trust;
    this.trust.hidden = !measured;
    if (!measured) return;
    shown.report.trust = trust;
    this.trust.textContent = this.trustOf(measured, shown);
    this.tell("bag-trusted", measured);
  }

  /** Returns the trust in the scores of the predicted class, or of the first explained class. */
  private trustOf(trust: Trust, { engine, whole }: Content): string {
    const at = Math.max(0, trust.classes.indexOf(predicted(whole)));
    const c = trust.classes[at]!;
    const draws = engine.methods
      .find(({ name }) => name === trust.method)
      ?.options.includes("samples");
    const of = { trust, at, unit: whole.units[c]!, draws: draws ?? false };
    return this.texts.trust(this.named(c), this.texts.trusted(of));
  }

  private async answer(signal: AbortSignal): Promise<Content> {
    const { cache } = BagExplainer;
    const settings = readSettings(this);
    const from = [this.model, this.bag, settings.index, JSON.stringify(settings.read)];
    const opening = cache.model(this.address(this.model!), this.address(this.card));
    const set = cache.bags(this.address(this.bag!), opening, settings.read);
    const { texts } = this;
    // Screen readers read each text of a status: it changes ten times.
    let told = 0;
    const engineLoads = ({ bytes, share }: Loading) => {
      const tenths = Math.floor(10 * share);
      if (signal.aborted || tenths === told) return;
      told = tenths;
      this.status.textContent = share < 1 ? texts.engine(bytes, tenths / 10) : texts.loading;
    };
    const [engine, model, bag] = await Promise.all([
      cache.engine(engineLoads),
      opening,
      readBag(set, settings.index),
    ]);
    settings.explain = usedOptions(settings.explain, engine.methods);
    const { output } = settings.explain;
    const whole = await model.predict(bag, { output, signal });
    const report = await model.explain(bag, {
      ...settings.explain,
      classes: classesOf(settings, whole),
      signal,
      onProgress: (done, total) => {
        this.tell("bag-progress", { done, total });
        if (total > 0)
          this.status.textContent = `${this.texts.working} ${Math.round((100 * done) / total)} %`;
      },
    });
    return { engine, model, bag, settings, whole, report, from };
  }

  /** URLs in attributes are relative to the folder `base`, and that to the page. */
  private address<S extends Source | null>(source: S): S | string {
    if (typeof source !== "string") return source;
    const base = this.getAttribute("base")?.replace(/[^/]$/, "$&/") ?? "";
    const folder = URL.canParse(base, this.baseURI) ? new URL(base, this.baseURI) : base;
    if (URL.canParse(source, folder)) return new URL(source, folder).href;
    throw new BagscopeError("setting", `${source} is not a URL`);
  }

  private async show(): Promise<void> {
    const { engine, report } = this.shown!;
    const interactive = this.hasAttribute("interactive");
    const { texts } = this;
    this.view.live = interactive;
    this.help.textContent = interactive ? texts.help : "";
    this.controls.hidden = !interactive;
    this.methods.setAttribute("aria-label", texts.method);
    const method = report.explanations[0]?.method;
    this.methods.replaceChildren(
      ...engine.methods.map(({ name, title }) =>
        make("option", {
          ...{ value: name, selected: name === method },
          textContent: this.texts.methods[name] ?? title,
        }),
      ),
    );
    this.put.textContent = texts.putBack;
    this.nameMove();
    this.details.querySelector("summary")!.textContent = texts.numbers;
    this.numbers.setAttribute("aria-label", texts.numbers);
    this.details.hidden = false;
    if (this.removed.size === 0) this.fillBars(this.shown!.whole);
    this.fillTable();
    this.room.observe(this);
    try {
      await this.draw(true);
    } catch (cause) {
      this.unfit = true;
      this.view.element.hidden = true; // it has the picture of an earlier answer
      throw cause;
    }
    this.fallback.hidden = true;
  }

  /** Draws again if the width, the colours or the removed instances have changed. */
  private async draw(anew = false): Promise<void> {
    const { shown } = this;
    if (!shown) return;
    const scale = Math.min(4, Math.max(1, Math.ceil(devicePixelRatio)));
    const width = Math.max(240, Math.floor(this.clientWidth) - 30);
    const dark = this.dark();
    const { out } = this;
    const wanted = JSON.stringify([scale, width, dark, out]);
    if (!anew && wanted === this.drawn) return;
    this.drawn = wanted;
    const { engine, bag, report, settings, whole } = shown;
    const { legend } = this.texts;
    const pictures = bag.shape.length >= 2 && settings.kind !== "overlay" && !bag.boxes;
    const current = () => wanted === this.drawn && shown === this.shown;
    const options = {
      ...{ width, scale, dark, removed: out, classNames: whole.classes },
      ...(settings.kind ? { kind: settings.kind } : {}),
      ...(settings.colours ? { colours: settings.colours } : {}),
      ...(pictures ? { cell: width < 600 ? 34 : 52 } : {}),
      ...(legend ? { words: { ...legend, title: this.titleOf(report.explanations[0]) } } : {}),
    };
    try {
      const picture = await engine.draw(bag, report, options);
      if (!current()) return;
      const c = predicted(whole);
      const e = report.explanations.find((e) => e.class === c);
      this.view.name = this.texts.summary(report.summary, whole, c, e);
      this.view.show(picture, scale);
    } catch (cause) {
      if (!current()) return; // another drawing has taken the place of this one
      this.drawn = "";
      throw cause;
    }
  }

  /** Draws in another size or colour. What cannot be drawn is said in the element. */
  private redraw(): void {
    const fits = () => {
      if (this.unfit) this.problem.hidden = true;
      this.unfit = false;
    };
    this.draw().then(fits, (cause: unknown) => {
      this.unfit = true;
      this.failOrRepeat(cause);
    });
  }

  /** Returns whether the theme is dark, from the attribute or the page's color-scheme. */
  private dark(): boolean {
    const scheme = getComputedStyle(this).colorScheme;
    if (!scheme.includes("dark")) return false;
    return !scheme.includes("light") || matchMedia("(prefers-color-scheme: dark)").matches;
  }

  /** Predicts the bag without the removed instances. */
  private async leave(): Promise<void> {
    const { shown, out } = this;
    this.leaving?.abort();
    if (!shown) return;
    const { signal } = (this.leaving = new AbortController());
    this.put.hidden = out.length === 0;
    this.nameMove();
    this.fillTable();
    this.redraw();
    try {
      const { model, bag, whole, settings } = shown;
      const rest =
        out.length === 0
          ? whole
          : await model.predict(bag, { without: out, output: settings.explain.output, signal });
      if (signal.aborted) return;
      this.fillBars(rest);
      this.tell("bag-predicted", { prediction: rest, out });
    } catch (cause) {
      if (!signal.aborted) this.failOrRepeat(cause);
    }
  }

  /** The engine is closed while the page has no element; the one that returns asks again. */
  private failOrRepeat(cause: unknown): void {
    if (cause instanceof BagscopeError && cause.kind === "cancelled") void this.ask();
    else this.fail(cause);
  }

  private toggle(instance: number): void {
    if (!this.hasAttribute("interactive")) return;
    if (!this.removed.delete(instance)) this.removed.add(instance);
    void this.leave();
  }

  /** The button of the selected instance says what it does. */
  private nameMove(): void {
    const { remove, restore } = this.texts;
    this.move.hidden = this.chosen === null;
    this.move.textContent = this.removed.has(this.chosen ?? -1) ? restore : remove;
  }

  private look(instance: number): void {
    this.chosen = instance;
    this.nameMove();
    this.status.textContent = this.describe(instance);
    this.tell("bag-instance", { instance });
  }

  /**
   * Describes the score of an instance for the predicted class, or for the first explained class.
   */
  private describe(instance: number): string {
    const { shown } = this;
    if (!shown) return "";
    const { report, whole } = shown;
    const { explanations } = report;
    const e = explanations.find((e) => e.class === predicted(whole)) ?? explanations[0];
    if (!e) return "";
    const at = report.instances.indexOf(instance);
    const difference = (e.scores[at] ?? NaN) - e.neutral;
    const { texts } = this;
    const score = texts.score(
      instance,
      this.named(e.class),
      difference,
      e.evident[at] ?? false,
      e.unit,
      this.noun(),
    );
    const missed = report.missed.find(
      (m) => m.instance === instance && m.method === e.method && m.class === e.class,
    );
    if (!missed) return score;
    return score + texts.missed(missed, this.named(e.class), this.noun());
  }

  /** What can be done, while no instance is selected. */
  private hint(): string {
    const may = this.shown && this.hasAttribute("interactive") && this.chosen === null;
    return may ? this.texts.hint(this.noun()) : "";
  }

  /** What an instance is called. */
  private noun(): string {
    const { nouns } = this.texts;
    const word = this.shown?.model.info.noun.one || this.shown?.bag.noun.one || "instance";
    return visible((Object.hasOwn(nouns, word) && nouns[word]) || word);
  }

  private named(c: number): string {
    return visible(this.shown?.whole.classes[c] ?? `${c}`);
  }

  private fillBars(prediction: Prediction): void {
    const { texts } = this;
    const out = this.removed.size;
    this.bars.replaceChildren(
      predictionList(
        prediction,
        texts,
        out > 0 ? texts.without(out) : texts.prediction,
        predicted(this.shown?.whole ?? prediction),
      ),
    );
    this.bars.hidden = false;
  }

  private fillTable(): void {
    const { shown, details } = this;
    if (!shown || !details.open) return;
    const { bag, report } = shown;
    const name = (c: number) => this.named(c);
    const caption = this.texts.picture(visible(bag.name), this.titleOf(report.explanations[0]));
    this.numbers.replaceChildren(
      scoreTable(
        report.explanations,
        report.instances,
        name,
        this.removed,
        this.texts,
        caption,
        this.noun(),
      ),
    );
  }

  private titleOf(e: Explanation | undefined): string {
    const method: MethodName | undefined = e?.method;
    if (!method) return "";
    const known = this.shown!.engine.methods.find((m) => m.name === method);
    return this.texts.methods[method] ?? known?.title ?? "";
  }

  private fail(cause: unknown, shown = ""): void {
    // Readers of the page cannot set the option that the message of an exceeded limit names.
    const { reason = cause instanceof Error ? cause.message : String(cause) } =
      cause instanceof BagscopeError ? cause.details : {};
    this.status.textContent = "";
    const english = { lang: "en", dir: "ltr" };
    this.problem.replaceChildren(`${this.texts.problem} `, make("bdi", english, String(reason)));
    if (shown) this.problem.append(make("br"), shown);
    this.problem.hidden = false;
    this.tell("bag-problem", cause);
  }

  private tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}
