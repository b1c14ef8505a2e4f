// Pictures of the live page for people to look at: node tests/support/live_shots.mjs FOLDER

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { FakeServer } from "./fake_server.mjs";
import { buildPage, openBrowser, openPage } from "./page.mjs";
import { makeDescription } from "./scene.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const closers = [];
const server = new FakeServer(buildPage(folder), makeDescription(10));
closers.push(() => server.close());
const url = await server.listen();
try {
  const browser = await openBrowser((close) => closers.push(close));
  for (const [scheme, name, width, height] of [
    ["light", "desktop", 1280, 800],
    ["dark", "desktop", 1280, 800],
    ["light", "phone", 390, 844],
  ]) {
    server.step = 0;
    server.running = true;
    const { page, errors } = await openPage(browser, url, { width, height, scheme });
    if (name === "phone") await page.click("#side-button");
    await page.click("#live-compare");
    await page.click("#layer-forces");
    await page.waitForTimeout(1500);
    server.running = false;
    await page.waitForTimeout(300);
    const { x, y } = await page.evaluate(() => window.stickslip.project(1));
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 40, y - 80, { steps: 4 });
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(folder, `live-${scheme}-${name}.png`) });
    await page.mouse.up();
    await page.evaluate(() => document.querySelector("#plots").scrollIntoView());
    await page.screenshot({ path: join(folder, `live-${scheme}-${name}-plots.png`) });
    if (errors.length) console.log(errors);
    await page.close();
  }
} finally {
  for (const close of closers.reverse()) await close();
}
