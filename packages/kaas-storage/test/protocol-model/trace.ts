import { initialState, type Model } from "./configuration.js";
import { expand } from "./expand.js";
import { symmetryOf } from "./search.js";
import type { State } from "./state.js";
import { ACTIONS, type Action, NOBODY, Stepper } from "./stepper.js";

const NAMES = ["A", "B", "C", "D"];

/** A way through the model, in words: who does what. Processes keep their names, whatever place they have in a state. */
export function traceOf(model: Model, path: readonly number[]): string[] {
  const symmetry = symmetryOf(model);
  let left = -1;
  let action = 0;
  const chosen: State = new Uint8Array(model.layout.bytes);
  const stepper = new Stepper(model, (next, number) => {
    if (left-- !== 0) return;
    action = number;
    chosen.set(next);
  });
  let names = NAMES;
  const current = initialState(model);
  return path.map((choice) => {
    left = choice;
    expand(stepper, current);
    const line = describe(action, names);
    current.set(chosen);
    symmetry.apply(current);
    names = names.map((name, place) => names[symmetry.order[place] ?? place] ?? name);
    return line;
  });
}

function describe(action: number, names: readonly string[]): string {
  const what = ACTIONS[action & 255] as Action;
  const process = (action >> 8) & 15;
  const who = process === NOBODY ? "" : `${names[process]} `;
  return `${who}${what}${detailOf(what, action >> 12, names)}`;
}

function detailOf(action: Action, detail: number, names: readonly string[]): string {
  switch (action) {
    case "claims":
    case "seals":
    case "claims, to depart,":
    case "withdraws its claim":
    case "removes the file of epoch":
    case "sweeps the file of epoch":
      return action.endsWith("epoch") ? ` ${detail}` : ` epoch ${detail}`;
    case "is told that the topic lies in directory":
    case "the topic is said to lie in directory":
    case "notes that it went, at epoch":
      return ` ${detail}`;
    case "declares obsolete":
      return ` the file of epoch ${detail}`;
    case "blows the fuse of":
      return ` ${names[detail]}`;
    case "blow arrives":
      return `: the fuse of ${names[detail]} is blown`;
    case "appends":
    case "acknowledges":
    case "fails to write":
      return ` offset ${detail}`;
    case "syncs":
    case "hands over":
    case "shows what its seal holds":
      return `, up to offset ${detail}`;
    case "scans the tail":
      return `, and finds ${detail === 0 ? "nothing" : `records: ${detail}`}`;
    case "reads its fuse":
    case "reads its fuse before it shows anything":
    case "reads its fuse before it removes":
    case "reads its fuse before it notes that it went":
      return `: ${detail === 0 ? "BLOWN" : "LIVE"}`;
    case "write-back":
      return `: the server gets a record of epoch ${detail}, and has not made it durable`;
    case "the file server crashes":
      return detail === 0 ? ", and loses nothing" : ", and loses what was not durable";
    default:
      return "";
  }
}
