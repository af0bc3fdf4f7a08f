// Builds the text of a page in one file.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { load, methodOptions } from "../dist/node.js";

/** The options of methods that are attributes and flags, by name of the flag. */
export const methodFlags = methodOptions.filter(({ kind }) => kind !== "coalitions");

/** The attributes of the element in the page that have flags of the same names. */
export const attributes = [
  ...["method", "settings", "seed", "classes", "index", "output", "kind", "lang"],
  ...methodFlags.map(({ flag }) => flag),
];

const dist = new URL("../dist/", import.meta.url);

/** Returns the page as text. Throws if the model does not accept the bag. */
export async function page(given) {
  const cardFile = given.model.replace(/\.onnx$/, "") + ".bagscope.json";
  const [model, bag, card, engine, script, licences] = await Promise.all([
    readFile(given.model),
    readFile(given.bag),
    readFile(cardFile).catch(() => null),
    readFile(new URL("bagscope.wasm", dist)),
    readFile(new URL("page.js", dist), "utf8"),
    readFile(new URL("LICENSES.txt", dist), "utf8"),
  ]);
  const { names, picture } = await explained(given, model, bag, card);
  const title = given.title ?? path.basename(given.bag);
  const set = attributes.filter((name) => given[name] !== undefined);
  const alt = `${names[Number(given.index ?? 0)]}, explained`;
  const attribute = (name) => (given[name] === true ? name : `${name}="${escaped(given[name])}"`);
  const element = [
    `<bag-explainer interactive loading="eager" ${set.map(attribute).join(" ")}>`,
    `<img src="data:image/png;base64,${picture.toString("base64")}" alt="${escaped(alt)}">`,
    `</bag-explainer>`,
  ];
  const files = [
    ["engine", "bagscope.wasm", engine],
    ["model", path.basename(given.model), model],
    ["bag", path.basename(given.bag), bag],
    ...(card ? [["card", path.basename(cardFile), card]] : []),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${given.text ? `<p>${escaped(given.text)}</p>\n` : ""}${chooser(names, given.index)}${element.join("\n")}
<noscript><p>The picture is stored in this page. Interaction needs JavaScript.</p></noscript>
<p><small>${notice}</small></p>
<details><summary>Licences of the programs in this page</summary><pre>${escaped(licences)}</pre></details>
</main>
${files.map(([id, name, bytes]) => packed(id, name, bytes)).join("\n")}
<script>${script}</script>
</body>
</html>
`;
}

const notice =
  "This page explains a model, not the truth. Nothing leaves it: its policy forbids any request.";

/** Returns the picture that the page shows before its engine starts, from the same engine, and the names of the bags. */
async function explained(given, model, bag, card) {
  const engine = await load();
  try {
    const opened = await engine.open(model, {
      name: path.basename(given.model),
      ...(card ? { card: card.toString() } : {}),
    });
    const set = await engine.bags(bag, { name: path.basename(given.bag), model: opened });
    const index = Number(given.index ?? 0);
    if (!(index >= 0 && index < set.length))
      throw new Error(`there is no bag ${given.index}: the file holds ${set.length}`);
    const options = {};
    for (const name of ["method", "settings", "output"])
      if (given[name] !== undefined) options[name] = given[name];
    if (given.seed !== undefined) options.seed = Number(given.seed);
    for (const { name, flag, kind } of methodFlags)
      if (given[flag] !== undefined)
        options[name] = kind === "integer" || kind === "number" ? Number(given[flag]) : given[flag];
    const first = await set.bag(index);
    const { prediction } = await opened.predict(first);
    if (given.classes === "predicted")
      options.classes = [prediction.indexOf(Math.max(...prediction))];
    else if (given.classes && given.classes !== "all")
      options.classes = given.classes.split(",").map(Number);
    const picture = await engine.draw(first, await opened.explain(first, options), {
      kind: given.kind,
    });
    return { names: set.names, picture: Buffer.from(await picture.png()) };
  } finally {
    engine.close();
  }
}

function chooser(names, index = 0) {
  if (names.length < 2) return "";
  const option = (name, i) =>
    `<option value="${i}"${i === Number(index) ? " selected" : ""}>${escaped(name || `bag ${i}`)}</option>`;
  return `<p><label>Bag <select id="index">${names.map(option).join("")}</select></label></p>\n`;
}

/** Returns a file as a data block, which browsers do not execute. */
function packed(id, name, bytes) {
  const text = gzipSync(bytes, { level: 9 }).toString("base64");
  return `<script type="application/octet-stream" id="${id}" data-name="${escaped(name)}">${text}</script>`;
}

/** Returns a policy that allows only the page's script and style, the engine and its worker. */
function policy(script) {
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
    `style-src ${hash(style)}`,
    "worker-src blob:",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

const style = `
:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; background: light-dark(#f7f6f2, #0d0f12); color: light-dark(#1c1d20, #eceae4); }
body { margin: 0; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; }
select { font: inherit; color: inherit; padding: 4px 8px; max-width: 100%; }
img { max-width: 100%; height: auto; }
details { font-size: 0.8rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
`;

function escaped(text) {
  const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(text).replace(/[&<>"]/g, (mark) => marks[mark]);
}
