// Builds the page once, opens it in headless Chromium, and watches what it does.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

export const web = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** A folder that is gone after the tests. */
export function scratch(after) {
  const folder = mkdtempSync(join(tmpdir(), "viewer-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The page that the sources make. */
export function bundlePage(folder) {
  const file = join(folder, "viewer.html");
  execFileSync(process.execPath, [join(web, "build.mjs"), file], { stdio: "pipe" });
  return readFileSync(file, "utf8");
}

/** The page that is kept, where its place is known: page.test.mjs says when it is not that of the sources. */
export function buildPage(folder) {
  const kept = process.env.STICKSLIP_VIEWER_PAGE;
  if (!kept) return bundlePage(folder);
  copyFileSync(kept, join(folder, "viewer.html"));
  return readFileSync(kept, "utf8");
}

export function writeReplay(folder, page, base64) {
  const file = join(folder, "replay.html");
  const slot = '<script id="replay" type="text/plain">';
  writeFileSync(file, page.replace(slot, () => slot + base64));
  return pathToFileURL(file).href;
}

/** A TypeScript module of the page, to be called from here. */
export async function importSource(folder, name) {
  const file = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(web, "src", `${name}.ts`)],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "neutral",
    logLevel: "warning",
  });
  return import(pathToFileURL(file).href);
}

export async function openBrowser(after) {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`${executablePath} is missing: install chromium or set CHROMIUM.`);
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--webgl-antialiasing-mode=none",
    ],
  });
  after(() => browser.close());
  return browser;
}

/**
 * A page together with everything that went wrong in it and every address it asked for. Without a GPU few pixels are fast pixels: the layout is that of the
 * size, what is drawn has 0.4 pixels for each of it.
 */
export async function openPage(browser, url, { width = 900, height = 600, scheme = "light" } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 0.4, colorScheme: scheme });
  const errors = [];
  const requests = [];
  page.on("console", (message) => {
    // Reading pixels back is slow without a GPU; that is the test's doing.
    if (["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text()))
      errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(url);
  await page.evaluate(() => window.stickslip.ready);
  return { page, errors, requests };
}

/** The pixels of the 3D view alone, small. */
export function viewPixels(page) {
  return page.evaluate(() => window.stickslip.picture(320, 200));
}
