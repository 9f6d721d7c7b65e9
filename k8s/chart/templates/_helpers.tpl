{{- define "threadlore.fullname" -}}
{{- if contains "threadlore" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-threadlore" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "threadlore.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- /* What all objects of a release have in common; the argument is the context. */ -}}
{{- define "threadlore.selector" -}}
app.kubernetes.io/name: threadlore
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "threadlore.labels" -}}
{{ include "threadlore.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- /* The workloads that run, as YAML: those that are switched on, or that the settings choose. */ -}}
{{- define "threadlore.workloads" -}}
{{- $settings := .Values.settings -}}
{{- $embedder := ne (dig "embedder" "engine" "none" $settings) "none" -}}
{{- $chosen := dict
    "embedder" $embedder
    "gateway-irc" (dig "irc" "server" "" $settings)
    "gateway-matrix" (dig "matrix" "homeserver" "" $settings)
    "gateway-webhook" (dig "webhook" "listen" "" $settings) -}}
{{- $running := dict -}}
{{- range $name, $workload := .Values.workloads -}}
{{- $default := true -}}
{{- if hasKey $chosen $name -}}{{- $default = get $chosen $name -}}{{- end -}}
{{- /* What came in before a space is back would be another space of that name. */ -}}
{{- $waits := and $.Values.restores (contains "gateway-" (join " " (default dict $workload).roles)) -}}
{{- if and $workload (not $waits) (ternary $workload.enabled $default (hasKey $workload "enabled")) -}}
{{- $_ := set $running $name $workload -}}
{{- end -}}
{{- end -}}
{{- toYaml $running -}}
{{- end -}}

{{- /* threadlore.toml of a workload; the argument is a list of the context and the roles. A process
       has only the tables of the gateways that it runs, because their secrets are not there for others. */ -}}
{{- define "threadlore.toml" -}}
{{- $ := index . 0 -}}
{{- $roles := index . 1 -}}
{{- $settings := deepCopy $.Values.settings -}}
{{- range $gateway := list "irc" "matrix" "webhook" -}}
{{- if not (has (printf "gateway-%s" $gateway) $roles) -}}{{- $_ := unset $settings $gateway -}}{{- end -}}
{{- end -}}
{{- /* Exports run with the settings of the api. */ -}}
{{- if not (has "api" $roles) -}}{{- $_ := unset $settings "s3" -}}{{- end -}}
{{- $kafka := dict -}}
{{- if include "threadlore.hasProperties" $ -}}
{{- $kafka = dict "properties_file" "/etc/threadlore/kafka/client.properties" -}}
{{- end -}}
{{- $ours := dict
    "log" (dict "engine" "kafka")
    "kafka" $kafka
    "postgres" (dict "connections" (dig "postgres" "connections" 6 $settings) "url_file" (printf "/etc/threadlore/postgres/%s" $.Values.postgres.key))
    "keystore" (dict
        "url_file" (printf "/etc/threadlore/keystore/%s" $.Values.keystore.key)
        "master_key_file" "/etc/threadlore/keys/master.key")
    "people" (dict "hash_key_file" "/etc/threadlore/keys/people.key")
    "index" (dict "engine" "qdrant")
    "telemetry" (dict "listen" "0.0.0.0:9464") -}}
{{- if $.Values.keys.second -}}
{{- $_ := set $ours.keystore "second_master_key_file" "/etc/threadlore/keys/second.key" -}}
{{- end -}}
{{- if has "api" $roles -}}
{{- $listen := ternary "0.0.0.0:8600" "127.0.0.1:8600" (not (empty (dig "api" "public_url" "" $settings))) -}}
{{- $_ := set $ours "api" (dict "listen" $listen "session_key_file" "/etc/threadlore/keys/session.key") -}}
{{- end -}}
{{- $settings = mustMergeOverwrite (dict "telemetry" (dict "json" true)) $settings $ours -}}
data_dir = "/var/lib/threadlore"
{{- range $section, $keys := $settings }}
{{- if $keys }}

[{{ $section }}]
{{- range $key, $value := $keys }}
{{ $key }} = {{ if kindIs "float64" $value }}{{ int64 $value }}{{ else }}{{ $value | toJson }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{ end -}}

{{- /* Whether each workload has a user of its own by Strimzi. */ -}}
{{- define "threadlore.hasUsers" -}}
{{- if and .Values.strimzi.enabled .Values.strimzi.users -}}yes{{- end -}}
{{- end -}}

{{- /* Whether there is a file of librdkafka's properties. */ -}}
{{- define "threadlore.hasProperties" -}}
{{- if or .Values.kafka.properties .Values.kafka.propertiesSecret (include "threadlore.hasUsers" .) -}}yes{{- end -}}
{{- end -}}

{{- define "threadlore.client.properties" -}}
{{- if include "threadlore.hasUsers" . -}}
security.protocol=SSL
ssl.ca.location=/etc/threadlore/kafka-ca/ca.crt
ssl.certificate.location=/etc/threadlore/kafka-user/user.crt
ssl.key.location=/etc/threadlore/kafka-user/user.key
{{ end -}}
{{- range $name, $value := .Values.kafka.properties }}
{{- $name }}={{ $value }}
{{ end -}}
{{- end -}}

{{- /* A pod of a workload; the argument is a list of the context, its name and the workload. */ -}}
{{- define "threadlore.pod" -}}
{{- $ := index . 0 -}}
{{- $name := index . 1 -}}
{{- $workload := index . 2 -}}
metadata:
  labels:
    {{- include "threadlore.selector" $ | nindent 4 }}
    app.kubernetes.io/component: {{ $name }}
    {{- with $.Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    threadlore/settings: {{ printf "%s%s" (include "threadlore.toml" (list $ $workload.roles)) (include "threadlore.client.properties" $) | sha256sum | trunc 16 | quote }}
    {{- with $.Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ include "threadlore.fullname" $ }}-{{ $name }}
  {{- $command := concat (list "run") $workload.roles }}
  {{- include "threadlore.podSpec" (list $ $name $command $workload) | nindent 2 }}
  terminationGracePeriodSeconds: 45
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "threadlore.selector" $ | nindent 10 }}
          app.kubernetes.io/component: {{ $name }}
    {{- end }}
{{- end -}}

{{- /* What every pod has, the jobs' included; the argument is a list of the context, a name, the
       arguments of the program and the workload, which may have the user of Kafka and the files of another one. Files of secrets have the mode 0440, which parsers of
       YAML 1.1 and 1.2 read alike only as 288. */ -}}
{{- define "threadlore.podSpec" -}}
{{- $ := index . 0 -}}
{{- $name := index . 1 -}}
{{- $command := index . 2 -}}
{{- $workload := index . 3 -}}
{{- $user := $workload.user | default $name -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
{{- with $workload.nodeSelector | default $.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $.Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: threadlore
    image: {{ include "threadlore.image" $ }}
    imagePullPolicy: {{ $.Values.image.pullPolicy }}
    args: {{ $command | toJson }}
    workingDir: /etc/threadlore
    {{- if $workload.stable }}
    env:
      - name: THREADLORE__KAFKA__INSTANCE_ID
        valueFrom: {fieldRef: {fieldPath: metadata.name}}
    {{- end }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: {drop: [ALL]}
    resources: {{ $workload.resources | default $.Values.resources | toYaml | nindent 6 }}
    {{- if $workload.roles }}
    ports:
      - {name: metrics, containerPort: 9464}
      {{- if and (has "api" $workload.roles) (dig "api" "public_url" "" $.Values.settings) }}
      - {name: api, containerPort: 8600}
      {{- end }}
      {{- if has "gateway-webhook" $workload.roles }}
      - {name: webhook, containerPort: {{ include "threadlore.webhook.port" $ }}}
      {{- end }}
    startupProbe:
      httpGet: {path: /health/startup, port: metrics}
      periodSeconds: 5
      failureThreshold: 60
    readinessProbe:
      httpGet: {path: /health/ready, port: metrics}
      periodSeconds: 5
      timeoutSeconds: 4
    livenessProbe:
      httpGet: {path: /health/live, port: metrics}
      periodSeconds: 10
      failureThreshold: 6
    {{- end }}
    volumeMounts:
      - {name: settings, mountPath: /etc/threadlore/threadlore.toml, subPath: threadlore.toml, readOnly: true}
      - {name: postgres, mountPath: /etc/threadlore/postgres, readOnly: true}
      - {name: keystore, mountPath: /etc/threadlore/keystore, readOnly: true}
      - {name: keys, mountPath: /etc/threadlore/keys, readOnly: true}
      - {name: data, mountPath: /var/lib/threadlore}
      - {name: tmp, mountPath: /tmp}
      {{- if include "threadlore.hasProperties" $ }}
      - {name: kafka, mountPath: /etc/threadlore/kafka, readOnly: true}
      {{- end }}
      {{- if include "threadlore.hasUsers" $ }}
      - {name: kafka-ca, mountPath: /etc/threadlore/kafka-ca, readOnly: true}
      - {name: kafka-user, mountPath: /etc/threadlore/kafka-user, readOnly: true}
      {{- end }}
      {{- if $.Values.models.claim }}
      - {name: models, mountPath: /var/lib/threadlore/models, readOnly: true}
      {{- end }}
      {{- range $.Values.secretFiles }}
      {{- if or (not .workloads) (has $user .workloads) (has $name .workloads) }}
      - {name: secret-{{ .secret }}, mountPath: /etc/threadlore/secrets/{{ .secret }}, readOnly: true}
      {{- end }}
      {{- end }}
volumes:
  - name: settings
    configMap: {name: {{ include "threadlore.fullname" $ }}-{{ $name }}}
  - name: postgres
    secret: {secretName: {{ $.Values.postgres.secret }}, defaultMode: 288, items: [{key: {{ $.Values.postgres.key }}, path: {{ $.Values.postgres.key }}}]}
  - name: keystore
    secret: {secretName: {{ $.Values.keystore.secret }}, defaultMode: 288, items: [{key: {{ $.Values.keystore.key }}, path: {{ $.Values.keystore.key }}}]}
  - name: keys
    secret:
      secretName: {{ $.Values.keys.secret }}
      defaultMode: 288
      items:
        - {key: {{ $.Values.keys.master }}, path: master.key}
        {{- with $.Values.keys.second }}
        - {key: {{ . }}, path: second.key}
        {{- end }}
        - {key: people.key, path: people.key}
        {{- if has "api" ($workload.roles | default list) }}
        - {key: session.key, path: session.key}
        {{- end }}
  - name: data
    emptyDir: {sizeLimit: 1Gi}
  - name: tmp
    emptyDir: {sizeLimit: 1Gi}
  {{- if $.Values.kafka.propertiesSecret }}
  - name: kafka
    secret: {secretName: {{ $.Values.kafka.propertiesSecret }}, defaultMode: 288}
  {{- else if include "threadlore.hasProperties" $ }}
  - name: kafka
    configMap: {name: {{ include "threadlore.fullname" $ }}-{{ $name }}, items: [{key: client.properties, path: client.properties}]}
  {{- end }}
  {{- if include "threadlore.hasUsers" $ }}
  - name: kafka-ca
    secret: {secretName: {{ $.Values.strimzi.cluster }}-cluster-ca-cert, defaultMode: 288, items: [{key: ca.crt, path: ca.crt}]}
  - name: kafka-user
    secret: {secretName: {{ include "threadlore.fullname" $ }}-{{ $user }}, defaultMode: 288}
  {{- end }}
  {{- if $.Values.models.claim }}
  - name: models
    persistentVolumeClaim: {claimName: {{ $.Values.models.claim }}, readOnly: true}
  {{- end }}
  {{- range $.Values.secretFiles }}
  {{- if or (not .workloads) (has $user .workloads) (has $name .workloads) }}
  - name: secret-{{ .secret }}
    secret: {secretName: {{ .secret }}, defaultMode: 288}
  {{- end }}
  {{- end }}
{{- end -}}

{{- define "threadlore.webhook.port" -}}
{{ splitList ":" (dig "webhook" "listen" "0.0.0.0:8090" .Values.settings) | last }}
{{- end -}}

{{- /* The settings of a workload, or of a job; the argument is a list of the context, the name, the
       roles, and annotations. */ -}}
{{- define "threadlore.settings" -}}
{{- $ := index . 0 -}}
{{- $name := index . 1 -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "threadlore.fullname" $ }}-{{ $name }}
  labels:
    {{- include "threadlore.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ $name }}
  {{- with index . 3 }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
data:
  threadlore.toml: |
    {{- include "threadlore.toml" (list $ (index . 2)) | nindent 4 }}
  {{- with include "threadlore.client.properties" $ }}
  client.properties: |
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}
