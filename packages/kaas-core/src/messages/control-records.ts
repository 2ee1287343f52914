/** Key and value of control records. */
import { data, field, type MessageSchema } from "./schema.js";

export const controlRecordTypeSchema: MessageSchema = data("ControlRecordTypeSchema", "0", "none", [
  field("type", "int16", "0+"),
]);

export const endTxnMarker: MessageSchema = data("EndTxnMarker", "0", "none", [
  field("coordinatorEpoch", "int32", "0+"),
]);
