{{/*
KAAS_LISTENERS: what brokers listen on, and what each tells its clients. $(MY_POD_NAME) and $(MY_POD_INDEX) are put in by
the kubelet. A listener that is not internal tells the host name of its configuration. Where it has none the operator
finds the address, and writes it to the volume, where the broker reads it; until then clients are told the pod's own name.
*/}}
{{- define "kaas.listeners" -}}
{{- $root := . }}
{{- $list := list }}
{{- $ports := dict }}
{{- range .Values.listeners }}
{{- if hasKey $ports (toString .port) }}{{ fail (printf "listeners: two have the port %v" .port) }}{{ end }}
{{- $_ := set $ports (toString .port) true }}
{{- include "kaas.listener.check" (dict "root" $root "listener" .) }}
{{- $listener := dict "name" .name "port" (int .port) "host" "0.0.0.0" "type" .type "tls" (default false .tls) }}
{{- with .authentication }}{{ $_ := set $listener "authentication" . }}{{ end }}
{{- $configuration := .configuration | default dict }}
{{- if and (ne .type "internal") $configuration.brokerHostTemplate }}
{{- $_ := set $listener "advertisedHost" (replace "{nodeId}" "$(MY_POD_INDEX)" $configuration.brokerHostTemplate) }}
{{- with $configuration.advertisedPort }}{{ $_ := set $listener "advertisedPort" (int .) }}{{ end }}
{{- else }}
{{- $_ := set $listener "advertisedHost" (printf "$(MY_POD_NAME).%s-brokers.%s.svc" (include "kaas.name" $root) $root.Release.Namespace) }}
{{- end }}
{{- $list = append $list $listener }}
{{- end }}
{{- $list | toJson }}
{{- end }}

{{/*
What keeps a listener from ever serving is said when the chart is rendered, not by brokers that do not start. So is what the
API server would refuse of the KafkaCluster, which comes last: brokers would have the listener by then.
listener.check: a dict of root and listener
*/}}
{{- define "kaas.listener.check" -}}
{{- $authentication := (.listener.authentication | default dict).type | default "none" }}
{{- $type := .listener.type }}
{{- $name := .listener.name }}
{{- if and (not .listener.tls) (or (eq $type "tlsroute") (has $authentication (list "tls" "plain"))) }}
{{- fail (printf "listener %s needs tls: true, by its type or authentication" $name) }}
{{- end }}
{{- if and (eq $type "internal") (kindIs "map" .listener.configuration) }}
{{- fail (printf "listener %s: configuration is for listeners that are reached from outside; this one is internal" $name) }}
{{- end }}
{{- $configuration := .listener.configuration | default dict }}
{{- if eq $type "tlsroute" }}
{{- range list "gateway" "bootstrapHost" "brokerHostTemplate" }}
{{- if not (get $configuration .) }}{{ fail (printf "listener %s: a tlsroute needs configuration.%s" $name .) }}{{ end }}
{{- end }}
{{- end }}
{{- $ofTypes := dict "gateway" "tlsroute" "loadBalancerClass" "loadbalancer" "loadBalancerSourceRanges" "loadbalancer" "externalTrafficPolicy" "loadbalancer nodeport" "bootstrapNodePort" "nodeport" "nodePorts" "nodeport" }}
{{- range $field, $types := $ofTypes }}
{{- if and (hasKey $configuration $field) (not (has $type (splitList " " $types))) }}
{{- fail (printf "listener %s: configuration.%s is only for %s" $name $field (replace " " " and " $types)) }}
{{- end }}
{{- end }}
{{- if and .listener.tls (not (include "kaas.tls.secret" .root)) }}
{{- fail (printf "listener %s has tls, and the brokers have no certificate: set tls.issuerRef.name or tls.existingSecret" .listener.name) }}
{{- end }}
{{- if and (eq $authentication "tls") (not .root.Values.tls.clientsCa.existingSecret) }}
{{- fail (printf "listener %s lets clients in by certificate, and nothing says who signs those: set tls.clientsCa.existingSecret" .listener.name) }}
{{- end }}
{{- end }}
