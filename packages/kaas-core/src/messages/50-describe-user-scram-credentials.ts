import { api, type ApiSchema, field, structs } from "./schema.js";

/** DescribeUserScramCredentials (key 50): lists SCRAM credentials without their secrets (KIP-554). */
export const describeUserScramCredentialsApi: ApiSchema = api(50, "DescribeUserScramCredentials", "0", "0+", {
  request: [structs("users", "UserName", "0+", [field("name", "string", "0+")], { nullable: "0+" })],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+" }),
    structs("results", "DescribeUserScramCredentialsResult", "0+", [
      field("user", "string", "0+"),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+" }),
      structs("credentialInfos", "CredentialInfo", "0+", [
        field("mechanism", "int8", "0+"),
        field("iterations", "int32", "0+"),
      ]),
    ]),
  ],
});
