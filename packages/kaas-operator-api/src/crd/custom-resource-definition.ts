import { API_GROUP, API_VERSION } from "../api-group.js";
import { RESOURCE_KINDS, type ResourceDefinition, resourceDefinitions } from "../resources.js";
import { type StructuralSchema, structuralSchemaOf } from "./structural-schema.js";

/** A CustomResourceDefinition, as `kubectl apply` takes it. */
export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: StructuralSchema;
}

/** The definitions of all custom resources of kaas. */
export function customResourceDefinitions(): readonly CustomResourceDefinition[] {
  return RESOURCE_KINDS.map((kind) => definitionOf(resourceDefinitions[kind]));
}

function definitionOf(resource: ResourceDefinition): CustomResourceDefinition {
  const { kind, plural, singular, shortNames, columns } = resource;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${API_GROUP}`, labels: { "app.kubernetes.io/part-of": "kaas" } },
    spec: {
      group: API_GROUP,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames, categories: ["kaas"] },
      versions: [
        {
          name: API_VERSION,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: structuralSchemaOf(resource) },
          subresources: { status: {} },
          additionalPrinterColumns: columns,
        },
      ],
    },
  };
}
