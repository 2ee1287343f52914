/** The kinds that the operator makes or reads beside its own, as far as it looks at them. */
import type { KubernetesObject, Resource } from "@kaas/k8s";

export interface Secret extends KubernetesObject {
  readonly type?: string;
  /** By key, in base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export interface Service extends KubernetesObject {
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly ports?: readonly { readonly name?: string; readonly port: number; readonly nodePort?: number }[];
  };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

export interface Certificate extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
      readonly observedGeneration?: number;
    }[];
  };
}

export const SECRETS: Resource<Secret> = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  isNamespaced: true,
};

export const SERVICES: Resource<Service> = {
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  isNamespaced: true,
};

export const CERTIFICATES: Resource<Certificate> = {
  group: "cert-manager.io",
  version: "v1",
  kind: "Certificate",
  plural: "certificates",
  isNamespaced: true,
};

/** The versions in which TLSRoutes are served, the newest first: which one is there depends on the Gateway API. */
export const TLS_ROUTES: readonly Resource[] = ["v1", "v1alpha3", "v1alpha2"].map((version) => ({
  group: "gateway.networking.k8s.io",
  version,
  kind: "TLSRoute",
  plural: "tlsroutes",
  isNamespaced: true,
}));

export const EVENTS: Resource = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  isNamespaced: true,
};
