{{/* Name of the release's objects; the release's own when that says kaas. A release may have dots, a Service may not. */}}
{{- define "kaas.name" -}}
{{- $name := replace "." "-" .Release.Name }}
{{- if contains "kaas" $name }}{{ $name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-kaas" $name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "kaas.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: kaas
{{ include "kaas.selector" . }}
{{- end }}

{{- define "kaas.selector" -}}
app.kubernetes.io/name: kaas
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "kaas.broker.selector" -}}
{{ include "kaas.selector" . }}
app.kubernetes.io/component: broker
{{- end }}

{{- define "kaas.operator.selector" -}}
{{ include "kaas.selector" . }}
app.kubernetes.io/component: operator
{{- end }}

{{- define "kaas.broker.account" -}}
{{ .Values.serviceAccount.broker | default (printf "%s-broker" (include "kaas.name" .)) }}
{{- end }}

{{/* Names of all pods that the StatefulSet may ever have, as a list in JSON: a KafkaCluster has at most 100 brokers. */}}
{{- define "kaas.broker.pods" -}}
{{- $names := list }}
{{- range until 100 }}{{ $names = append $names (printf "%s-%d" (include "kaas.name" $) .) }}{{ end }}
{{- $names | toJson }}
{{- end }}

{{- define "kaas.operator.account" -}}
{{ .Values.serviceAccount.operator | default (printf "%s-operator" (include "kaas.name" .)) }}
{{- end }}

{{- define "kaas.data.claim" -}}
{{ .Values.storage.data.existingClaim | default (printf "%s-data" (include "kaas.name" .)) }}
{{- end }}

{{/* Whether the cluster's own files have a volume of their own. */}}
{{- define "kaas.cluster.isApart" -}}
{{- if or .Values.storage.cluster.existingClaim .Values.storage.cluster.size }}true{{ end }}
{{- end }}

{{- define "kaas.cluster.claim" -}}
{{ .Values.storage.cluster.existingClaim | default (printf "%s-cluster" (include "kaas.name" .)) }}
{{- end }}

{{/* Names of all claims, as a regular expression. */}}
{{- define "kaas.claims" -}}
{{- $claims := list (include "kaas.data.claim" .) }}
{{- if include "kaas.cluster.isApart" . }}{{ $claims = append $claims (include "kaas.cluster.claim" .) }}{{ end }}
{{- range .Values.storage.volumes }}
{{- $claims = append $claims (.existingClaim | default (printf "%s-vol-%s" (include "kaas.name" $) .name)) }}
{{- end }}
{{- join "|" $claims }}
{{- end }}

{{- define "kaas.peers.secret" -}}
{{ .Values.peers.existingSecret | default (printf "%s-peers" (include "kaas.name" .)) }}
{{- end }}

{{- define "kaas.tls.secret" -}}
{{- if .Values.tls.existingSecret }}{{ .Values.tls.existingSecret }}{{ else if .Values.tls.issuerRef.name }}{{ printf "%s-broker-tls" (include "kaas.name" .) }}{{ end }}
{{- end }}

{{/* image: a dict of image and chart version */}}
{{- define "kaas.image" -}}
{{- $name := .image.repository }}
{{- if .image.registry }}{{ $name = printf "%s/%s" .image.registry .image.repository }}{{ end }}
{{- if .image.digest }}{{ $name }}@{{ .image.digest }}{{ else }}{{ $name }}:{{ .image.tag | default .version }}{{ end }}
{{- end }}

{{/*
What would be passed over is refused.
tls.check: the values of tls
*/}}
{{- define "kaas.tls.check" -}}
{{- if and .issuerRef.name .existingSecret }}{{ fail "tls: issuerRef or existingSecret, not both" }}{{ end }}
{{- if and .issuerRef (not .issuerRef.name) }}{{ fail "tls.issuerRef: the name of the issuer is missing" }}{{ end }}
{{- if and .clientsCa.issuerRef (not .clientsCa.issuerRef.name) }}{{ fail "tls.clientsCa.issuerRef: the name of the issuer is missing" }}{{ end }}
{{- if and .dnsNames (not .issuerRef.name) }}{{ fail "tls.dnsNames: names for the certificate that an issuer makes, and there is none: set tls.issuerRef.name" }}{{ end }}
{{- end }}

{{/*
The access modes of a claim. One that would keep a pod waiting for ever is refused.
claim.modes: a dict of where, modes and the chart's values
*/}}
{{- define "kaas.claim.modes" -}}
{{- $pods := add .values.replicas (ternary 1 0 .values.operator.enabled) }}
{{- if and (has "ReadWriteOncePod" .modes) (gt $pods 1) }}
{{- fail (printf "%s: ReadWriteOncePod lets one pod mount it, and brokers and operator are %d: use ReadWriteMany, or ReadWriteOnce on a single node" .where $pods) }}
{{- end }}
{{- toYaml .modes }}
{{- end }}

{{/*
A number or text as server.properties has it: of a text all that is written, backslashes and line breaks too. YAML's numbers
are floats here, which would be printed as 1.073741824e+10; and those beyond 2^53 have lost digits by now.
config.value: a dict of name and value
*/}}
{{- define "kaas.config.value" -}}
{{- if kindIs "string" .value }}
{{- $text := .value | replace "\\" "\\\\" | replace "\n" "\\n" | replace "\r" "\\r" | replace "\t" "\\t" }}
{{- if hasPrefix " " $text }}\{{ end }}{{ $text }}
{{- else if not (kindIs "float64" .value) }}{{ .value }}
{{- else if or (gt .value 9007199254740992.0) (lt .value -9007199254740992.0) }}
{{- fail (printf "config.%s: a number as large as that loses digits in YAML; write it in quotes" .name) }}
{{- else if eq .value (floor .value) }}{{ int64 .value }}
{{- else }}{{ .value }}
{{- end }}
{{- end }}

{{/*
What brokers have from elsewhere, and would not take from their file of settings, is not passed over without a word.
config.check: the root
*/}}
{{- define "kaas.config.check" -}}
{{- $elsewhere := dict "log.dirs" "storage" "log.dir" "storage" "listeners" "listeners" "advertised.listeners" "listeners" "listener.security.protocol.map" "listeners" "node.id" "the pod's number" "broker.id" "the pod's number" }}
{{- if .Values.authorization.enabled }}
{{- $_ := merge $elsewhere (dict "authorizer.class.name" "authorization.enabled" "super.users" "authorization.superUsers") }}
{{- else if .Values.authorization.superUsers }}
{{- fail "authorization.superUsers: without authorization everybody may do everything: set authorization.enabled, or leave them out" }}
{{- end }}
{{- if include "kaas.tls.secret" . }}
{{- $_ := merge $elsewhere (dict "ssl.keystore.type" "tls" "ssl.keystore.location" "tls") }}
{{- end }}
{{- if .Values.tls.clientsCa.existingSecret }}
{{- $_ := merge $elsewhere (dict "ssl.truststore.type" "tls.clientsCa" "ssl.truststore.location" "tls.clientsCa") }}
{{- end }}
{{- range $name, $place := $elsewhere }}
{{- if hasKey $.Values.config $name }}
{{- fail (printf "config.%s: brokers have it from %s; leave it out" $name $place) }}
{{- end }}
{{- end }}
{{- end }}
