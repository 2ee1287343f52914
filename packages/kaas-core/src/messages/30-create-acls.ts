import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * CreateAcls (key 30): creates ACLs (KIP-140).
 *
 * - v1: prefixed patterns (KIP-290); throttled clients wait by themselves (KIP-219)
 * - v3: resources of type user (KIP-373)
 */
export const createAclsApi: ApiSchema = api(30, "CreateAcls", "0-3", "2+", {
  request: [
    structs("creations", "AclCreation", "0+", [
      field("resourceType", "int8", "0+"),
      field("resourceName", "string", "0+"),
      field("resourcePatternType", "int8", "1+", { default: 3 }),
      field("principal", "string", "0+"),
      field("host", "string", "0+"),
      field("operation", "int8", "0+"),
      field("permissionType", "int8", "0+"),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("results", "AclCreationResult", "0+", [
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+" }),
    ]),
  ],
});
