// A Probot app that keeps each delivery before it answers: one file, written with fdatasync.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { run } from "probot";

const folder = process.env.PEER_FOLDER;

await run((app) => {
  app.onAny(async ({ id, payload }) => {
    const file = await open(join(folder, id), "wx");
    try {
      await file.writeFile(JSON.stringify(payload));
      await file.datasync();
    } finally {
      await file.close();
    }
  });
});
