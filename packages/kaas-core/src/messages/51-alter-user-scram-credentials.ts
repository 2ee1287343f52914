import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * AlterUserScramCredentials (key 51): sets and deletes SCRAM credentials; salt and salted password come from the client
 * (KIP-554).
 */
export const alterUserScramCredentialsApi: ApiSchema = api(51, "AlterUserScramCredentials", "0", "0+", {
  request: [
    structs("deletions", "ScramCredentialDeletion", "0+", [
      field("name", "string", "0+"),
      field("mechanism", "int8", "0+"),
    ]),
    structs("upsertions", "ScramCredentialUpsertion", "0+", [
      field("name", "string", "0+"),
      field("mechanism", "int8", "0+"),
      field("iterations", "int32", "0+"),
      field("salt", "bytes", "0+"),
      field("saltedPassword", "bytes", "0+"),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("results", "AlterUserScramCredentialsResult", "0+", [
      field("user", "string", "0+"),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+" }),
    ]),
  ],
});
