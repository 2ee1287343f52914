import { api, type ApiSchema, field } from "./schema.js";

/** PushTelemetry (key 72): sends a client's metrics (KIP-714). */
export const pushTelemetryApi: ApiSchema = api(72, "PushTelemetry", "0", "0+", {
  request: [
    field("clientInstanceId", "uuid", "0+"),
    field("subscriptionId", "int32", "0+"),
    field("terminating", "bool", "0+"),
    field("compressionType", "int8", "0+"),
    field("metrics", "bytes", "0+"),
  ],
  response: [field("throttleTimeMs", "int32", "0+"), field("errorCode", "int16", "0+")],
});
