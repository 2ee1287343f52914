import { Metadata, ServerInterceptingCall, type ServerInterceptor, ServerListenerBuilder, status } from "@grpc/grpc-js";
import type { PeerToken } from "./peer-token.js";

const REFUSAL = { code: status.UNAUTHENTICATED, details: "the token is not that of this cluster" } as const;

/** Ends every call that does not begin with the cluster's token, before a byte of its messages is taken. */
export function admitting(token: PeerToken): ServerInterceptor {
  return (_method, call) =>
    new ServerInterceptingCall(call, {
      start: (next) => {
        const listener = new ServerListenerBuilder()
          .withOnReceiveMetadata((metadata, proceed) => {
            const [header] = metadata.get("authorization");
            if (token.admits(typeof header === "string" ? header : undefined)) return proceed(metadata);
            call.sendStatus({ ...REFUSAL, metadata: new Metadata() });
          })
          .build();
        next(listener);
      },
    });
}
