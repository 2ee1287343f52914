/** Request and response headers: what stands before every message body. */
import { data, field, type MessageSchema } from "./schema.js";

export const requestHeader: MessageSchema = data("RequestHeader", "0-2", "2+", [
  field("requestApiKey", "int16", "0+"),
  field("requestApiVersion", "int16", "0+"),
  field("correlationId", "int32", "0+"),
  field("clientId", "string", "1+", { nullable: "1+", flexible: "none" }),
]);

export const responseHeader: MessageSchema = data("ResponseHeader", "0-1", "1+", [
  field("correlationId", "int32", "0+"),
]);
