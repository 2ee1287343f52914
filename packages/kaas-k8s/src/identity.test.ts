import { expect, test } from "vitest";
import { podIdentity } from "./identity.js";

test("the number of the pod is the broker's id", () => {
  const identity = podIdentity({ MY_POD_NAME: "my-kaas-12", MY_POD_NAMESPACE: "events" });
  expect(identity).toEqual({ name: "my-kaas-12", ordinal: 12, set: "my-kaas", namespace: "events" });
});

test.each([{}, { MY_POD_NAME: "" }, { MY_POD_NAMESPACE: "events" }])(
  "outside of Kubernetes there is none: %j",
  (environment) => {
    expect(podIdentity(environment)).toBeUndefined();
  },
);

test.each(["kaas", "kaas-", "kaas-01", "kaas-x", "-1", "../kaas-1", "kaas-1234567890"])(
  "%s is no pod of a StatefulSet",
  (name) => {
    expect(() => podIdentity({ MY_POD_NAME: name, MY_POD_NAMESPACE: "events" })).toThrowError(/such as kaas-0/);
  },
);

test("a namespace is needed", () => {
  expect(() => podIdentity({ MY_POD_NAME: "kaas-0" })).toThrowError(/MY_POD_NAMESPACE is missing/);
});
