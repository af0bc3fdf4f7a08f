// Measures a slide in the page: `go run ./tools/dev/bench/slide -page` runs it with the slide's path
// and the number of rounds. It prints the time to the first view, the memory of the page with its
// workers, and the times of frames with a map of 100,000 patches over the slide, divided by those of
// the bare viewer in the same run.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { host, openBrowser } from "../../../../wasm/npm/test/browser.mjs";

const [slide, rounds] = [process.argv[2], Number(process.argv[3])];
const root = fileURLToPath(new URL("../../../..", import.meta.url));
const size = { width: 1280, height: 900 };
/** Milliseconds within which anything must happen. */
const patience = 600_000;
/** Frames as fast as the machine draws them: the screen's rate would hide differences. */
const fast = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

const site = await host();
try {
  await firstView();
  await overlayFrames();
  await pageFrames();
} finally {
  site.close();
}

/** Runs a function with a page of a new browser. */
async function within(flags, run) {
  const browser = await openBrowser(flags);
  try {
    const context = await browser.newContext({
      serviceWorkers: "block",
      viewport: size,
    });
    context.setDefaultTimeout(patience);
    return await run(await context.newPage(), browser, context);
  } finally {
    await browser.close();
  }
}

/** Opens the site's page and waits until its example is explained. */
async function look(page) {
  await page.goto(`${site.url}www/dist/look/`);
  await page.locator("main[data-sealed]").waitFor();
  await page.locator('main[aria-busy="false"]').waitFor();
}

/** Chooses a file as the page's model or as its bag. */
function choose(page, zone, file) {
  const inputs = page.locator(".zones input[type=file]");
  return inputs.nth(["model", "bag"].indexOf(zone)).setInputFiles(file);
}

/** Waits until the first view of a slide has all tiles. */
function complete(page) {
  return page
    .locator('.viewer[data-slide="open"][aria-busy="false"]')
    .waitFor();
}

/** From the choice of the slide to its first view, and what the page's processes then hold. */
async function firstView() {
  const times = [];
  let [empty, seen, moved] = [0, 0, 0];
  for (let round = 0; round < rounds; round++)
    await within([], async (page, browser) => {
      await look(page);
      empty = Math.max(empty, await memoryOf(browser));
      await page.evaluate(() => {
        const begin = () => (window.began = performance.now());
        addEventListener("change", begin, { capture: true, once: true });
        const watch = new MutationObserver(() => {
          if (
            !document.querySelector(
              '.viewer[data-slide="open"][aria-busy="false"]',
            )
          )
            return;
          watch.disconnect();
          const end = () => (window.ended = performance.now());
          requestAnimationFrame(() => requestAnimationFrame(end));
        });
        watch.observe(document.body, {
          subtree: true,
          childList: true,
          attributeFilter: ["aria-busy"],
        });
      });
      await choose(page, "bag", slide);
      await page.waitForFunction(() => window.ended);
      times.push(await page.evaluate(() => window.ended - window.began));
      seen = Math.max(seen, await memoryOf(browser));
      await page.locator(".viewer").first().scrollIntoViewIfNeeded();
      await page.evaluate(moveSlide);
      moved = Math.max(moved, await memoryOf(browser));
    });
  console.log(
    `First view: ${times.map((t) => Math.round(t)).join(", ")} ms after the choice.`,
  );
  console.log(
    `Memory of the page and its workers: ${empty} MB before, ${seen} MB at the first ` +
      `view, ${moved} MB after it was moved.\n`,
  );
}

/**
 * Megabytes of the process that runs the page and its workers, parts that are shared with others in
 * proportion. The browser keeps a spare process, which is smaller.
 */
async function memoryOf(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const sizes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => {
      const text = readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
      return Number(/^Pss:\s+(\d+) kB$/m.exec(text)[1]) / 1024;
    });
  return Math.round(Math.max(...sizes));
}

/** The overlay alone: one viewer, bare and with each map, in turns. */
async function overlayFrames() {
  const looks = {
    bare: null,
    patches: { smooth: false, colour: 1 },
    smooth: { smooth: true, colour: 1 },
    "patches, faded stain": { smooth: false, colour: 0.25 },
    "smooth, faded stain": { smooth: true, colour: 0.25 },
  };
  await within(fast, async (page, browser) => {
    await page.goto(`${site.url}tools/dev/bench/slide/frames.html`);
    await page.setInputFiles("input", slide);
    await page.evaluate(() => window.open());
    await page.evaluate(() => window.frames()); // reads the tiles
    const taken = await alternate(looks, browser, async (name) => {
      await page.evaluate((look) => window.lay(look), looks[name]);
      return () => page.evaluate(() => window.frames());
    });
    print("The overlay of the npm package", taken);
  });
}

