// Runs the cells of the page one after another. A cell is a module whose default export is called with what the cells
// before it returned, and returns a value that is shown: text, a table as an array of objects, or a drawing.
const results = {};

for (const figure of document.querySelectorAll("[data-cell]")) {
  const name = figure.dataset.cell;
  const source = document.createElement("pre");
  const output = document.createElement("output");
  figure.append(source, output);
  try {
    const url = new URL(name, import.meta.url);
    source.textContent = await (await fetch(url)).text();
    const { default: run } = await import(url);
    const { show, ...kept } = await run(results);
    Object.assign(results, kept);
    output.append(shown(show));
  } catch (error) {
    output.textContent = `${name}: ${error.message}`;
    output.className = "failed";
    break;
  }
}
document.body.dataset.done = "";

function shown(value) {
  if (Array.isArray(value)) return table(value);
  if (value?.paint) return drawing(value);
  return document.createTextNode(String(value));
}

function table(rows) {
  const element = document.createElement("table");
  const line = (cells, tag) => {
    const row = element.insertRow();
    for (const cell of cells) {
      const box = document.createElement(tag);
      box.textContent = typeof cell === "number" ? cell.toFixed(3) : cell;
      row.append(box);
    }
  };
  line(Object.keys(rows[0]), "th");
  for (const row of rows) line(Object.values(row), "td");
  return element;
}

function drawing(picture) {
  const canvas = document.createElement("canvas");
  picture.paint(canvas);
  return canvas;
}
