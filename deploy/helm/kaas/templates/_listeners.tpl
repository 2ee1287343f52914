{{/*
KAAS_LISTENERS: what brokers listen on, and what each tells its clients. $(MY_POD_NAME) and $(MY_POD_INDEX) are put in by
the kubelet. A listener that is not internal tells the host name of its configuration; where it has none the operator
finds the address, and writes it to the volume, where the broker reads it.
*/}}
{{- define "kaas.listeners" -}}
{{- $root := . }}
{{- $list := list }}
{{- range .Values.listeners }}
{{- $listener := dict "name" .name "port" (int .port) "host" "0.0.0.0" "type" .type "tls" (default false .tls) }}
{{- with .authentication }}{{ $_ := set $listener "authentication" . }}{{ end }}
{{- $configuration := .configuration | default dict }}
{{- if eq .type "internal" }}
{{- $_ := set $listener "advertisedHost" (printf "$(MY_POD_NAME).%s-brokers.%s.svc" (include "kaas.name" $root) $root.Release.Namespace) }}
{{- else if $configuration.brokerHostTemplate }}
{{- $_ := set $listener "advertisedHost" (replace "{nodeId}" "$(MY_POD_INDEX)" $configuration.brokerHostTemplate) }}
{{- with $configuration.advertisedPort }}{{ $_ := set $listener "advertisedPort" (int .) }}{{ end }}
{{- end }}
{{- $list = append $list $listener }}
{{- end }}
{{- $list | toJson }}
{{- end }}