/** The site's page: a tab with the slide alone, and one with a map of features over it. */
async function pageFrames() {
  const features = path.join(path.dirname(slide), "features.csv");
  writeFileSync(features, featuresOf(400, 250, 240));
  await within(fast, async (bare, browser, context) => {
    const mapped = await context.newPage();
    for (const page of [bare, mapped]) {
      await page.bringToFront();
      await look(page);
      await choose(page, "bag", slide);
      await complete(page);
    }
    await choose(
      mapped,
      "model",
      path.join(root, "www/tests/data/attention4.onnx"),
    );
    await choose(mapped, "bag", features);
    await mapped.locator("[data-map]").waitFor();
    await mapped.locator("td.number").first().waitFor();
    await mapped.locator('main[aria-busy="false"]').waitFor();
    const shading = mapped.getByLabel("Shading");
    const looks = { bare: null, patches: "false", smooth: "true" };
    for (const page of [bare, mapped]) {
      await page.bringToFront();
      // The list of patches beside a map leaves less room.
      await page
        .locator(".viewer")
        .evaluate(
          ({ style }) => ([style.width, style.height] = ["720px", "480px"]),
        );
      await page.locator(".viewer").first().scrollIntoViewIfNeeded();
      await page.evaluate(moveSlide); // reads the tiles
    }
    const taken = await alternate(looks, browser, async (name) => {
      const page = name === "bare" ? bare : mapped;
      await page.bringToFront();
      if (name !== "bare")
        await shading.selectOption({ index: name === "smooth" ? 1 : 0 });
      return () => page.evaluate(moveSlide);
    });
    print("The page", taken);
    await mapped.screenshot({
      path: path.join(path.dirname(slide), "page.png"),
    });
  });
}

/**
 * Measures each look once a round, each round beginning with another one. `prepare` shows a look and
 * returns what moves it.
 */
async function alternate(looks, browser, prepare) {
  const session = await browser.newBrowserCDPSession();
  const worked = async () => {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return 1000 * processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
  const names = Object.keys(looks);
  const taken = Object.fromEntries(
    names.map((name) => [name, { frames: [], worked: 0 }]),
  );
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length];
      const move = await prepare(name);
      const before = await worked();
      taken[name].frames.push(...(await move()));
      taken[name].worked += (await worked()) - before;
    }
  return taken;
}

function print(title, taken) {
  const at =
    (share) =>
    ({ frames }) => {
      const sorted = frames.toSorted((a, b) => a - b);
      return sorted[Math.floor(share * (sorted.length - 1))];
    };
  const columns = {
    "median of frames": at(0.5),
    "95th percentile": at(0.95),
    "processor time of a frame": ({ frames, worked }) => worked / frames.length,
  };
  const heads = Object.keys(columns).map((head) => `${head} | / bare`);
  console.log(
    `| ${title} | ${heads.join(" | ")} |\n| --- |${" ---: |".repeat(2 * heads.length)}`,
  );
  for (const [name, one] of Object.entries(taken)) {
    const cells = Object.values(columns).flatMap((of) => [
      `${of(one).toFixed(1)} ms`,
      (of(one) / of(taken.bare)).toFixed(2),
    ]);
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  console.log();
}

/**
 * In the page: turns the wheel over the slide, inwards and outwards twice, and returns the
 * milliseconds of frames.
 */
async function moveSlide() {
  const steps = 80;
  const canvas = document.querySelector(".viewer .openseadragon-canvas");
  const { x, y, width, height } = canvas.getBoundingClientRect();
  const frame = () => new Promise(requestAnimationFrame);
  const taken = [];
  let before = await frame();
  for (let i = 0; i < steps; i++) {
    const angle = (4 * Math.PI * i) / steps;
    const at = {
      clientX: x + width * (0.5 + 0.2 * Math.cos(angle)),
      clientY: y + height * (0.5 + 0.2 * Math.sin(angle)),
    };
    const deltaY = i % (steps / 2) < steps / 4 ? -60 : 60;
    canvas.dispatchEvent(
      new WheelEvent("wheel", {
        deltaY,
        ...at,
        bubbles: true,
        cancelable: true,
      }),
    );
    const now = await frame();
    taken.push(now - before);
    before = now;
  }
  return taken;
}

/** A table of features of four values, which the model of the tests takes. */
function featuresOf(columns, rows, step) {
  const lines = ["x,y,f1,f2,f3,f4"];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const values = [
        Math.sin(column / 9),
        Math.cos(row / 7),
        Math.sin((row * column) / 999),
        0.1,
      ];
      lines.push(
        [column * step, row * step, ...values.map((v) => v.toFixed(3))].join(),
      );
    }
  return lines.join("\n") + "\n";
}
