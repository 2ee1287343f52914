import type { ChannelOptions } from "@grpc/grpc-js";

/** The most bytes of one message: an assignment of 10 000 partitions takes a tenth. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

/** For both ends of a connection between brokers. */
export const PEER_CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": MESSAGE_BYTES_MAX,
  "grpc.max_send_message_length": MESSAGE_BYTES_MAX,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.min_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1_000,
  // Connections are between processes that are known by name: nothing is to be shared or looked up elsewhere.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.enable_http_proxy": 0,
};

/** For the end that anybody may connect to. A broker has one stream open, and a call or two beside it. */
export const PEER_SERVER_OPTIONS: ChannelOptions = {
  ...PEER_CHANNEL_OPTIONS,
  "grpc.max_concurrent_streams": 16,
  "grpc.max_connection_idle_ms": 30_000,
};
