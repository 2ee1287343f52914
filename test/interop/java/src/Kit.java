import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** What every check needs: clients with short time-outs, topics with fresh names, reading to the end. */
final class Kit {
    static String bootstrap;

    private Kit() {
    }

    private static Map<String, Object> config(String... pairs) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("request.timeout.ms", "60000");
        config.put("default.api.timeout.ms", "60000");
        for (int i = 0; i < pairs.length; i += 2)
            config.put(pairs[i], pairs[i + 1]);
        return config;
    }

    static Admin admin() {
        return Admin.create(config());
    }

    static Producer<String, String> producer(String... pairs) {
        Map<String, Object> config = config(pairs);
        config.remove("default.api.timeout.ms");
        config.putIfAbsent("delivery.timeout.ms", "90000");
        return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    }

    static Consumer<String, String> consumer(String... pairs) {
        Map<String, Object> config = config(pairs);
        config.putIfAbsent("auto.offset.reset", "earliest");
        config.putIfAbsent("enable.auto.commit", "false");
        config.putIfAbsent("heartbeat.interval.ms", "300");
        return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
    }

    static String name(String prefix) {
        return prefix + "-" + UUID.randomUUID().toString().substring(0, 8);
    }

    /** A new topic; pairs are its configs. */
    static String topic(int partitions, String... pairs) throws Exception {
        String topic = name("java");
        Map<String, String> configs = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2)
            configs.put(pairs[i], pairs[i + 1]);
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(configs))).all().get();
            awaitLeaders(admin, topic, partitions);
        }
        return topic;
    }

    /** Apache Kafka's answer to CreateTopics may come before its partitions serve. */
    private static void awaitLeaders(Admin admin, String topic, int partitions) throws Exception {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        partitions(topic, partitions).forEach(p -> specs.put(p, OffsetSpec.latest()));
        Checks.eventually(() -> {
            try {
                return admin.listOffsets(specs).all().get().size() == partitions;
            } catch (ExecutionException e) {
                return false;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, topic + " serves");
    }

    static List<TopicPartition> partitions(String topic, int count) {
        List<TopicPartition> all = new ArrayList<>();
        for (int p = 0; p < count; p++)
            all.add(new TopicPartition(topic, p));
        return all;
    }

    static List<ConsumerRecord<String, String>> read(Consumer<String, String> consumer, int count) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        long end = System.currentTimeMillis() + 60_000;
        while (records.size() < count && System.currentTimeMillis() < end)
            consumer.poll(Duration.ofMillis(200)).forEach(records::add);
        Checks.equal(count, records.size(), "records read");
        return records;
    }

    /** All of a topic's first partitions, from the beginning, by a consumer without a group. */
    static List<ConsumerRecord<String, String>> readAll(String topic, int partitions, int count, String... pairs) {
        try (Consumer<String, String> consumer = consumer(pairs)) {
            consumer.assign(partitions(topic, partitions));
            consumer.seekToBeginning(consumer.assignment());
            return read(consumer, count);
        }
    }
}
