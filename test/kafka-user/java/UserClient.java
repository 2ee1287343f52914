import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * UserClient CA: a line of its input is a command, words with tabs between them: COMMAND BOOTSTRAP JAAS ARGUMENT…. Each is
 * answered by one line, 'ok' or 'error' and what came of it. Every command connects anew, by SCRAM-SHA-512 over TLS, or by
 * the certificate of a file where JAAS is 'PEM FILE'.
 */
public final class UserClient {
    private static String authority;

    public static void main(String[] args) throws Exception {
        authority = args[0];
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] words = line.split("\t");
            try {
                answer("ok", run(words[0], login(words[1], words[2]), words));
            } catch (Throwable problem) {
                Throwable cause = problem instanceof ExecutionException && problem.getCause() != null ? problem.getCause() : problem;
                answer("error", cause.getClass().getSimpleName() + ": " + cause.getMessage());
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void answer(String verdict, Object text) {
        System.out.println(verdict + "\t" + String.valueOf(text).replace('\n', ' '));
        System.out.flush();
    }

    private static Object run(String command, Map<String, Object> login, String[] words) throws Exception {
        return switch (command) {
            case "send" -> send(login, words[3], Integer.parseInt(words[4]), Integer.parseInt(words[5]), Integer.parseInt(words[6]));
            case "read" -> read(login, words[3], words[4], Integer.parseInt(words[5]));
            case "topics" -> String.join(" ", topics(login).keySet());
            case "partitions" -> topics(login).getOrDefault(words[3], List.of()).size();
            default -> administer(command, login, words);
        };
    }

    private static Object administer(String command, Map<String, Object> login, String[] words) throws Exception {
        try (Admin admin = Admin.create(login)) {
            switch (command) {
                case "create":
                    NewTopic topic = new NewTopic(words[3], Optional.of(Integer.parseInt(words[4])), Optional.empty());
                    return admin.createTopics(List.of(topic), new CreateTopicsOptions().timeoutMs(Integer.parseInt(words[5]))).topicId(words[3]).get();
                case "delete":
                    return admin.deleteTopics(List.of(words[3])).all().get();
                case "describe":
                    TopicDescription found = admin.describeTopics(List.of(words[3])).allTopicNames().get().get(words[3]);
                    return found.topicId() + " " + found.partitions().size();
                case "acls":
                    return admin.describeAcls(new AclBindingFilter(ResourcePatternFilter.ANY,
                        new AccessControlEntryFilter(words[3], null, AclOperation.ANY, AclPermissionType.ANY))).values().get().size();
                default:
                    throw new IllegalArgumentException(command);
            }
        }
    }

    private static Map<String, Object> login(String bootstrap, String jaas) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        if (jaas.startsWith("PEM ")) {
            config.put("security.protocol", "SSL");
            config.put("ssl.keystore.type", "PEM");
            config.put("ssl.keystore.location", jaas.substring(4));
        } else {
            config.put("security.protocol", "SASL_SSL");
            config.put("sasl.mechanism", "SCRAM-SHA-512");
            config.put("sasl.jaas.config", jaas);
        }
        config.put("ssl.truststore.type", "PEM");
        config.put("ssl.truststore.location", authority);
        // A busy machine is given time; an answer that is lost is not asked for again before it shows.
        config.put("request.timeout.ms", "100000");
        config.put("default.api.timeout.ms", "110000");
        return config;
    }

    /** One record after the other, to one partition, or, where that is -1, to each in its turn. */
    private static String send(Map<String, Object> login, String topic, int partition, int count, int bytes) throws Exception {
        Map<String, Object> config = new HashMap<>(login);
        config.remove("default.api.timeout.ms");
        config.put("delivery.timeout.ms", "110000");
        config.put("max.block.ms", "110000");
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            int partitions = producer.partitionsFor(topic).size();
            long began = System.nanoTime();
            for (int i = 0; i < count; i++)
                producer.send(new ProducerRecord<>(topic, partition < 0 ? i % partitions : partition, null, "x".repeat(bytes))).get();
            double throttled = producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("produce-throttle-time-max"))
                .mapToDouble(metric -> ((Number) metric.metricValue()).doubleValue()).max().orElse(0);
            return (System.nanoTime() - began) / 1_000_000 + " " + Math.round(throttled);
        }
    }

    /**
     * What a broker shows. A consumer asks the one that it reaches first, where an admin client asks any: with one bootstrap
     * server it is that broker who answers, by what it knows itself.
     */
    private static Map<String, List<PartitionInfo>> topics(Map<String, Object> login) {
        Map<String, Object> config = new HashMap<>(login);
        config.put("group.protocol", "classic");
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            return new TreeMap<>(consumer.listTopics());
        }
    }

    /** Reads until it has so many records, each counted once, however often the group is given it. */
    private static int read(Map<String, Object> login, String topic, String group, int count) {
        Map<String, Object> config = new HashMap<>(login);
        config.put("group.id", group);
        config.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            Set<String> seen = new HashSet<>();
            for (long end = System.nanoTime() + 110_000_000_000L; seen.size() < count && System.nanoTime() < end; )
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200)))
                    seen.add(record.partition() + " " + record.offset());
            return seen.size();
        }
    }
}
