import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * DescribeAcls (key 29): lists the ACLs that match a filter (KIP-140).
 *
 * - v1: prefixed patterns (KIP-290); throttled clients wait by themselves (KIP-219)
 * - v3: resources of type user (KIP-373)
 */
export const describeAclsApi: ApiSchema = api(29, "DescribeAcls", "0-3", "2+", {
  request: [
    field("resourceTypeFilter", "int8", "0+"),
    field("resourceNameFilter", "string", "0+", { nullable: "0+" }),
    field("patternTypeFilter", "int8", "1+", { default: 3 }),
    field("principalFilter", "string", "0+", { nullable: "0+" }),
    field("hostFilter", "string", "0+", { nullable: "0+" }),
    field("operation", "int8", "0+"),
    field("permissionType", "int8", "0+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+" }),
    structs("resources", "DescribeAclsResource", "0+", [
      field("resourceType", "int8", "0+"),
      field("resourceName", "string", "0+"),
      field("patternType", "int8", "1+", { default: 3 }),
      structs("acls", "AclDescription", "0+", [
        field("principal", "string", "0+"),
        field("host", "string", "0+"),
        field("operation", "int8", "0+"),
        field("permissionType", "int8", "0+"),
      ]),
    ]),
  ],
});
