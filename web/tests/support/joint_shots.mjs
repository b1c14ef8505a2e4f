// Pictures of joints for people to look at: node tests/support/joint_shots.mjs FOLDER [replay.html]

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { base64Replay } from "./encoder.mjs";
import { makeMechanism, makeMechanismFrames } from "./mechanism.mjs";
import { buildPage, openBrowser, openPage, writeReplay } from "./page.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
let url;
if (process.argv[3]) url = pathToFileURL(process.argv[3]).href;
else {
  const description = makeMechanism();
  url = writeReplay(folder, buildPage(folder), base64Replay(description, makeMechanismFrames(description)));
}
const closers = [];
const browser = await openBrowser((close) => closers.push(close));
try {
  for (const scheme of ["light", "dark"]) {
    const { page, errors } = await openPage(browser, url, { width: 1280, height: 800, scheme });
    await page.evaluate(() => {
      window.stickslip.setFrame(Math.floor(window.stickslip.frames() * 0.6));
      window.stickslip.layers.set("joints", true);
      window.stickslip.layers.set("see-through", true);
    });
    await page.screenshot({ path: join(folder, `joints-${scheme}.png`) });
    if (!process.argv[3])
      for (const [name, x, y] of [["left", 1.2, 0], ["right", 4.8, 0], ["back", 3, 1.6]]) {
        await page.evaluate(([cx, cy]) => window.stickslip.camera.set([cx + 0.5, cy - 2.6, 2.6], [cx, cy, 1.9]), [x, y]);
        await page.screenshot({ path: join(folder, `joints-${scheme}-${name}.png`) });
      }
    await page.evaluate(() => {
      window.stickslip.camera.fit();
      window.stickslip.layers.set("joint-forces", true);
      window.stickslip.selectJoint(0);
    });
    const { x, y } = await page.evaluate(() => window.stickslip.projectJoint(0));
    await page.mouse.move(x, y);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, `joints-${scheme}-selected.png`) });
    if (errors.length) console.log(errors);
    await page.close();
  }
} finally {
  for (const close of closers) await close();
}
