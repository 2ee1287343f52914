import * as z from "zod";
import { API_GROUP_VERSION } from "./api-group.js";

const labels = z.record(z.string(), z.string());

/** What Kubernetes takes for the name of a custom resource: labels of a host name, without a limit of their own. */
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** What the operator and the brokers look at of an object's metadata. The API server checks the rest. */
export const objectMetaSchema = z.looseObject({
  name: z.string().min(1).max(253).regex(OBJECT_NAME),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
  generation: z.int().optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: labels.optional(),
  annotations: labels.optional(),
});

/** Metadata of a Kubernetes object, as far as kaas looks at it. */
export type ObjectMeta = z.infer<typeof objectMetaSchema>;

/** The part that every custom resource of kaas has: its kind, and its metadata. */
export const header = <Kind extends string>(
  kind: Kind,
): {
  apiVersion: z.ZodLiteral<typeof API_GROUP_VERSION>;
  kind: z.ZodLiteral<Kind>;
  metadata: typeof objectMetaSchema;
} => ({ apiVersion: z.literal(API_GROUP_VERSION), kind: z.literal(kind), metadata: objectMetaSchema });
