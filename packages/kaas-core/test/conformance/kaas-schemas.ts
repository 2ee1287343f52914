/** Every message that kaas has a schema for. */
import { apiSchemas } from "../../src/messages/api-schemas.js";
import * as consumerProtocol from "../../src/messages/consumer-protocol.js";
import * as controlRecords from "../../src/messages/control-records.js";
import * as defaultPrincipal from "../../src/messages/default-principal.js";
import * as groupMetadata from "../../src/messages/group-metadata.js";
import * as headers from "../../src/messages/headers.js";
import type { MessageSchema } from "../../src/messages/schema.js";

export const kaasMessages: readonly MessageSchema[] = [
  ...apiSchemas.flatMap(({ request, response }) => [request, response]),
  ...[headers, consumerProtocol, controlRecords, defaultPrincipal, groupMetadata].flatMap((file) =>
    Object.values(file),
  ),
];
