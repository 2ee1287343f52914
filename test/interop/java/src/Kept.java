import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What a client leaves for the others (and for itself after the broker was killed): topic left-NAME of one partition
 * with, for each codec, 25 records of key CODEC-i, value value-i-xxx…, header codec; and offset 10 committed by group
 * left-NAME. Every client program of this folder does the same.
 */
final class Kept {
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");
    private static final int EACH = 25;

    private Kept() {
    }

    static void leave(String name) {
        Checks.check("leave records and an offset", () -> {
            String topic = "left-" + name;
            for (String codec : CODECS) {
                try (Producer<String, String> producer = Kit.producer("compression.type", codec, "linger.ms", "20")) {
                    for (int i = 0; i < EACH; i++) {
                        ProducerRecord<String, String> record = new ProducerRecord<>(topic, codec + "-" + i, value(i));
                        record.headers().add("codec", codec.getBytes(UTF_8));
                        producer.send(record);
                    }
                }
            }
            try (Consumer<String, String> consumer = Kit.consumer("group.id", topic)) {
                consumer.commitSync(Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(10, "kept")));
            }
        });
    }

    /** Each of what is NAME=COUNT: another client's name, and how many records it left. */
    static void verify(String[] others) {
        for (String other : others) {
            String name = other.substring(0, other.indexOf('='));
            int count = Integer.parseInt(other.substring(other.indexOf('=') + 1));
            Checks.check("read what " + name + " left", () -> read(name, count));
        }
    }

    private static void read(String name, int count) {
        String topic = "left-" + name;
        List<ConsumerRecord<String, String>> records = Kit.readAll(topic, 1, count);
        for (int at = 0; at < count; at++) {
            ConsumerRecord<String, String> record = records.get(at);
            int i = at % EACH;
            String codec = record.key().substring(0, record.key().indexOf('-'));
            Checks.equal(at, record.offset(), "offset");
            Checks.equal(codec + "-" + i, record.key(), "key");
            Checks.equal(value(i), record.value(), "value");
            Checks.equal(codec, new String(record.headers().lastHeader("codec").value(), UTF_8), "header");
        }
        TopicPartition partition = new TopicPartition(topic, 0);
        try (Consumer<String, String> consumer = Kit.consumer("group.id", topic)) {
            Checks.equal(10, consumer.committed(Set.of(partition)).get(partition).offset(), "committed");
        }
    }

    private static String value(int i) {
        return "value-" + i + "-" + "x".repeat(200);
    }
}
