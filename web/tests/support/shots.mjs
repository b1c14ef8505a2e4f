// Pictures of the page for people to look at: node tests/support/shots.mjs FOLDER [replay.html]

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { base64Replay } from "./encoder.mjs";
import { buildPage, openBrowser, openPage, writeReplay } from "./page.mjs";
import { makeDescription, makeFrames } from "./scene.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
let url;
if (process.argv[3]) url = pathToFileURL(process.argv[3]).href;
else {
  const description = makeDescription(15);
  url = writeReplay(folder, buildPage(folder), base64Replay(description, makeFrames(description), { stride: 2 }));
}
const closers = [];
const browser = await openBrowser((close) => closers.push(close));
try {
  for (const scheme of ["light", "dark"])
    for (const [name, width, height] of [["desktop", 1280, 800], ["phone", 390, 844]]) {
      const { page, errors } = await openPage(browser, url, { width, height, scheme });
      const shot = async (what) => page.screenshot({ path: join(folder, `${scheme}-${name}-${what}.png`) });
      await page.evaluate(() => window.stickslip.setFrame(Math.floor(window.stickslip.frames() * 0.6)));
      await shot("plain");
      await page.evaluate(() => {
        window.stickslip.select(1);
        for (const layer of ["forces", "cones", "slip", "manifolds", "pressure-centres", "see-through"])
          window.stickslip.layers.set(layer, true);
      });
      if (name === "phone") await page.click("#side-button");
      await shot("layers");
      await page.evaluate(() => {
        for (const d of document.querySelectorAll("details")) d.open = true;
        document.querySelector("#plots").scrollIntoView();
      });
      await page.waitForTimeout(300);
      await shot("plots");
      if (name === "desktop") {
        await page.evaluate(() => document.querySelector("#chart-momentum")?.scrollIntoView());
        await page.waitForTimeout(100);
        await shot("plots2");
      }
      await page.keyboard.press("?");
      await shot("help");
      if (errors.length) console.log(errors);
      await page.close();
    }
} finally {
  for (const close of closers) await close();
}
