import { describe, expect, test } from "vitest";
import { api, data, field, list, struct, structs } from "../schema.js";
import { type FieldLayout, layoutOf, messageStruct, type StructLayout } from "./layout.js";
import { isEmpty } from "./version-range.js";

const item = [field("name", "string", "0+"), list("partitions", "int32", "0+")];

function structNamed(structs: readonly StructLayout[], name: string): StructLayout {
  const found = structs.find(({ typeName }) => typeName === name);
  if (found === undefined) throw new Error(`no struct ${name}`);
  return found;
}

function fieldNamed(of: StructLayout, name: string): FieldLayout {
  const found = of.fields.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no field ${name}`);
  return found;
}

describe("structs", () => {
  test("come innermost first, the message last, named after the message", () => {
    const layout = layoutOf(
      data("Outer", "0-3", "2+", [structs("middles", "Middle", "0+", [struct("inner", "Inner", "1+", item)])]),
    );
    expect(layout.structs.map(({ typeName }) => typeName)).toEqual(["OuterInner", "OuterMiddle", "Outer"]);
    expect(messageStruct(layout).typeName).toBe("Outer");
  });

  test("keep a name that begins with the message's", () => {
    const layout = layoutOf(data("Response", "0", "none", [structs("topics", "ResponseTopic", "0", item)]));
    expect(layout.structs[0]?.typeName).toBe("ResponseTopic");
  });

  test("that several fields use are there once, in the versions of all uses", () => {
    const layout = layoutOf(
      data("Message", "0-5", "3+", [
        structs("transactions", "Transaction", "4+", [structs("topics", "Topic", "4+", item)]),
        structs("topics", "Topic", "0-3", item),
      ]),
    );
    const topic = structNamed(layout.structs, "MessageTopic");
    expect(layout.structs).toHaveLength(3);
    expect(topic.versions).toEqual({ first: 0, last: 5 });
    expect(topic.flexible).toEqual({ first: 3, last: 5 });
    expect(fieldNamed(topic, "name").versions).toEqual({ first: 0, last: 5 });
  });

  test("that share a name must share their fields", () => {
    const other = [field("name", "string", "0+")];
    const schema = data("Message", "0", "none", [structs("a", "Item", "0", item), structs("b", "Item", "0", other)]);
    expect(() => layoutOf(schema)).toThrow("same fields");
  });
});

describe("fields", () => {
  test("exist within the versions of what is around them", () => {
    const layout = layoutOf(data("Message", "2-6", "4+", [structs("items", "Item", "3-5", item)]));
    expect(fieldNamed(structNamed(layout.structs, "MessageItem"), "name").versions).toEqual({ first: 3, last: 5 });
    expect(fieldNamed(messageStruct(layout), "items").compact).toEqual({ first: 4, last: 5 });
  });

  test("travel in the body before they are tagged", () => {
    const layout = layoutOf(data("Message", "0-5", "2+", [field("late", "int32", "1+", { tag: 0, tagged: "3+" })]));
    const late = fieldNamed(messageStruct(layout), "late");
    expect(late.untagged).toEqual({ first: 1, last: 2 });
    expect(late.tagged).toEqual({ first: 3, last: 5 });
  });

  test("may refuse to be compact", () => {
    const layout = layoutOf(data("Header", "0-2", "2+", [field("clientId", "string", "1+", { flexible: "none" })]));
    expect(isEmpty(fieldNamed(messageStruct(layout), "clientId").compact)).toBe(true);
  });

  test("cannot be tagged where nothing is, nor a struct only sometimes", () => {
    const early = data("Message", "0-5", "2+", [field("tagged", "int32", "1+", { tag: 0 })]);
    expect(() => layoutOf(early)).toThrow("flexible versions only");
    const sometimes = data("Message", "0-5", "2+", [struct("a", "Item", "0+", item, { tag: 0, tagged: "3+" })]);
    expect(() => layoutOf(sometimes)).toThrow("always or never tagged");
  });
});

describe("the fewest bytes that an element takes", () => {
  const elementSizeMin = (versions: string, flexible: string, fields = item): number => {
    const layout = layoutOf(data("Message", versions, flexible, [structs("items", "Item", "0+", fields)]));
    return fieldNamed(messageStruct(layout), "items").elementSizeMin;
  };

  test("count every field of the version that has the least", () => {
    const fields = [field("a", "int32", "0+"), field("b", "int64", "2+"), field("c", "uuid", "0-1")];
    expect(elementSizeMin("0-3", "none", fields)).toBe(12);
    expect(elementSizeMin("0-1", "none", fields)).toBe(20);
  });

  test("count one byte for a length, and one for tags, which themselves may be left out", () => {
    expect(elementSizeMin("0", "none")).toBe(2);
    expect(elementSizeMin("0", "0+")).toBe(3);
    expect(elementSizeMin("0", "0+", [field("a", "int32", "0+", { tag: 0 })])).toBe(1);
  });

  test("are those of the primitive in arrays of one", () => {
    const { request } = api(0, "Test", "0", "none", { request: [list("ids", "uuid", "0")], response: [] });
    expect(fieldNamed(messageStruct(layoutOf(request)), "ids").elementSizeMin).toBe(16);
  });
});
