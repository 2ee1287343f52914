import { api, type ApiSchema, field, list } from "./schema.js";

/** GetTelemetrySubscriptions (key 71): asks which metrics of the client the broker would like (KIP-714). */
export const getTelemetrySubscriptionsApi: ApiSchema = api(71, "GetTelemetrySubscriptions", "0", "0+", {
  request: [field("clientInstanceId", "uuid", "0+")],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("clientInstanceId", "uuid", "0+"),
    field("subscriptionId", "int32", "0+"),
    list("acceptedCompressionTypes", "int8", "0+"),
    field("pushIntervalMs", "int32", "0+"),
    field("telemetryMaxBytes", "int32", "0+"),
    field("deltaTemporality", "bool", "0+"),
    list("requestedMetrics", "string", "0+"),
  ],
});
