{{/*
KAAS_LISTENERS: what brokers listen on, and what each tells its clients. $(MY_POD_NAME) and $(MY_POD_INDEX) are put in by
the kubelet. A listener that is not internal tells the host name of its configuration. Where it has none the operator
finds the address, and writes it to the volume, where the broker reads it; until then clients are told the pod's own name.
*/}}
{{- define "kaas.listeners" -}}
{{- $root := . }}
{{- $list := list }}
{{- range .Values.listeners }}
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
What keeps a listener from ever serving is said when the chart is rendered, not by brokers that do not start.
listener.check: a dict of root and listener
*/}}
{{- define "kaas.listener.check" -}}
{{- $authentication := (.listener.authentication | default dict).type | default "none" }}
{{- if and .listener.tls (not (include "kaas.tls.secret" .root)) }}
{{- fail (printf "listener %s has tls, and the brokers have no certificate: set tls.issuerRef.name or tls.existingSecret" .listener.name) }}
{{- end }}
{{- if and (eq $authentication "tls") (not .root.Values.tls.clientsCa.existingSecret) }}
{{- fail (printf "listener %s lets clients in by certificate, and nothing says who signs those: set tls.clientsCa.existingSecret" .listener.name) }}
{{- end }}
{{- end }}
