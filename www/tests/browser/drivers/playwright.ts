// Chromium and Firefox by Playwright. It drives the Firefox of the system by WebDriver BiDi.
import { join } from 'node:path';
import { firefox as firefoxes, type Browser } from 'playwright-core';
import { browser } from '../page';
import { folder, size, type Driver, type Folder } from './driver';

export async function chromium(): Promise<Driver> {
  const files = folder();
  return drive(await browser(), files);
}

export async function firefox(program: string): Promise<Driver> {
  const files = folder();
  const launched = await firefoxes.launch({
    channel: 'moz-firefox',
    executablePath: program,
    downloadsPath: files.path,
  });
  return drive(launched, files);
}

async function drive(b: Browser, files: Folder): Promise<Driver> {
  const page = await b.newPage({ viewport: size });
  // Firefox stores the file under its name; Playwright does not report saved blobs of Firefox.
  page.on('download', (d) => void d.saveAs(join(files.path, d.suggestedFilename())));
  return {
    go: async (url) => void (await page.goto(url)),
    run: (f, ...args) => page.evaluate(`(${String(f)})(...${JSON.stringify(args)})`),
    press: (x, y) => page.mouse.click(x, y),
    type: (text) => page.keyboard.type(text),
    keys: (...names) => page.keyboard.press(names.join('+')),
    choose: (selector, paths) => page.locator(selector).setInputFiles(paths),
    screenshot: () => page.screenshot({ animations: 'allow' }),
    saved: files.saved,
    close: async () => {
      await b.close();
      files.remove();
    },
  };
}
