import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runEmbedding, temporaryDirectory } from "./spawn-broker.js";

test("a program that closed its broker ends by itself, and nothing but its directory is left", async () => {
  const directory = temporaryDirectory();
  try {
    const ended = await runEmbedding(`
      process.chdir(${JSON.stringify(directory.path)});
      const inMemory = await startKafkaBroker();
      const inDirectory = await startKafkaBroker({ dataDirectory: "data" });
      await Promise.all([inMemory.close(), inDirectory.close()]);
      console.log("closed");
    `);
    expect(ended).toEqual({ code: 0, stdout: "closed\n", stderr: "" });
    expect(readdirSync(directory.path)).toEqual(["data"]);
    expect(readdirSync(join(directory.path, "data"))).toEqual(["__cluster"]);
  } finally {
    directory.remove();
  }
});
