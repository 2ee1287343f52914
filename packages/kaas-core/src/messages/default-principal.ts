/** A principal in serialized form. */
import { data, field, type MessageSchema } from "./schema.js";

export const defaultPrincipalData: MessageSchema = data("DefaultPrincipalData", "0", "0+", [
  field("type", "string", "0+"),
  field("name", "string", "0+"),
  field("tokenAuthenticated", "bool", "0+"),
]);
