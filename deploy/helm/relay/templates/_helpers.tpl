{{- define "relay.name" -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{- end }}

{{- define "relay.image" -}}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{- end }}

{{- define "relay.selector" -}}
app.kubernetes.io/name: relay
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "relay.labels" -}}
{{ include "relay.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "relay.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "relay.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* `url` is the key of the Secret with the address of the database that this process uses. */}}
{{- define "relay.environment" -}}
- name: RELAY_HOME
  value: /data/home
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.database.existingSecret }}
      key: {{ .url }}
- name: DATABASE_OWNER_URL
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.database.existingSecret }}
      key: {{ .root.Values.database.ownerUrlKey }}
{{- with .root.Values.media }}
{{- if .existingSecret }}
- name: RELAY_S3_ACCESS_KEY_ID
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret }}
      key: {{ .accessKeyIdKey }}
- name: RELAY_S3_SECRET_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret }}
      key: {{ .secretAccessKeyKey }}
{{- end }}
{{- end }}
{{- if .root.Values.key.command }}
- name: RELAY_KEY_COMMAND
  value: {{ .root.Values.key.command | quote }}
{{- else }}
- name: RELAY_KEY_FILE
  value: /key/{{ .root.Values.key.secretKey }}
{{- end }}
{{- end }}

{{- define "relay.mounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- if not .Values.key.command }}
- name: key
  mountPath: /key
  readOnly: true
{{- end }}
{{- end }}

{{- define "relay.volumes" -}}
- name: tmp
  emptyDir: {}
- name: settings
  configMap:
    name: {{ include "relay.name" . }}-settings
{{- if not .Values.key.command }}
- name: key
  secret:
    secretName: {{ .Values.key.existingSecret }}
    defaultMode: 0440
{{- end }}
{{- end }}

{{/* The home must belong to the user that Relay runs as, which the root of a volume does not. */}}
{{- define "relay.prepareHome" -}}
- name: home
  image: {{ include "relay.image" .root }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command: [sh, -c, "umask 077 && mkdir -p /data/home && cp /settings/{{ .settings }} /data/home/relay.config.json"]
  securityContext:
    {{- include "relay.containerSecurity" .root | nindent 4 }}
  volumeMounts:
    - name: data
      mountPath: /data
    - name: settings
      mountPath: /settings
      readOnly: true
{{- end }}

{{/* A worker answers health checks on 127.0.0.1 only, where the kubelet's own requests do not arrive. */}}
{{- define "relay.healthProbe" -}}
- node
- -e
- "fetch('http://127.0.0.1:{{ .port }}{{ .path }}').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
{{- end }}
