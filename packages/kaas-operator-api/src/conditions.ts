import * as z from "zod";

/** One condition of a resource, in the shape that Kubernetes and its tools know. */
export const conditionSchema = z.object({
  type: z.string().min(1).max(316).describe("What is said, such as Ready."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it is so."),
  reason: z
    .string()
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .min(1)
    .max(1024)
    .describe("Why, in one word for programs."),
  message: z.string().max(32768).describe("Why, for people, and what to do about it."),
  lastTransitionTime: z.string().meta({ format: "date-time" }).describe("Since when the status is what it is."),
  observedGeneration: z.int().min(0).optional().describe("The generation of the spec that was looked at."),
});

/** A condition of a resource. */
export type Condition = z.infer<typeof conditionSchema>;

export const conditionsSchema = z
  .array(conditionSchema)
  .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] })
  .describe("Where the resource stands. Ready says whether it is in force as its spec says.");

export const observedGenerationSchema = z.int().min(0).describe("The generation of the spec that the status is about.");
