// Loaded into a broker before all else: its wall clock is as many milliseconds off as the file KAAS_TEST_CLOCK says, which
// may change while it runs. The clock that only goes on is left alone, as it is when a machine's time is set.
const { readFileSync } = require("node:fs");

const LOOK_MS = 100;
const { KAAS_TEST_CLOCK: file = "" } = process.env;
const now = Date.now.bind(Date);
let offset = 0;

function look() {
  try {
    offset = Number(readFileSync(file, "utf8"));
  } catch {
    offset = 0; // nobody has set it
  }
}

look();
setInterval(look, LOOK_MS).unref();
Date.now = () => now() + offset;
