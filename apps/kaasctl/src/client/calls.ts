import type { messages } from "@kaas/core/internal";

interface Call<Request, Response> {
  readonly request: Request;
  readonly response: Response;
}

/** What brokers are asked, by Kafka's names of the APIs. */
export interface Calls {
  readonly ApiVersions: Call<messages.ApiVersionsRequestInit, messages.ApiVersionsResponse>;
  readonly SaslHandshake: Call<messages.SaslHandshakeRequestInit, messages.SaslHandshakeResponse>;
  readonly SaslAuthenticate: Call<messages.SaslAuthenticateRequestInit, messages.SaslAuthenticateResponse>;
  readonly Metadata: Call<messages.MetadataRequestInit, messages.MetadataResponse>;
  readonly DescribeCluster: Call<messages.DescribeClusterRequestInit, messages.DescribeClusterResponse>;
  readonly DescribeTopicPartitions: Call<
    messages.DescribeTopicPartitionsRequestInit,
    messages.DescribeTopicPartitionsResponse
  >;
  readonly DescribeConfigs: Call<messages.DescribeConfigsRequestInit, messages.DescribeConfigsResponse>;
  readonly DescribeLogDirs: Call<messages.DescribeLogDirsRequestInit, messages.DescribeLogDirsResponse>;
  readonly ListOffsets: Call<messages.ListOffsetsRequestInit, messages.ListOffsetsResponse>;
  readonly ListPartitionReassignments: Call<
    messages.ListPartitionReassignmentsRequestInit,
    messages.ListPartitionReassignmentsResponse
  >;
  readonly FindCoordinator: Call<messages.FindCoordinatorRequestInit, messages.FindCoordinatorResponse>;
  readonly ListGroups: Call<messages.ListGroupsRequestInit, messages.ListGroupsResponse>;
  readonly OffsetFetch: Call<messages.OffsetFetchRequestInit, messages.OffsetFetchResponse>;
  readonly DescribeUserScramCredentials: Call<
    messages.DescribeUserScramCredentialsRequestInit,
    messages.DescribeUserScramCredentialsResponse
  >;
  readonly DescribeClientQuotas: Call<messages.DescribeClientQuotasRequestInit, messages.DescribeClientQuotasResponse>;
  readonly DescribeAcls: Call<messages.DescribeAclsRequestInit, messages.DescribeAclsResponse>;
}

/** One of them. */
export type CallName = keyof Calls;
