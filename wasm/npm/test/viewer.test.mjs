// Slides and maps in OpenSeadragon, under a strict Content-Security-Policy.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { host, needsBrowser, openBrowser } from "./browser.mjs";
import { npm, root } from "./support.mjs";

const folder = path.join(root, "core/slide/testdata");

describe("in OpenSeadragon", needsBrowser, () => {
  let server, browser, page;
  const faults = [];
  before(async () => {
    server = await host();
    browser = await openBrowser();
    page = await browser.newPage();
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.goto(`${server.url}wasm/npm/test/viewer.html`);
    await page.waitForFunction(() => window.viewing);
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  const call = (name, ...args) =>
    page.evaluate(([n, list]) => window.viewing[n](...list), [name, args]);
  const open = (name) => call("open", [...readFileSync(path.join(folder, name))], name);

  test("a pyramid is shown with the pixels that the engine reads", async () => {
    const { levels, width } = await open("none_big_endian.tif");
    assert.ok(levels > 1 && width > 100);
    // At eight pixels of the screen for one of the slide, interpolation leaves the middle alone.
    await page.evaluate(async () => {
      viewer.viewport.zoomTo(viewer.world.getItemAt(0).imageToViewportZoom(8), null, true);
      const item = viewer.world.getItemAt(0);
      viewer.viewport.panTo(item.imageToViewportCoordinates(60.5, 50.5), true);
      await new Promise((done) =>
        item.getFullyLoaded() ? done() : item.addOnceHandler("fully-loaded-change", done),
      );
      viewer.forceRedraw();
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    });
    const shown = await call("pixel", 60, 50);
    const read = await page.evaluate(
      async (bytes) => {
        const slide = await engine.slide(Uint8Array.from(bytes));
        return [...(await slide.region(0, 60, 50, 1, 1)).rgba];
      },
      [...readFileSync(path.join(folder, "none_big_endian.tif"))],
    );
    for (const part of [0, 1, 2])
      assert.ok(Math.abs(shown[part] - read[part]) <= 8, `${shown} is shown, ${read} was read`);
  });

  test("a map lies over it by places of level 0, in colours of signs", async () => {
    await open("jpeg_420.tif");
    await call("lay", 10, 7, 15, { width: 150 });
    const at = (x, y) =>
      page.evaluate(
        ([px, py]) => {
          const item = viewer.world.getItemAt(0);
          const p = viewer.viewport.viewportToViewerElementCoordinates(
            item.imageToViewportCoordinates(px, py),
          );
          return { x: p.x, y: p.y };
        },
        [x, y],
      );
    const right = await at(142, 52);
    const left = await at(8, 52);
    const middle = await at(67, 52);
    const blue = await call("colour", right.x, right.y);
    const orange = await call("colour", left.x, left.y);
    const clear = await call("colour", middle.x, middle.y);
    assert.ok(blue[2] > blue[0] + 60 && blue[3] > 120, `${blue} supports`);
    assert.ok(orange[0] > orange[2] + 60 && orange[3] > 120, `${orange} refutes`);
    assert.equal(clear[3], 0, `${clear} is no evidence`);
    const box = await page.locator("#frame").boundingBox();
    await page.mouse.move(box.x + right.x, box.y + right.y);
    await page.mouse.click(box.x + left.x, box.y + left.y);
    await page.waitForFunction(() => window.events.some(([kind]) => kind === "click"));
    const events = await page.evaluate(() => window.events);
    assert.deepEqual(events[0], ["hover", 39]);
    assert.deepEqual(
      events.find(([kind]) => kind === "click"),
      ["click", 30],
    );
    // Rotated by a quarter, the right column lies below.
    await page.evaluate(() => viewer.viewport.setRotation(90, true));
    await call("settle");
    const turned = await at(112, 52);
    const below = await call("colour", turned.x, turned.y);
    assert.ok(below[2] > below[0] + 60, `${below} at ${turned.x}, ${turned.y}`);
    assert.equal(await page.evaluate(([x, y]) => map.at(x, y), [turned.x, turned.y]), 37);
    await page.evaluate(() => viewer.viewport.setRotation(0, true));
    await call("show", { removed: [39], top: 5 });
    assert.ok((await call("colour", left.x, left.y))[3] > 100); // darkened
  });

  test("many patches follow the slide as few do, while it moves and after it", async () => {
    await open("jpeg_420.tif");
    // 7,500 patches of 1.5 pixels: of the whole slide the picture is shown, and of a part patches.
    await call("lay", 100, 75, 1.5, { width: 150 });
    const kinds = new Set();
    for (const zoom of [1, 1.1, 2.5, 2.8, 2.6, 1.5])
      for (const rests of [false, true]) {
        const read = await page.evaluate(
          async ([zoom, rests]) => {
            const { viewport } = viewer;
            viewport.zoomTo(zoom * viewport.getHomeZoom(), null, true);
            const item = viewer.world.getItemAt(0);
            viewport.panTo(item.imageToViewportCoordinates(75 - 3 / zoom, 52), true);
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            if (rests) await window.viewing.rest();
            // Middles of patches left and right of the middle of all, whose scores have two signs.
            return [57, 93].map((x) => {
              const p = viewport.viewportToViewerElementCoordinates(
                item.imageToViewportCoordinates(x + 0.75, 50.25),
              );
              return [window.viewing.colour(p.x, p.y), window.viewing.kind()];
            });
          },
          [zoom, rests],
        );
        const [[orange, kind], [blue]] = read;
        kinds.add(kind);
        assert.ok(orange[0] > orange[2] && orange[3] > 40, `zoom ${zoom}: ${orange} refutes`);
        assert.ok(blue[2] > blue[0] && blue[3] > 40, `zoom ${zoom}: ${blue} supports`);
      }
    assert.deepEqual([...kinds].sort(), ["patches", "picture"]);
    await call("show", { smooth: true });
    assert.equal(await call("kind"), "picture");
  });

  test("colour is taken from the slide beneath a map, and given back", async () => {
    await open("none_big_endian.tif");
    const spread = async () => {
      await call("settle");
      const [r, g, b] = await call("pixel", 60, 50);
      return Math.max(r, g, b) - Math.min(r, g, b);
    };
    const own = await spread();
    assert.ok(own > 20, `the pixel is grey: ${own}`);
    await call("lay", 10, 7, 15, { width: 150, colour: 0.25 });
    assert.ok(Math.abs((await spread()) - own / 4) < own / 8);
    await call("show", { top: 3 });
    assert.ok(Math.abs((await spread()) - own) < 4);
    await call("show", { top: 0, colour: 0 });
    assert.ok((await spread()) < 4);
    await page.evaluate(() => map.destroy());
    assert.ok(Math.abs((await spread()) - own) < 4);
    await open("jpeg_420.tif");
    await call("lay", 10, 7, 15, { width: 150 });
  });

  test("after destroy nothing of the map is left", async () => {
    const before = await page.evaluate(() => viewer.canvas.children.length);
    await page.evaluate(() => {
      map.destroy();
      window.events = [];
    });
    assert.equal(await page.evaluate(() => viewer.canvas.children.length), before - 1);
    const box = await page.locator("#frame").boundingBox();
    await page.mouse.click(box.x + 300, box.y + 300);
    assert.deepEqual(await page.evaluate(() => window.events), []);
  });

  test("a map that the browser does not draw is reported once, and the slide stays", async () => {
    await open("jpeg_420.tif");
    const slide = await call("pixel", 60, 50);
    await page.evaluate(() => {
      const { prototype } = HTMLCanvasElement;
      window.contexts = prototype.getContext;
      prototype.getContext = function (...asked) {
        const over = this.closest("#frame") && this !== viewer.drawer.canvas;
        return over ? null : window.contexts.apply(this, asked);
      };
    });
    await call("lay", 10, 7, 15, { width: 150 });
    await call("show", { top: 3 });
    assert.deepEqual(await page.evaluate(() => window.events), [["problem", "limit"]]);
    assert.deepEqual(await call("pixel", 60, 50), slide);
    await page.evaluate(() => (HTMLCanvasElement.prototype.getContext = window.contexts));
    await page.evaluate(() => window.map.destroy());
  });

  test("patches drawn one by one, and by the picture of all, have the same colours", async () => {
    // 100 columns and 80 rows are more than are drawn one by one.
    assert.ok((await call("twins", 100, 80, 6)) <= 2);
  });

  test("the patch at a place is found among overlapping and irregular ones", async () => {
    let seed = 7;
    const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
    const grid = Array.from({ length: 400 }, (_, i) => ({
      x: 8 * (i % 20),
      y: 8 * Math.floor(i / 20),
      width: 16,
      height: 16,
    }));
    const wild = Array.from({ length: 300 }, () => ({
      x: random(500),
      y: random(400),
      width: 5 + random(30),
      height: 5 + random(30),
    }));
    const points = Array.from({ length: 500 }, () => [random(540) - 10, random(440) - 10]);
    assert.equal(await call("finds", grid, points), 0);
    assert.equal(await call("finds", wild, points), 0);
    assert.equal(await call("finds", [], points), 0);
  });

  test("a scale bar has a round length", async () => {
    const bar = (microns, most) => call("scaleBar", microns, most);
    assert.deepEqual(await bar(0.5, 120), { width: 100, text: "50\u202fµm" });
    assert.deepEqual(await bar(20, 120), { width: 100, text: "2\u202fmm" });
    assert.deepEqual(await bar(0.001, 120), { width: 100, text: "100\u202fnm" });
    assert.equal(await bar(0, 120), null);
  });

  test("the program of the README runs", async () => {
    const text = readFileSync(path.join(npm, "README.md"), "utf8");
    const snippet = /^## In OpenSeadragon$[^]*?^```html\n([^]*?)^```$/m.exec(text)[1];
    const data = path.join(root, "www/tests/data");
    const files = {
      "slide.tif": readFileSync(path.join(folder, "jpeg_420.tif")),
      "model.onnx": readFileSync(path.join(data, "attention4.onnx")),
      "bag.h5": readFileSync(path.join(data, "files/latest.h5")),
    };
    const modules = {
      bagscope: "/wasm/npm/dist/index.js",
      "bagscope/openseadragon": "/wasm/npm/dist/openseadragon.js",
      openseadragon: "/readme/module.js",
    };
    const given = { slideFile: "slide.tif", modelFile: "model.onnx", featureFile: "bag.h5" };
    const fetched = Object.entries(given).map(
      ([variable, name]) =>
        `window.${variable} = new File([await (await fetch("${name}")).blob()], "${name}");`,
    );
    const before = `<script src="/wasm/npm/node_modules/openseadragon/build/openseadragon/openseadragon.min.js"></script>
      <script type="importmap">${JSON.stringify({ imports: modules })}</script>`;
    const body = snippet
      .replace(/^( *const engine)/m, `${fetched.join("\n")}\n$1`)
      .replace("</script>", "window.done = { bag, map, viewer };</script>");
    const own = await browser.newPage();
    await own.route("**/readme/*", (route) => {
      const name = path.basename(new URL(route.request().url()).pathname);
      if (name === "page.html")
        return route.fulfill({ contentType: "text/html", body: before + body });
      if (name === "module.js")
        return route.fulfill({
          contentType: "text/javascript",
          body: "export default window.OpenSeadragon;",
        });
      return files[name] ? route.fulfill({ body: files[name] }) : route.fulfill({ status: 404 });
    });
    own.on("pageerror", (error) => faults.push(String(error)));
    await own.goto(`${server.url}readme/page.html`);
    await own.waitForFunction(() => window.done);
    await own.waitForFunction(() => done.viewer.world.getItemAt(0)?.getFullyLoaded());
    const seen = await own.evaluate(() => {
      const box = done.bag.boxes[0];
      const item = done.viewer.world.getItemAt(0);
      const p = done.viewer.viewport.viewportToViewerElementCoordinates(
        item.imageToViewportCoordinates(box.x + box.width / 2, box.y + box.height / 2),
      );
      return done.map.at(p.x, p.y);
    });
    assert.equal(seen, 0);
    await own.close();
  });

  test("nothing was refused by the policy, and nothing failed", () => {
    assert.deepEqual(faults, []);
  });
});
