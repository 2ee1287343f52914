import { beforeEach, expect, test } from "vitest";
import { ControllerSearch } from "./controller-search.js";

const one = { broker: "kaas-0", incarnation: "a" };
const other = { broker: "kaas-1", incarnation: "b" };
const third = { broker: "kaas-2", incarnation: "c" };
const published = (identity: typeof one, controllerEpoch: number) => ({ identity, controllerEpoch });

let search: ControllerSearch;

beforeEach(() => {
  search = new ControllerSearch();
});

test("without a Lease it is whoever published last", () => {
  expect(search.controller(undefined, undefined)).toBeUndefined();
  expect(search.controller(undefined, published(other, 3))).toEqual(other);
});

test("the holder of the Lease is it before it has published anything", () => {
  expect(search.controller(one, published(other, 3))).toEqual(one);
});

test("a Lease that is no longer heard of gives way to whoever published since", () => {
  expect(search.controller(one, published(other, 3))).toEqual(one);
  expect(search.controller(one, published(one, 4))).toEqual(one);
  expect(search.controller(one, published(other, 5))).toEqual(other);
  expect(search.controller(third, published(other, 5))).toEqual(third);
});
